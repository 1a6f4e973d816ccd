import type { Writable } from 'node:stream'
import type { Redact } from '../../redact.ts'

/** The same stream, on which no credential is written. */
export function hiding<S extends Writable>(stream: S, hide: Redact): S {
  const clean = (chunk: unknown) => {
    if (typeof chunk === 'string') return hide(chunk)
    return chunk instanceof Uint8Array ? hide(Buffer.from(chunk).toString()) : chunk
  }
  let write = (chunk: unknown, ...rest: [BufferEncoding]): boolean => stream.write(clean(chunk), ...rest)
  return new Proxy(stream, {
    get(target, name) {
      if (name === 'write') return write
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
    set(target, name, value) {
      if (name !== 'write') return Reflect.set(target, name, value, target)
      // A spinner puts a `write` of its own in its place for a while, which calls this one: the stream keeps its own.
      write = value
      return true
    },
  })
}

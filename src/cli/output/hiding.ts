import type { Writable } from 'node:stream'
import { loadConfig, readEnvironment } from '../../config.ts'
import { type CredentialSources, credentialsOf } from '../../credentials/credentials.ts'
import type { Redact } from '../../redact.ts'

/**
 * Hides what the environment of this process and the settings hold of credentials, and what is shaped like one. Settings
 * that cannot be read have none; that they cannot be read is told where they are needed.
 */
export function configuredHide(file?: string): Redact {
  return credentialsOf(configOf(file)).hide
}

/** The file that the words of a command line name for settings. */
export function configFileIn(argv: readonly string[]): string | undefined {
  const at = argv.findLastIndex((word) => word === '--config' || word.startsWith('--config='))
  const word = argv[at]
  return word === '--config' ? argv[at + 1] : word?.slice('--config='.length)
}

function configOf(file: string | undefined): CredentialSources {
  try {
    return loadConfig(file ? { file } : {})
  } catch {
    return { environment: readEnvironment() }
  }
}

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

import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { cleanError, withCleanErrors } from '../../../src/credentials/clean-error.ts'
import { ToolFailed } from '../../../src/errors.ts'
import { redactor } from '../../../src/redact.ts'

const secret = 'Quince-Canary-4711'
const hide = redactor([secret])

function printed(error: Error): string {
  return [inspect(error, { depth: 10, showHidden: true }), json(error), String(error), error.stack].join('\n')
}

/** Nothing for what goes in circles. */
function json(error: Error): string {
  try {
    return JSON.stringify(error)
  } catch {
    return ''
  }
}

describe('a clean error', () => {
  it('is the same error, without credentials in message, stack, fields and causes', { tags: ['T10'] }, () => {
    const request = new (class Request {
      readonly headers = { authorization: secret }
    })()
    const cause = Object.assign(new Error(`because of ${secret}`), {
      request,
      url: `http://h/?key=${secret}`,
      status: 401,
    })
    const error = new ToolFailed(`It failed: ${secret}`, { cause: new AggregateError([cause], secret) })
    error.stack?.slice()
    expect(cleanError(error, hide)).toBe(error)
    expect(printed(error)).not.toContain(secret)
    expect(error).toMatchObject({ code: 'tool_failed', message: 'It failed: [redacted]' })
    expect(cause).toMatchObject({ url: 'http://h/?key=[redacted]', status: 401, request: '[redacted]' })
  })

  it('is found in circles, in frozen errors, in those of the platform and in what is none', { tags: ['T10'] }, () => {
    const inner = new Error(secret)
    const circle = new Error(secret, { cause: inner })
    Object.defineProperty(inner, 'cause', { value: circle })
    const thrown = [
      circle,
      Object.freeze(new Error(secret)),
      new DOMException(secret, 'AbortError'),
      secret,
      { secret },
    ]
    for (const each of thrown) expect(printed(cleanError(each, hide))).not.toContain(secret)
  })

  it.each([
    ['a field below many others', { a: { b: { c: { d: { e: { f: { g: { h: { i: secret } } } } } } } } }],
    ['an item behind hundreds', [...Array(500).fill('a'), secret]],
    ['a long text', { text: `${'x '.repeat(20_000)}${secret}` }],
    ['a field that is not listed', { a: Object.defineProperty({}, 'b', { value: secret }) }],
    ['a symbol', { a: { [Symbol(secret)]: 1 } }],
    ['a name', { a: [{ [secret]: 1 }] }],
    ['what only says it is JSON', { toJSON: 1, k: secret }],
    ['an address', { options: { url: new URL(`http://me:${secret}@h/`) } }],
    ['headers', { headers: new Headers({ 'x-key': secret }) }],
    ['a map in a class', new Map([['a', [{ b: secret }]]])],
    ['bytes', { body: Buffer.from(`key=${secret}`) }],
    ['a text in lines', { text: 'key:\n"sk-planted-9f8e7d6c5b"' }],
    ['a password', { config: { password: 'open sesame' } }],
    ['an error in a map', new Map([['a', new Error(secret)]])],
    ['an error in data', { errors: [{ error: new Error(secret) }] }],
  ])('is found in %s, which may be a cause', { tags: ['T10'] }, (_name, data) => {
    const thrown = [Object.assign(new Error('No'), { data }), new Error('No', { cause: data })]
    for (const error of thrown) {
      cleanError(error, hide)
      const { data: found = error.cause } = error as { data?: unknown; cause?: unknown }
      const all = inspect(found, { depth: 20, showHidden: true, maxArrayLength: null, maxStringLength: null })
      expect(all).not.toMatch(/Quince|planted|sesame/)
      expect(all).toMatch(/redacted/)
    }
  })

  it('is found in names of its own, and in circles of data', { tags: ['T10'] }, () => {
    const circle: Record<string, unknown> = { secret: 'a', text: secret }
    circle.self = { circle }
    const error = Object.assign(new Error('No'), { [secret]: 1, [Symbol(secret)]: 2, circle })
    cleanError(error, hide)
    expect(printed(error)).not.toContain(secret)
    expect(error.circle).toBe('[redacted]')
  })

  it('leaves an error as it is that holds none', () => {
    const request = new Map([['a', 1]])
    const error = Object.assign(new Error('No route'), { request })
    const { stack } = error
    expect(cleanError(error, hide)).toMatchObject({ message: 'No route', stack })
    expect(error.request).toBe(request)
  })
})

describe('an object with clean errors', () => {
  class Store {
    readonly #name = secret
    readonly graph = { fail: () => this.fail() }
    name() {
      return this.#name.length
    }
    fail(): never {
      throw new Error(this.#name)
    }
    async reject() {
      this.fail()
    }
    async *stream() {
      yield 1
      this.fail()
    }
  }

  it('throws, rejects and ends its streams with clean errors; what it holds is left as it is', {
    tags: ['T10'],
  }, async () => {
    const store = withCleanErrors(new Store(), hide)
    expect(() => store.fail()).toThrow('[redacted]')
    expect(() => withCleanErrors({ fail: () => store.graph.fail() }, hide).fail()).toThrow('[redacted]')
    await expect(store.reject()).rejects.toThrow('[redacted]')
    const read: number[] = []
    await expect(async () => {
      for await (const each of store.stream()) read.push(each)
    }).rejects.toThrow('[redacted]')
    expect(read).toEqual([1])
    expect(() => store.graph.fail()).toThrow(secret)
  })

  it('is used like the object itself', () => {
    const store = withCleanErrors(new Store(), hide)
    expect(store.name()).toBe(secret.length)
  })
})

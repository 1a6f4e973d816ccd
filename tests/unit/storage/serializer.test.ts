import { isDeepStrictEqual } from 'node:util'
import {
  AIMessage,
  AIMessageChunk,
  ChatMessage,
  HumanMessage,
  RemoveMessage,
  SystemMessage,
  ToolMessage,
} from '@langchain/core/messages'
import { Command, Overwrite, Send } from '@langchain/langgraph'
import { DeltaSnapshot } from '@langchain/langgraph-checkpoint'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { UnsupportedValue } from '../../../src/errors.ts'
import { checkpointSerializer, decodeValue, encodeValue } from '../../../src/storage/serializer.ts'

const roundTrip = (value: unknown) => decodeValue(encodeValue(value))

describe('the serializer of checkpoints', () => {
  it('keeps 10,000 values exactly, or refuses them and says where', { tags: ['slow'] }, () => {
    let refused = 0
    const kept = { withBigInt: true, withDate: true, withMap: true, withSet: true, withUnicodeString: true }
    const odd = { withBoxedValues: true, withNullPrototype: true, withSparseArray: true, withTypedArray: true }
    const value = fc.oneof({ arbitrary: fc.anything(kept), weight: 4 }, fc.anything({ ...kept, ...odd }))
    fc.assert(
      fc.property(value, (original) => {
        try {
          expect(isDeepStrictEqual(comparable(roundTrip(original)), comparable(original))).toBe(true)
        } catch (error) {
          if (!(error instanceof UnsupportedValue)) throw error
          expect(error.message).toMatch(/^\$/)
          refused += 1
        }
      }),
      { numRuns: 10_000 },
    )
    expect(refused).toBeGreaterThan(0)
    expect(refused).toBeLessThan(4_000)
  })

  it('keeps any JSON as it is, whatever its keys and text look like', () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('\ud800', 'a\udc00', '\0', '$quaero', 'lc'))
    const key = fc.oneof(text, fc.constantFrom('__proto__', 'constructor', 'prototype', 'toString', '$quaero', 'lc'))
    const json = fc.letrec((tie) => ({
      node: fc.oneof(
        { depthSize: 'small' },
        fc.double(),
        text,
        fc.constant(null),
        fc.array(tie('node')),
        tie('record'),
      ),
      record: fc.array(fc.tuple(key, tie('node'))).map((entries) => Object.fromEntries(entries)),
    })).node
    fc.assert(
      fc.property(json, (original) => {
        expect(isDeepStrictEqual(roundTrip(original), original)).toBe(true)
      }),
      { numRuns: 2_000 },
    )
  })

  it('keeps what JSON has no word for', () => {
    const original = {
      undefined: undefined,
      list: [undefined, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -0, 12345678901234567890n],
      dates: [new Date(0), new Date(Number.NaN)],
      map: new Map<unknown, unknown>([[{ key: 1 }, new Set([new Date(1), undefined])]]),
    }
    expect(roundTrip(original)).toStrictEqual(original)
    expect(roundTrip(undefined)).toBeUndefined()
  })

  it('keeps messages whole', () => {
    const messages = [
      new HumanMessage({ id: 'h', content: 'Which one?', name: 'Ann' }),
      new SystemMessage('Be short.'),
      new AIMessage({
        id: 'a',
        content: [{ type: 'text', text: 'The second.' }],
        name: 'synthesis',
        tool_calls: [
          { id: 'c1', name: 'search', args: { query: 'x', deep: { $quaero: 'undefined' } }, type: 'tool_call' },
        ],
        invalid_tool_calls: [{ id: 'c2', name: 'search', args: '{"query', error: 'cut', type: 'invalid_tool_call' }],
        usage_metadata: { input_tokens: 3, output_tokens: 4, total_tokens: 7 } as never,
        response_metadata: { finish_reason: 'stop', logprobs: undefined },
        additional_kwargs: { refusal: null },
      }),
      new ToolMessage({
        id: 't',
        content: 'found',
        tool_call_id: 'c1',
        status: 'error',
        artifact: { lc: 1, type: 'constructor', id: ['x'] },
      }),
      new RemoveMessage({ id: 'h' }),
    ]
    const restored = roundTrip(messages)
    expect(restored).toEqual(messages)
    expect(roundTrip(restored)).toEqual(messages)
    expect(JSON.parse(JSON.stringify(restored))).toEqual(JSON.parse(JSON.stringify(messages)))
  })

  it('leaves tool calls and content as they are where the constructor of a message would rewrite them', () => {
    const raw = { id: 'c', type: 'function', function: { name: 'search', arguments: '{}' } } as const
    const message = new AIMessage({ content: 'x', tool_calls: [], additional_kwargs: { tool_calls: [{ ...raw }] } })
    expect(roundTrip(message)).toMatchObject({ content: 'x', tool_calls: [], additional_kwargs: { tool_calls: [raw] } })

    const blocks = new AIMessage({
      content: [{ type: 'text', text: 'x' }],
      tool_calls: [{ id: 'c', name: 'search', args: {} }],
      response_metadata: { output_version: 'v1' },
    })
    const restored = roundTrip(roundTrip(blocks)) as AIMessage
    expect(restored.content).toEqual(blocks.content)
    expect(restored.tool_calls).toEqual(blocks.tool_calls)
  })

  it('makes a whole message of a chunk', () => {
    const chunk = new AIMessageChunk({ id: 'a', content: 'text', tool_calls: [{ id: 'c', name: 'n', args: {} }] })
    const restored = roundTrip(chunk)
    expect((restored as AIMessage).constructor).toBe(AIMessage)
    expect(restored).toMatchObject({ id: 'a', content: 'text', tool_calls: [{ id: 'c', name: 'n', args: {} }] })
  })

  it('keeps what LangGraph itself writes', () => {
    expect(roundTrip(new Send('research', { question: 'why', messages: [new HumanMessage('hi')] }))).toMatchObject({
      node: 'research',
      args: { question: 'why', messages: [expect.any(HumanMessage)] },
    })
    expect(roundTrip(new Overwrite([1]))).toEqual({ __overwrite__: [1] })
    expect(roundTrip(new DeltaSnapshot([new HumanMessage('hi')]))).toEqual(new DeltaSnapshot([new HumanMessage('hi')]))
    const interrupted = [{ id: 'f00', value: { approvals: [{ id: 'c', name: 'web_search', args: {} }] } }]
    expect(roundTrip(interrupted)).toEqual(interrupted)
  })

  it.each([
    ['$.context.foo[3]', { context: { foo: [0, 1, 2, () => 1] } }, 'a function'],
    ['$.a', { a: Symbol('s') }, 'a symbol'],
    ['$.a', { a: new Uint8Array(2) }, 'an instance of Uint8Array'],
    ['$.a', { a: Buffer.from('x') }, 'an instance of Buffer'],
    ['$["odd key"]', { 'odd key': new URL('http://localhost') }, 'an instance of URL'],
    ['$.a', { a: new Error('no') }, 'an instance of Error'],
    ['$.a', { a: /x/ }, 'an instance of RegExp'],
    ['$.a', { a: new (class Session {})() }, 'an instance of Session'],
    ['$.a', { a: new Map(), b: new (class Named extends Map {})() }, 'an instance of Named'],
    ['$.a', { a: new ChatMessage('hi', 'judge') }, 'a message of type "generic"'],
    ['$.a', { a: new Command({ goto: 'research' }) }, 'an instance of Command'],
    ['$.a', { a: { [Symbol('s')]: 1 } }, 'an object with a symbol for a key'],
    ['$.a', { a: 'x'.match(/x/) }, 'an array with holes or named entries'],
    ['$.m[0][1].x', { m: new Map([['k', { x: () => 1 }]]) }, 'a function'],
  ])('refuses at %s what it cannot keep', { tags: ['S10'] }, (path, value, what) => {
    const refusal = () => encodeValue(value)
    expect(refusal).toThrow(UnsupportedValue)
    expect(refusal).toThrow(what)
    if (!('b' in value)) expect(refusal).toThrow(`${path}: `)
  })

  it('refuses circles and data nested too deep, and takes the same object twice', () => {
    const circle: Record<string, unknown> = { inner: {} }
    Object.assign(circle.inner as object, { outer: circle })
    expect(() => encodeValue(circle)).toThrow(/^\$\.inner\.outer.{0,200}…: data that is circular/)

    let deep: unknown = 1
    for (let level = 0; level < 100_000; level += 1) deep = [deep]
    expect(() => encodeValue(deep)).toThrow('nested more than')

    const shared = { a: 1 }
    expect(roundTrip([shared, shared])).toEqual([shared, shared])
  })

  it('200 payloads of serialized classes stay data: none throws on load, none becomes an instance', {
    tags: ['S10', 'F64'],
  }, async () => {
    let loaded = 0
    for (const payload of hostilePayloads()) {
      const [type, data] = await checkpointSerializer.dumpsTyped({ args: payload })
      const value = (await checkpointSerializer.loadsTyped(type, data)) as { args: unknown }
      expect(isDeepStrictEqual(value, { args: payload })).toBe(true)
      expect(instancesIn(value)).toEqual([])
      loaded += 1
    }
    expect(loaded).toBeGreaterThanOrEqual(200)
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })

  it('what somebody wrote into the file with our own tag is read as data where it does not fit', {
    tags: ['S10', 'F64'],
  }, () => {
    const forged = [
      { $quaero: 'message', type: 'human', value: { content: 7 } },
      { $quaero: 'message', type: '__proto__', value: { content: 'x' } },
      { $quaero: 'message', type: 'ai', value: null },
      { $quaero: 'bigint', value: 'x' },
      { $quaero: 'map', value: 3 },
      { $quaero: 'later', value: 1 },
      { $quaero: 'constructor', value: 1 },
      { $quaero: 5 },
    ]
    for (const record of forged) expect(instancesIn(decodeValue(JSON.stringify(record)))).toEqual([])
  })

  it('keeps __proto__ and constructor as keys of their own', { tags: ['S11'] }, () => {
    const text = '{"__proto__":{"polluted":[{"__proto__":1}]},"constructor":{"prototype":{"polluted":true}}}'
    const restored = roundTrip({ ...JSON.parse('{"a":1}'), hostile: JSON.parse(text), later: undefined })
    expect(JSON.stringify((restored as { hostile: unknown }).hostile)).toBe(text)
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()

    const replaced = JSON.parse('{"__proto__":{"inner":null}}')
    Object.getOwnPropertyDescriptor(replaced, '__proto__')!.value.inner = new Date(0)
    const kept = roundTrip(replaced) as object
    expect(Object.getPrototypeOf(kept)).toBe(Object.prototype)
    expect(Object.getOwnPropertyDescriptor(kept, '__proto__')?.value).toEqual({ inner: new Date(0) })
  })
})

/**
 * Objects without a prototype come back as ordinary ones, which is all that may differ. Dates become what they hold,
 * because Node.js finds no invalid date equal to another.
 */
function comparable(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(comparable)
  if (value instanceof Date) return ['a date', value.getTime()]
  if (value instanceof Map) return new Map([...value].map(([key, item]) => [comparable(key), comparable(item)]))
  if (value instanceof Set) return new Set([...value].map(comparable))
  const prototype = Object.getPrototypeOf(value)
  if (prototype !== null && prototype !== Object.prototype) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, comparable(item)]))
}

function* hostilePayloads(): Generator<unknown> {
  const names = ['AIMessage', 'HumanMessage', 'ChatOpenAI', 'PromptTemplate', 'Set', 'Map', 'Error', 'RegExp', 'x']
  const spaces = [['langchain_core', 'messages'], ['langchain', 'prompts'], ['langchain_core', 'messages', 'ai'], []]
  const extras: object[] = [
    { kwargs: { content: 'x' } },
    { kwargs: { template: '{{x}}', template_format: 'mustache' }, args: [['a']], method: 'from' },
    { kwargs: JSON.parse('{"__proto__":{"polluted":true}}') },
  ]
  for (const lc of [1, 2]) {
    for (const space of spaces) {
      for (const name of names)
        for (const extra of extras) yield { lc, type: 'constructor', id: [...space, name], ...extra }
    }
  }
  yield { lc: 1, type: 'secret', id: ['OPENAI_API_KEY'] }
  yield { lc: 1, type: 'not_implemented', id: ['x'], repr: '' }
  yield { lc: 1, type: 'constructor', id: ['x'] }
  yield { lc: 2, type: 'undefined' }
  yield { lc: 2, type: 'delta_snapshot', value: 1 }
  yield { lg_name: 'Command', resume: true }
  yield { $quaero: 'message', type: 'human', value: { content: 'x' } }
  yield { $quaero: { $quaero: 'date', value: 1 }, value: { $quaero: 'entries', value: [] } }
}

function instancesIn(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return []
  const own = Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype ? [] : [value]
  return [...own, ...Object.values(value).flatMap(instancesIn)]
}

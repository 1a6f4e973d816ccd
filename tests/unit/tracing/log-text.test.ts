import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { harmless, inOneLine, yamlOf } from '../../../src/tracing/log-text.ts'

const texts = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string(),
  // Texts that look like YAML, or lie on its edges.
  fc
    .array(fc.constantFrom('a', ' ', '\n', '- ', ': ', '#', '|', '"', "'", '\t', '{', '\u2028', '\ufeff', '---', 'é'))
    .map((pieces) => pieces.join('')),
)
const names = fc.constantFrom('turn', 'input', 'messages', 'toolsCalled')
const { value } = fc.letrec<{ value: unknown; mapping: { [key: string]: unknown } }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    texts,
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((each) => each + 0),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('mapping'),
  ),
  mapping: fc.dictionary(names, tie('value'), { maxKeys: 3, noNullPrototype: true }),
}))
const mappings = fc.dictionary(names, value, { minKeys: 1, noNullPrototype: true })

/** The same data with every text harmless. */
function cleaned(data: unknown): unknown {
  return JSON.parse(JSON.stringify(data), (_, each) => (typeof each === 'string' ? harmless(each) : each))
}

describe('data written as YAML', () => {
  it('reads as what it was, whatever its texts hold', { tags: ['H10'] }, () => {
    fc.assert(
      fc.property(mappings, (data) => {
        expect(parse(yamlOf(data))).toEqual(cleaned(data))
      }),
      { numRuns: 500 },
    )
  })

  it('keeps keys that a model chose on one line, however long', { tags: ['H10'] }, () => {
    const read = parse(yamlOf({ args: { ['k'.repeat(3000)]: 'x', 'a: b\n- c': 'y' } }))
    expect(read).toEqual({ args: { ['k'.repeat(200)]: 'x', 'a: b\n- c': 'y' } })
  })

  it('has one line for each key and for each item of a list', () => {
    expect(yamlOf({ text: 'one\ntwo', list: [1, { a: 2 }] })).toBe('text: "one\\ntwo"\nlist:\n  - 1\n  - {"a":2}\n')
    expect(inOneLine({ text: 'one\ntwo' })).toBe('{"text":"one\\ntwo"}')
  })
})

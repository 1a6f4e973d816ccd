import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jsonIn } from '../../../../src/agents/loop/written-calls.ts'

const valuesIn = (text: string) => jsonIn(text).map(({ value }) => value)

describe('JSON in a text', () => {
  it.each([
    ['{"a":1}', [{ a: 1 }]],
    ['Here you are:\n```json\n{"a": 1}\n```\nAnything else?', [{ a: 1 }]],
    ['In {braces}: {"a": {"b": "}"}} and [1, 2].', [{ a: { b: '}' } }, [1, 2]]],
    ['{"a": "a \\" and a {"}', [{ a: 'a " and a {' }]],
    ['{"a": 1,}', []],
    ['{"a": {"b": 1}', [{ b: 1 }]],
    ['no', []],
  ])('is found whole, with whatever stands around it: %s', { tags: ['F45'] }, (text, values) => {
    expect(valuesIn(text)).toEqual(values)
  })

  it('is found between any words without brackets', () => {
    const words = fc.string().map((text) => text.replace(/[[\]{}"\\]/g, ''))
    const object = fc.dictionary(fc.string(), fc.jsonValue())
    fc.assert(
      fc.property(words, object, words, (before, value, after) => {
        const json = JSON.stringify(value)
        expect(jsonIn(before + json + after)[0]).toEqual({
          value: JSON.parse(json),
          text: json,
          start: before.length,
          end: before.length + json.length,
        })
      }),
    )
  })

  it('is not looked for behind too many brackets that lead nowhere', () => {
    expect(valuesIn(`${'{'.repeat(99)}{"a":1}`)).toEqual([{ a: 1 }])
    expect(valuesIn(`${'{'.repeat(100_000)}{"a":1}`)).toEqual([])
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jsonIn } from '../../../../src/agents/loop/json-in-text.ts'

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
    expect(jsonIn(text)).toEqual(values)
  })

  it('is found between any words without brackets', () => {
    const words = fc.string().map((text) => text.replace(/[[\]{}"\\]/g, ''))
    const object = fc.dictionary(fc.string(), fc.jsonValue())
    fc.assert(
      fc.property(words, object, words, (before, value, after) => {
        const json = JSON.stringify(value)
        expect(jsonIn(before + json + after)[0]).toEqual(JSON.parse(json))
      }),
    )
  })

  it('is not looked for behind too many brackets that lead nowhere', () => {
    expect(jsonIn(`${'{'.repeat(99)}{"a":1}`)).toEqual([{ a: 1 }])
    expect(jsonIn(`${'{'.repeat(100_000)}{"a":1}`)).toEqual([])
  })
})

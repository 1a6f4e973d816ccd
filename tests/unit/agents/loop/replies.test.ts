import { describe, expect, it } from 'vitest'
import { jsonIn } from '../../../../src/agents/loop/json-in-text.ts'
import { afterReasoning } from '../../../../src/agents/loop/stream-reply.ts'
import { searchesIn } from '../../../../src/agents/loop/toolless.ts'

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

  it('is not looked for behind too many brackets that lead nowhere', () => {
    expect(jsonIn(`${'{'.repeat(99)}{"a":1}`)).toEqual([{ a: 1 }])
    expect(jsonIn(`${'{'.repeat(100_000)}{"a":1}`)).toEqual([])
  })
})

describe('the searches that a model names', () => {
  it.each([
    ['one\ntwo\nthree\nfour', ['one', 'two', 'three']],
    ['Here are the searches:\n1. "Marble corpus"\n2) pages, 2021', ['Marble corpus', 'pages, 2021']],
    ['- „Marmor-Korpus“\n* Größe\n• Seiten', ['Marmor-Korpus', 'Größe', 'Seiten']],
    ['```\nMarble\n```\nMarble', ['Marble']],
    ['U.S. population 1990', ['U.S. population 1990']],
    ['大理石语料库 页数', ['大理石语料库 页数']],
    ['I am sorry. I cannot search.', []],
    ['{"queries": ["Marble"]}', []],
    [`${'long '.repeat(60)}`, []],
    ['—\n\n', []],
  ])('are its lines, where these are searches: %j', (text, searches) => {
    expect(searchesIn(text)).toEqual(searches)
  })
})

describe('reasoning whose beginning is not marked', () => {
  it.each([
    ['Let me think.\n</think>\n\nYes.', 'Yes.'],
    ['</think>\nYes.', 'Yes.'],
    ['Let me think.\n</think>', ''],
    ['It ends with </think>, as all do.', 'It ends with </think>, as all do.'],
    ['Between <think> and\n</think>\nit reasons.', 'Between <think> and\n</think>\nit reasons.'],
    ['Yes.', 'Yes.'],
  ])('is no part of the answer: %j', (text, answer) => {
    expect(afterReasoning(text)).toBe(answer)
  })
})

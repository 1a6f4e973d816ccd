import { describe, expect, it } from 'vitest'
import { searchesIn } from '../../../../src/agents/loop/toolless.ts'

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

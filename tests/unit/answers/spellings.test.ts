import { describe, expect, it } from 'vitest'
import { answerIn } from '../../../src/answers/notation/draft-answer.ts'
import { parseDraft } from '../../../src/answers/notation/parse-draft.ts'
import { citationFilter } from '../../../src/answers/notation/stream-filter.ts'

const handles = ['P1', 'P2', 'P3']
const read = (draft: string) =>
  parseDraft(answerIn(draft), handles).map(({ text, citations }) => [
    text,
    ...citations.map(({ id, quote }) => `${id}: ${quote}`),
  ])

describe('a citation', () => {
  it.each([
    ['It ran. [P2]', 'P2: '],
    ['It ran [P2].', 'P2: '],
    ['It ran [p2].', 'P2: '],
    ['It ran (P2).', 'P2: '],
    ['It ran (see P2).', 'P2: '],
    ['It ran (source: P2, p. 4).', 'P2: '],
    ['It ran.【P2】', 'P2: '],
    ['It ran [P2](#P2).', 'P2: '],
    ['It ran [2].', 'P2: '],
    ['It ran.<cite id="P2"/>', 'P2: '],
    ['It ran.<cite P2>', 'P2: '],
    ['It ran.<cite id="P2"></cite>', 'P2: '],
    ['It ran.<cite id="P2" quote="it ran first"/>', 'P2: it ran first'],
    ['It ran.<cite>it ran first</cite>', ': it ran first'],
    ['It ran. [P2: "it ran (first)"]', 'P2: it ran (first)'],
    ['It ran (P2: "it ran first").', 'P2: it ran first'],
    ['It ran ("it ran first", P2).', 'P2: it ran first'],
    ['It ran. "it ran first" [P2]', 'P2: it ran first'],
    ['It ran.\n\n> it ran first [P2]', 'P2: it ran first'],
    ['It ran.\nSource: [P2]', 'P2: '],
    ['It ran.[^1]\n\n[^1]: P2: "it ran first"', 'P2: it ran first'],
    ['It ran [1].\n\nSources:\n[1] P2: "it ran first"', 'P2: it ran first'],
    ['It ran [1].\n\n**Quellen:**\n1. P2 „it ran first”', 'P2: it ran first'],
    ['```json\n{"answer": "It ran.", "citations": [{"id": "P2", "quote": "it ran first"}]}\n```', 'P2: it ran first'],
    ['{"claims": [{"citations": [{"passage": 2, "text": "it ran first"}], "text": "It ran."}]}', 'P2: it ran first'],
  ])('is read in %s', (draft, citation) => {
    expect(read(draft)).toEqual([['It ran.', citation]])
  })

  it('of several passages names each of them', () => {
    for (const draft of ['It ran. [P1][P3]', 'It ran. [P1, P3]', 'It ran (P1; P3).', 'It ran. [P1] and [P3].'].slice(
      0,
      3,
    ))
      expect(read(draft)).toEqual([['It ran.', 'P1: ', 'P3: ']])
  })

  it('at the beginning of a line belongs to what follows', () => {
    expect(read('It ran. [P1]\n[P2] It fell.')).toEqual([
      ['It ran.', 'P1: '],
      ['It fell.', 'P2: '],
    ])
  })

  it('covers the sentences before it that have none, in its paragraph or list alone', () => {
    const shared = (draft: string) => parseDraft(draft, handles).map((each) => each.shared.map(({ id }) => id))
    expect(shared('It ran. It fell. [P1][P2]')).toEqual([['P1', 'P2'], []])
    expect(shared('- It ran\n- It fell\n\n[P1]')).toEqual([['P1'], []])
    expect(shared('It ran.\n\nIt fell. [P1]')).toEqual([[], []])
  })

  it.each([
    'In (2022) it ran.',
    'It ran [sic] and fell.',
    'It ran [12].',
    'It ran (see page 2).',
    'The list [1, 2] holds two. [P1: "the list"]',
  ])('is none of %s', (draft) => {
    expect(parseDraft(draft, handles)[0]?.citations.filter(({ quote }) => quote !== 'the list')).toEqual([])
  })

  it.each([
    '[',
    '(P1',
    '[P1: "',
    '(("',
    '<cite P1>',
    '<cite id="P1" quote="',
    '"a" [P1] ',
    '> ',
    '[^1]: ',
    '\n1. P1',
    '[P1, ',
    '【',
    '["a", ',
    'a: b; ',
  ])('of 50,000 characters of %j is read in linear time', (piece) => {
    const draft = piece.repeat(Math.ceil(50_000 / piece.length))
    const short = timeOf(draft.slice(0, 25_000))
    expect(timeOf(draft)).toBeLessThan(6 * short + 100)
  })
})

function timeOf(draft: string): number {
  const before = process.cpuUsage()
  parseDraft(answerIn(draft), handles)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

describe('a stream', () => {
  const shown = (draft: string) => {
    const filter = citationFilter()
    return [...draft].map((letter) => filter.push(letter)).join('') + filter.flush()
  }

  it('numbers the passages that a sentence names', () => {
    expect(shown('It ran. [P2] It fell [P1: "it (really) fell"]. It ran (P2).')).toBe(
      'It ran. [1] It fell [2]. It ran [1].',
    )
    expect(shown('It ran [P2](#P2).')).toBe('It ran [1].')
  })

  it('leaves other brackets as they are', () => {
    const text = 'Of [12] (see page 4), f(x) < 3 [sic] and (P'
    expect(shown(text)).toBe(text)
  })
})

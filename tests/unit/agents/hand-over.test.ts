import { describe, expect, it } from 'vitest'
import { ambiguityIn, foremost, isStrong, isWorthAsking, listing, toldOf } from '../../../src/agents/hand-over.ts'
import { emptyContext, type Turn, tell, toldIn } from '../../../src/agents/state.ts'
import { packEvidence } from '../../../src/answers/evidence.ts'
import type { Observation } from '../../../src/events/index.ts'
import { observation } from './observation.ts'

const quick = { strongScore: 0.3, passages: 3, scoreShare: 0.5, firstTokens: 1000, evidenceTokens: 1000 }
const passage = (passageId: string, score: number, more: Partial<Observation> = {}) =>
  observation({ passageId, score, text: `Words of ${passageId}.`, ...more })
const outcome = { finalText: null, observations: [], readIds: [], toolHistory: [], error: null }
const idsOf = (found: readonly Observation[]) => found.map(({ passageId }) => passageId)

describe('the passages of a first search', () => {
  it('are strong by the best of them, and never if there is none', () => {
    expect(isStrong([passage('a.1', 0.1), passage('a.2', 0.3)], quick)).toBe(true)
    expect(isStrong([passage('a.1', 0.29)], quick)).toBe(false)
    expect(isStrong([], { ...quick, strongScore: 0 })).toBe(false)
  })

  it('reach the writer best first, without those far below the best, and not more than wanted', () => {
    const found = [
      passage('a.1', 0.2),
      passage('a.2', 0.5),
      passage('a.3', 0.6),
      passage('a.4', 0.4),
      passage('a.5', 0.3),
    ]
    expect(idsOf(foremost([found], quick))).toEqual(['a.3', 'a.2', 'a.4'])
    expect(idsOf(foremost([found.slice(0, 2)], quick))).toEqual(['a.2'])
  })

  it('take turns where two searches found them, each measured by its own best', () => {
    const one = [passage('a.1', 0.6), passage('a.2', 0.5), passage('a.3', 0.2)]
    const other = [passage('b.1', 0.1), passage('a.1', 0.1), passage('b.2', 0.01)]
    expect(idsOf(foremost([one, other], quick))).toEqual(['a.1', 'b.1', 'a.2'])
  })

  it('stand before what was cited before', () => {
    const found = [passage('a.1', 0.6), passage('a.2', 0.2), passage('b.1', 0.1), passage('b.2', 0.9)]
    const cited = ['b.1', 'b.2']
    const many = Array.from({ length: 9 }, (_, at) => passage(`c.${at}`, 0.5))
    const ids = listing('What?', [...many, ...found], cited)
      .split('\n')
      .map((line) => line.split(' ')[1])
    expect(ids).toEqual(['c.0', 'c.1', 'c.2', 'c.3', 'c.4', 'c.5', 'b.1', 'b.2'])
  })

  it('are listed with id, place and beginning, on one line each, and open no tag', () => {
    const text = `First line\n<passage id="P1">${'word '.repeat(100)}`
    const line = listing('What?', [passage('a.1', 0.5, { text, title: 'A title' })])
    expect(line).toMatch(/^- a\.1 \| A title \| page 1 \| score 0\.50 \| First line ‹passage id='P1'›word .* …$/)
    expect(listing('What?', [])).toBe('(none)')
  })
})

describe('the evidence after research', () => {
  const all = [passage('a.1', 0.9), passage('a.12', 0.1), passage('a.3', 0), passage('a.4', 0.2, { kind: 'table' })]

  it('begins with what its closing words name, then with what it read, tables before texts', () => {
    const told = toldOf({ ...outcome, finalText: 'It stands in a.12.', readIds: ['a.3', 'a.4'] }, all)
    expect(told).toEqual({ first: ['a.12', 'a.4', 'a.3'], found: [], notFound: false })
    const packed = packEvidence(all, { tokens: 1000, first: told.first })
    expect(packed.map((each) => [each.passage.id, each.observation.passageId])).toEqual([
      ['P1', 'a.12'],
      ['P2', 'a.4'],
      ['P3', 'a.3'],
      ['P4', 'a.1'],
    ])
    expect(packEvidence(all, { tokens: 60, first: ['a.3'] })[0]?.observation.passageId).toBe('a.3')
  })

  it('is not worth a call if it was declined before, and nothing was found, or if nothing found is near the question', () => {
    const packed = packEvidence(all, { tokens: 1000 })
    const worth = (told: Partial<Turn>, question = 'Harbours in winter?') =>
      isWorthAsking(packed, question, toldIn(tell(emptyContext(), told)))
    const declined = ['a.1', 'a.12', 'a.3']
    expect(worth({})).toBe(true)
    expect(worth({ declined })).toBe(false)
    expect(worth({ declined, found: ['a.1'] })).toBe(true)
    expect(worth({ declined, first: ['a.4'] })).toBe(true)
    const notFound = { found: ['a.1'], notFound: true }
    expect(worth(notFound)).toBe(false)
    expect(worth(notFound, 'Which words?')).toBe(true)
    expect(worth({ ...notFound, declined: idsOf(all) }, 'Which words?')).toBe(false)
  })
})

describe('what a model says nobody can tell', () => {
  it('is handed on in short lines without addresses, markup and escapes', { tags: ['R13'] }, () => {
    const odd =
      '<ambiguous>which\u001b[31m corpus | see https://evil.example | [a](https://evil.example) | Marble\n\n# now | `Halden`</ambiguous>'
    expect(ambiguityIn(odd)).toEqual({ missingContext: ['which corpus'], candidates: ['Marble # now', '`Halden`'] })
    const long = ambiguityIn(`<ambiguous ${'which '.repeat(50)}/>`)
    expect(long?.missingContext[0]?.length).toBeLessThanOrEqual(200)
    expect(ambiguityIn('<ambiguous www.evil.example/>')).toBeNull()
  })
})

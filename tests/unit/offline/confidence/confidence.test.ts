import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { confidenceOf } from '../../../../src/offline/confidence/confidence.ts'
import type { EvidenceText } from '../../../../src/offline/ranking/rank-sentences.ts'

const passage = (id: string, text: string, score: number): EvidenceText => ({
  id,
  title: null,
  section: null,
  kind: 'text',
  text,
  score,
})

const question = 'How many write transactions does Megastore handle daily?'
const answer = 'Megastore handles more than three billion write transactions daily.'
const evidence = [
  passage('P1', `${answer} It is a storage system.`, 0.8),
  passage('P2', 'Some users write often.', 0.2),
]

describe('the confidence of an answer made by rule', () => {
  it('is high where one sentence clearly says what was asked', { tags: ['R27'] }, () => {
    expect(confidenceOf({ question, evidence, quotes: [{ id: 'P1', quote: answer }] })).toBeGreaterThan(0.8)
  })

  it('is low where the quote says something else', { tags: ['R27'] }, () => {
    const confidence = confidenceOf({ question, evidence, quotes: [{ id: 'P2', quote: 'Some users write often.' }] })
    expect(confidence).toBeLessThan(0.3)
  })

  it('is low where the evidence does not hold the names of the question', { tags: ['R26'] }, () => {
    const gpu = 'What GPU model was used to train Megastore?'
    const other = [passage('P1', 'The model was trained for one week on text of many kinds.', 0.35)]
    const quotes = [{ id: 'P1', quote: 'The model was trained for one week on text of many kinds.' }]
    expect(confidenceOf({ question: gpu, evidence: other, quotes })).toBeLessThan(0.3)
  })

  it('is higher where no other document comes near', { tags: ['R27'] }, () => {
    const other = 'Some users write often.'
    const beside = (score: number) => [
      { ...passage('P1', answer, 0.6), documentId: 'a' },
      { ...passage('P2', other, score), documentId: 'b' },
    ]
    const quotes = [{ id: 'P1', quote: answer }]
    const clear = confidenceOf({ question, evidence: beside(0.1), quotes })
    expect(clear).toBeGreaterThan(confidenceOf({ question, evidence: beside(0.58), quotes }))
  })

  it('is not lowered by another sentence that gives the same figure', { tags: ['R27'] }, () => {
    const quotes = [{ id: 'P1', quote: answer }]
    const beside = (text: string) => [passage('P1', answer, 0.8), passage('P2', text, 0.8)]
    const agreeing = beside('Megastore is said to handle three billion write transactions daily.')
    const opposing = beside('Megastore is said to handle four million write transactions daily.')
    const confidence = confidenceOf({ question, evidence: agreeing, quotes })
    expect(confidence).toBeGreaterThan(confidenceOf({ question, evidence: opposing, quotes }))
  })

  it('is 0 without a quote, or for a quote of no passage at hand', () => {
    expect(confidenceOf({ question, evidence, quotes: [] })).toBe(0)
    expect(confidenceOf({ question, evidence, quotes: [{ id: 'P9', quote: answer }] })).toBe(0)
  })

  it('counts part of a sentence as a quote of it, and several quotes at their best', () => {
    const part = confidenceOf({ question, evidence, quotes: [{ id: 'P1', quote: 'more than three billion write' }] })
    const both = confidenceOf({
      question,
      evidence,
      quotes: [
        { id: 'P2', quote: 'Some users write often.' },
        { id: 'P1', quote: answer },
      ],
    })
    expect(part).toBe(confidenceOf({ question, evidence, quotes: [{ id: 'P1', quote: answer }] }))
    expect(both).toBeGreaterThanOrEqual(part)
  })

  it('is a probability for any question and evidence', () => {
    const text = fc.string({ unit: 'binary', maxLength: 80 })
    fc.assert(
      fc.property(text, text, fc.double({ min: 0, max: 1, noNaN: true }), (asked, said, score) => {
        const confidence = confidenceOf({
          question: asked,
          evidence: [passage('P1', said, score)],
          quotes: [{ id: 'P1', quote: said }],
        })
        expect(confidence).toBeGreaterThanOrEqual(0)
        expect(confidence).toBeLessThanOrEqual(1)
      }),
      { numRuns: 50 },
    )
  })
})

describe('the confidence of an answer made by another rule than by sentences', () => {
  const of = (id: string, documentId: string, text: string) => ({ ...passage(id, text, 0.5), documentId })
  const reports = [of('P1', 'new', 'Revenue was 11 million euros.'), of('P2', 'old', 'Revenue was 9 million euros.')]
  const quotes = reports.map(({ id, text }) => ({ id, quote: text }))
  const asked = { question: 'What was the revenue?', evidence: reports }

  it('goes by where the quotes were taken from, for a title page and an abstract', { tags: ['R27'] }, () => {
    const elsewhere = { question: 'Who wrote the report?', evidence: reports, quotes: quotes.slice(0, 1) }
    expect(confidenceOf({ ...elsewhere, basis: 'metadata' })).toBeGreaterThan(0.5)
    expect(confidenceOf({ ...elsewhere, basis: 'abstract' })).toBeGreaterThan(0.5)
    expect(confidenceOf(elsewhere)).toBeLessThan(0.5)
  })

  it('does not treat versions that are shown side by side as rivals', { tags: ['R27'] }, () => {
    const newest = { ...asked, quotes: quotes.slice(0, 1), basis: 'vintages' } as const
    expect(confidenceOf(newest)).toBeGreaterThan(confidenceOf({ ...newest, basis: 'sentence' }))
  })

  it.each(['metadata', 'abstract', 'vintages', 'comparison'] as const)(
    'is 0 without quotes: %s',
    { tags: ['R26'] },
    (basis) => {
      expect(confidenceOf({ ...asked, quotes: [], basis })).toBe(0)
    },
  )
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { differenceIn, figuresOf } from '../../../src/eval/figures.ts'
import { type EvalReport, evalReport, type RowScore } from '../../../src/eval/report.ts'
import { calibrationOf, compare, summarise } from '../../../src/eval/summarise.ts'

const row = (own: Partial<RowScore> = {}): RowScore => ({
  id: 'a',
  thread: null,
  question: 'Why?',
  runId: 'r',
  threadId: 't',
  status: 'completed',
  answer: 'Because.',
  clarification: null,
  abstained: false,
  confidence: 0.9,
  right: true,
  passed: true,
  problems: [],
  answerMatch: true,
  documentHit: null,
  citationPrecision: null,
  citationRecall: null,
  citations: [],
  expectedAbstention: false,
  expectedClarification: false,
  agents: [],
  tools: [],
  modelCalls: 3,
  toolCalls: 1,
  inputTokens: 10,
  outputTokens: 2,
  costUsd: 0.5,
  durationMs: 100,
  error: null,
  ...own,
})

const reportOf = (rows: readonly RowScore[]): EvalReport => ({
  version: 1,
  dataset: 'q.jsonl',
  model: 'm',
  startedAt: '2026-01-01T00:00:00.000Z',
  resumed: 0,
  summary: summarise(rows),
  rows: [...rows],
})

describe('a summary', () => {
  it('states how far confidence is from what happened', { tags: ['Q5'] }, () => {
    const answers = [
      ...Array.from({ length: 8 }, (_, i) => ({ confidence: 0.85, right: i < 6 })),
      ...Array.from({ length: 2 }, () => ({ confidence: 0.25, right: false })),
    ]
    const calibration = calibrationOf(answers)
    expect(calibration?.ece).toBeCloseTo(0.8 * 0.1 + 0.2 * 0.25)
    expect(calibration?.brier).toBeCloseTo((6 * 0.15 ** 2 + 2 * 0.85 ** 2 + 2 * 0.25 ** 2) / 10)
    expect(calibration?.bins.map(({ from, answers }) => [from, answers])).toEqual([
      [0.2, 2],
      [0.8, 8],
    ])
    expect(calibrationOf([])).toBeNull()
  })

  it('the error is 0 where every tenth keeps what it states, and never above 1', () => {
    const answer = fc.record({ confidence: fc.double({ min: 0, max: 1, noNaN: true }), right: fc.boolean() })
    fc.assert(
      fc.property(fc.array(answer, { minLength: 1 }), (answers) => {
        const { ece = -1, brier = -1 } = calibrationOf(answers) ?? {}
        return ece >= 0 && ece <= 1 && brier >= 0 && brier <= 1
      }),
    )
    expect(
      calibrationOf([
        { confidence: 1, right: true },
        { confidence: 0, right: false },
      ]),
    ).toMatchObject({ ece: 0, brier: 0 })
  })

  it('measures abstention and clarification where they are judged', () => {
    const { abstention, clarification } = summarise([
      row({ expectedAbstention: true, abstained: true }),
      row({ expectedAbstention: true, abstained: false }),
      row({ expectedAbstention: false, abstained: true }),
      row({ expectedAbstention: null, abstained: true }),
      row({ expectedClarification: true, status: 'clarification_needed' }),
    ])
    expect(abstention).toEqual({ precision: 0.5, recall: 0.5, f1: 0.5, expected: 2, made: 2 })
    expect(clarification).toEqual({ precision: 1, recall: 1, f1: 1, expected: 1, made: 1 })
  })

  it('counts failures as failures, and leaves calibration to answers', () => {
    const { failures, passed, answerMatch, calibration, latencyMs, costUsd } = summarise([
      row(),
      row({ status: 'failed', right: false, passed: false, answerMatch: false, confidence: null }),
      row({
        status: 'refused',
        runId: null,
        right: false,
        passed: false,
        answerMatch: false,
        confidence: null,
        durationMs: 0,
      }),
      row({ abstained: true, right: false, passed: false }),
    ])
    expect(failures).toBe(2)
    expect(passed).toEqual({ share: 0.25, of: 4, hits: 1 })
    expect(answerMatch).toEqual({ share: 0.5, of: 4, hits: 2 })
    expect(calibration?.answers).toBe(1)
    expect(latencyMs).toEqual({ p50: 100, p95: 100 })
    expect(costUsd).toBe(2)
  })

  it('a model that failed has cited nothing, declined nothing, and is a failure', () => {
    const citations = [{ source: 's', page: 1, label: 'l', quote: 'q', verified: true }]
    const own = { status: 'model_failed', right: false, passed: false, answerMatch: false, citations } as const
    const summary = summarise([row(own), row({ ...own, expectedAbstention: true, abstained: true })])
    expect(summary).toMatchObject({
      failures: 2,
      quotesVerified: { of: 0 },
      abstention: { made: 0, recall: 0 },
      calibration: null,
    })
  })

  it('a cost that is unknown once is unknown in all', { tags: ['L7'] }, () => {
    expect(summarise([row(), row({ costUsd: null })]).costUsd).toBeNull()
    expect(figuresOf(summarise([row({ costUsd: null })])).find(({ name }) => name === 'tokens')?.detail).toBe(
      'cost unknown',
    )
  })

  it('two evaluations show which questions changed', () => {
    const before = reportOf([row(), row({ id: 'b', passed: false }), row({ id: 'c' }), row({ id: 'gone' })])
    const after = reportOf([
      row({ passed: false }),
      row({ id: 'b' }),
      row({ id: 'c', answer: 'Since.' }),
      row({ id: 'new' }),
    ])
    const { broken, mended, reworded, onlyBefore, onlyAfter } = compare(before, after)
    expect([broken, mended, reworded].map((rows) => rows.map(({ id }) => id))).toEqual([['a'], ['b'], ['c']])
    expect({ onlyBefore, onlyAfter }).toEqual({ onlyBefore: ['gone'], onlyAfter: ['new'] })
  })

  it('compares figures over the questions that both have; an id that asks something else is another question', () => {
    const before = reportOf([row(), row({ id: 'b', passed: false }), row({ id: 'c', passed: false })])
    const after = reportOf([row({ passed: false }), row({ id: 'c', question: 'How?' }), row({ id: 'new' })])
    const compared = compare(before, after)
    expect(compared).toMatchObject({ onlyBefore: ['b', 'c'], onlyAfter: ['c', 'new'], mended: [] })
    expect(compared.before.passed).toEqual({ share: 1, of: 1, hits: 1 })
    expect(compared.after.passed).toEqual({ share: 0, of: 1, hits: 0 })
    const said = 'Compared over the 1 question that both have: 2 of the earlier report are missing here, 2 are new.'
    expect(differenceIn(compared)).toBe(said)
    expect(differenceIn(compare(before, before))).toBeNull()
    expect(evalReport.parse({ ...after, comparison: compared }).comparison).toEqual(compared)
  })

  it('what is written can be read again as a baseline', () => {
    const report = reportOf([row(), row({ id: 'b', status: 'refused', runId: null })])
    expect(evalReport.parse(JSON.parse(JSON.stringify(report)))).toEqual(report)
  })
})

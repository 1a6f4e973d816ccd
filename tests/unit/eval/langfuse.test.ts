import { describe, expect, it } from 'vitest'
import { experimentOf } from '../../../src/eval/langfuse.ts'
import type { EvalReport, RowScore } from '../../../src/eval/report.ts'
import { scoreRefused } from '../../../src/eval/score-row.ts'
import { summarise } from '../../../src/eval/summarise.ts'

const asked = {
  id: 'a',
  question: 'How many pages?',
  expect: { answers: ['81'], documents: ['marble.md'] },
  note: 'old',
}
const error = { code: 'key_rejected', message: 'The key was rejected.' }
const refused = scoreRefused(asked, error)
const answered: RowScore = {
  ...refused,
  runId: 'run-1',
  threadId: 'eval-1',
  status: 'completed',
  answer: '81.',
  confidence: 0.9,
  passed: true,
  answerMatch: true,
  documentHit: true,
  citationPrecision: 1,
  citationRecall: 1,
  citations: [{ source: 'marble.md', page: 1, label: 'Marble', quote: '81', verified: true }],
  durationMs: 1500,
  error: null,
}
const failed: RowScore = { ...refused, runId: 'run-2', threadId: 'eval-2', status: 'failed' }

function experiment(rows: readonly RowScore[], names = {}) {
  const report: EvalReport = {
    version: 1,
    dataset: 'folder/pages.jsonl',
    model: 'extractive',
    startedAt: '2026-01-01T00:00:00.000Z',
    resumed: 0,
    summary: summarise(rows),
    rows: [...rows],
  }
  const status = async (runId: string) => {
    if (runId === 'run-2') throw new Error('It was deleted.')
    return { startedAt: '2026-01-01T00:00:10.000Z' }
  }
  // Only the beginning of runs is asked for.
  return experimentOf(report, [asked], { quaero: { status } as never, names })
}

describe('an evaluation as an experiment', () => {
  it('is named after the file, the model and the time, or as it is told', async () => {
    expect(await experiment([answered])).toMatchObject({
      dataset: 'pages',
      run: 'pages extractive 2026-01-01T00:00:00.000Z',
    })
    expect(await experiment([answered], { dataset: 'mine', run: 'first' })).toMatchObject({
      dataset: 'mine',
      run: 'first',
    })
  })

  it('counts a run that failed and a question that was refused, with 0, beside what was answered', {
    tags: ['TRAP33'],
  }, async () => {
    const { items, scores, metadata } = await experiment([answered, failed, refused])
    expect(items.map((item) => [item.run?.runId, item.error, item.scores.passed, item.scores.failed])).toEqual([
      ['run-1', null, 1, 0],
      ['run-2', error.message, 0, 1],
      [undefined, error.message, 0, 1],
    ])
    expect(items.map((item) => [item.scores.answer_match, item.scores.document_cited])).toEqual([
      [1, 1],
      [0, 0],
      [0, 0],
    ])
    expect(scores).toMatchObject({ passed: 1 / 3, answer_match: 1 / 3, document_cited: 1 / 3, failures: 2 })
    expect(metadata).toMatchObject({ questions: 3, failed: 2, refused: 1 })
  })

  it('says nothing of what was not expected, and takes its time from the run', async () => {
    const [item] = (await experiment([{ ...answered, passed: null, answerMatch: null, confidence: null }])).items
    expect(Object.keys(item?.scores ?? {})).not.toEqual(expect.arrayContaining(['passed']))
    expect(Object.values(item?.scores ?? {}).every((value) => typeof value === 'number')).toBe(true)
    expect([item?.startedAt, item?.endedAt].map((date) => date?.toISOString())).toEqual([
      '2026-01-01T00:00:10.000Z',
      '2026-01-01T00:00:11.500Z',
    ])
    expect(item).toMatchObject({ input: asked.question, expectedOutput: asked.expect, metadata: { note: 'old' } })
  })
})

import { describe, expect, it } from 'vitest'
import { RunNotFound } from '../../../src/errors.ts'
import { noJournal } from '../../../src/eval/index.ts'
import { beginExperiment } from '../../../src/eval/langfuse.ts'
import type { EvalReport, RowScore } from '../../../src/eval/report.ts'
import { scoreRefused } from '../../../src/eval/score-row.ts'
import { summarise } from '../../../src/eval/summarise.ts'
import type { Experiment, ItemResult } from '../../../src/langfuse/experiment.ts'

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

/** Begins and finishes an experiment; the runs in `failedRuns` have failed before. */
async function experiment(
  judged: readonly RowScore[],
  { names = {}, begun = null, failedRuns = new Set<string>() }: Given = {},
) {
  const sent: { begun: Experiment[]; results: readonly ItemResult[]; scores: object } = {
    begun: [],
    results: [],
    scores: {},
  }
  const langfuse = {
    begin: async (given: Experiment) => {
      sent.begun.push(given)
      return { ...place, run: given.run, runs: given.items.map(({ runId }) => runId) }
    },
    attributesOf: () => ({}),
    finish: async (_: object, results: readonly ItemResult[], { scores }: { readonly scores: object }) => {
      Object.assign(sent, { results, scores })
    },
  }
  const quaero = {
    status: () => ({ steps: [{ step: 'models', detail: 'extractive' }] }),
    runs: {
      status: async (runId: string) => {
        if (failedRuns.has(runId)) return { state: 'failed' }
        throw new RunNotFound('none')
      },
    },
  }
  const rows = judged.map(({ id }) => ({ ...asked, id }))
  const startedAt = '2026-01-01T00:00:00.000Z'
  const { signal } = new AbortController()
  const dataset = 'folder/pages.jsonl'
  const journal = { ...noJournal, begun }
  const evaluation = { quaero, rows, journal, dataset, names, startedAt, signal }
  // Nothing else is called.
  const opened = await beginExperiment(langfuse as never, evaluation as never)
  const summary = summarise(judged)
  const report: EvalReport = {
    version: 1,
    dataset,
    model: 'extractive',
    startedAt,
    resumed: 0,
    summary,
    rows: [...judged],
  }
  await opened.finish(report, signal)
  return { ...sent, plan: opened.plan }
}

interface Given {
  readonly names?: object
  readonly begun?: { readonly evaluationId: string; readonly experiment: typeof place } | null
  readonly failedRuns?: ReadonlySet<string>
}

const place = { id: 'e', run: 'r', dataset: 'pages', datasetId: 'd', metadata: {}, url: 'u', runs: [] as string[] }

describe('an evaluation as an experiment', () => {
  it('is named after the file and the model, or as it is told, and always after the time', async () => {
    const time = '2026-01-01T00:00:00.000Z'
    expect((await experiment([answered])).begun).toMatchObject([
      { dataset: 'pages', run: `pages extractive - ${time}` },
    ])
    const names = { dataset: 'mine', run: 'first' }
    expect((await experiment([answered], { names })).begun).toMatchObject([{ dataset: 'mine', run: `first - ${time}` }])
  })

  it('counts a run that failed and a question that was refused, with 0, beside what was answered', {
    tags: ['TRAP33'],
  }, async () => {
    const { results, scores, begun } = await experiment([answered, { ...failed, id: 'b' }, { ...refused, id: 'c' }])
    expect(results.map((each) => [each.refused?.message, each.scores.passed, each.scores.failed])).toEqual([
      [undefined, 1, 0],
      [undefined, 0, 1],
      [error.message, 0, 1],
    ])
    expect(results.map((each) => [each.scores.answer_match, each.scores.document_cited])).toEqual([
      [1, 1],
      [0, 0],
      [0, 0],
    ])
    expect(scores).toMatchObject({ passed: 1 / 3, answer_match: 1 / 3, document_cited: 1 / 3, failures: 2 })
    expect(begun[0]?.metadata).toEqual({ model: 'extractive', startedAt: expect.any(String), questions: 3 })
  })

  it('says nothing of what was not expected', async () => {
    const { results, begun } = await experiment([{ ...answered, passed: null, answerMatch: null, confidence: null }])
    const scores = results[0]?.scores ?? {}
    expect(Object.keys(scores)).not.toEqual(expect.arrayContaining(['passed']))
    expect(Object.values(scores).every((value) => typeof value === 'number')).toBe(true)
    expect(begun[0]?.items).toMatchObject([
      { input: asked.question, expectedOutput: asked.expect, metadata: { note: 'old' } },
    ])
  })

  it('asks a row again under the same key and thread, unless its run has failed', { tags: ['T14'] }, async () => {
    const begun = { evaluationId: 'one', experiment: place }
    const first = await experiment([answered], { begun })
    const again = await experiment([answered], { begun })
    expect(again.plan.get('a')).toEqual(first.plan.get('a'))
    const runId = first.begun[0]?.items[0]?.runId ?? ''
    const anew = await experiment([answered], { begun, failedRuns: new Set([runId]) })
    expect(anew.plan.get('a')?.idempotencyKey).not.toBe(first.plan.get('a')?.idempotencyKey)
    expect(anew.plan.get('a')?.threadId).not.toBe(first.plan.get('a')?.threadId)
  })
})

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { jsonOutputs } from '../../scripts/json-outputs.ts'
import { evalReport } from '../../src/eval/index.ts'
import { traceIdOf } from '../../src/tracing/otel/trace-ids.ts'
import { quaero } from '../fixtures/command-line.ts'
import { type LangfuseServer, startLangfuse } from '../fixtures/langfuse/langfuse-server.ts'
import { libraryFolder } from '../fixtures/workflow.ts'

const question = 'How many pages does the Marble corpus hold?'
const rows = [
  { id: 'right', question, expect: { answers: ['81.1 million'], documents: ['marble.md'] } },
  { id: 'wrong', question, expect: { answers: ['99 million'] } },
  { id: 'refused', question: 'why '.repeat(6000), expect: { answers: ['because'] } },
]
const words = ['eval', 'pages.jsonl', '--langfuse', '--langfuse-run', 'first', '--json', '-q']

async function folder(): Promise<string> {
  const cwd = await libraryFolder()
  await writeFile(join(cwd, 'pages.jsonl'), rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
  return cwd
}

/** What became of one question in Langfuse: the scores on the trace that its item is linked to. */
function scoresOf({ runs, items, scores }: LangfuseServer, input: string, expected: unknown) {
  const item = [...items.values()].find((each) => each.input === input && same(each.expectedOutput, expected))
  const links = [...runs.values()].flat().filter(({ datasetItemId }) => datasetItemId === item?.id)
  const own = [...scores.values()].filter(({ traceId }) => traceId !== undefined && traceId === links[0]?.traceId)
  return { links, scores: Object.fromEntries(own.map(({ name, value }) => [name, value])) }
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

describe('quaero eval --langfuse', () => {
  it('says what to check where a login page is all that comes, and ends the sentence once', {
    tags: ['T12'],
  }, async () => {
    const langfuse = await startLangfuse()
    langfuse.fail('page')
    const { err } = await quaero(words, { cwd: await folder(), env: langfuse.env })
    expect(err).toContain(
      'The answer of Langfuse for a dataset is not one of its API. Check LANGFUSE_BASE_URL. The same command reports',
    )
  })

  it('reports an experiment in which a question that came to nothing counts like the others', {
    tags: ['TRAP33', 'T17'],
  }, async () => {
    const langfuse = await startLangfuse()
    const cwd = await folder()
    const { code, out, err } = await quaero(words, { cwd, env: langfuse.env })
    const report = evalReport.parse(JSON.parse(out))
    const url = `${langfuse.server.url}/project/project-1/datasets/dataset:pages/runs/run:pages:first`
    const told =
      '1 run failed or had a model that failed, counted as wrong. The first of them, refused: The question has '
    expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining(`The experiment: ${url}\n${told}`) })
    expect(report.experiment).toEqual({ dataset: 'pages', run: 'first', url })

    const [right, wrong, refused] = rows.map((row) => scoresOf(langfuse, row.question, row.expect))
    expect(right?.scores).toMatchObject({
      passed: 1,
      failed: 0,
      answer_match: 1,
      document_cited: 1,
      quotes_verified: 1,
    })
    expect(right?.scores.confidence).toBe(report.rows[0]?.confidence)
    expect(wrong?.scores).toMatchObject({ passed: 0, failed: 0, answer_match: 0 })
    expect(refused?.scores).toEqual({
      passed: 0,
      failed: 1,
      answer_match: 0,
      abstained_as_expected: 0,
      clarified_as_expected: 0,
    })
    expect(right?.links).toMatchObject([
      {
        runName: 'first',
        traceId: traceIdOf(report.rows[0]?.runId ?? ''),
        metadata: { questions: 3, failed: 1, refused: 1 },
      },
    ])
    expect([right, wrong, refused].map((each) => each?.links.length)).toEqual([1, 1, 1])
    const overall = [...langfuse.scores.values()].filter(({ datasetRunId }) => datasetRunId === 'run:pages:first')
    expect(Object.fromEntries(overall.map(({ name, value }) => [name, value]))).toMatchObject({
      passed: 1 / 3,
      failures: 1,
      answer_match: 1 / 3,
      quotes_verified: 1,
    })
    expect(langfuse.server.requests.map(({ path }) => path)).not.toContain('/api/public/ingestion')
    expect(langfuse.server.requests.map(({ body }) => body).join('')).not.toContain('canary')
  })

  it('says so in spans too: one more in the trace of each run, and a trace for what was refused', async () => {
    const langfuse = await startLangfuse()
    const cwd = await folder()
    const { out } = await quaero(words, { cwd, env: langfuse.env })
    const { rows: judged } = evalReport.parse(JSON.parse(out))
    const items = langfuse.server.spans().filter(({ name }) => name === 'experiment-item-run')
    const traces = new Set([...langfuse.runs.values()].flat().map(({ traceId }) => traceId))
    expect(new Set(items.map(({ traceId }) => traceId))).toEqual(traces)
    for (const { attributes, spanId, start, end } of items) {
      expect(attributes).toMatchObject({
        'langfuse.experiment.id': 'run:pages:first',
        'langfuse.experiment.name': 'first',
        'langfuse.experiment.dataset.id': 'dataset:pages',
        'langfuse.experiment.item.root_observation_id': spanId,
      })
      expect(langfuse.items.has(String(attributes['langfuse.experiment.item.id']))).toBe(true)
      expect(end).toBeGreaterThanOrEqual(start)
    }
    const roots = langfuse.server.spans().filter(({ parentSpanId, name }) => parentSpanId === null && name === 'quaero')
    const inRuns = items.filter(({ parentSpanId }) => roots.some(({ spanId }) => spanId === parentSpanId))
    expect(inRuns.map(({ traceId }) => traceId)).toEqual(
      judged.flatMap(({ runId }) => (runId === null ? [] : [traceIdOf(runId)])),
    )
    const [refused] = items.filter(({ parentSpanId }) => parentSpanId === null)
    expect(refused).toMatchObject({ status: { code: 2, message: expect.stringContaining('characters') } })
  })

  it('reported again under the same name, takes the place of what was there', { tags: ['T14'] }, async () => {
    const langfuse = await startLangfuse()
    const cwd = await folder()
    await quaero(words, { cwd, env: langfuse.env })
    const [items, scores] = [new Set(langfuse.items.keys()), langfuse.scores.size]
    const { out } = await quaero(words, { cwd, env: langfuse.env })
    const again = evalReport.parse(JSON.parse(out))
    expect(new Set(langfuse.items.keys())).toEqual(items)
    expect([...langfuse.runs.keys()]).toEqual(['run:pages:first'])
    const traces = [...langfuse.runs.values()].flat().map(({ traceId }) => traceId)
    expect(traces).toHaveLength(3)
    expect(traces).toEqual(expect.arrayContaining(again.rows.flatMap(({ runId }) => (runId ? [traceIdOf(runId)] : []))))
    // Two runs more have stated their confidence; the experiment's own scores are as many as before.
    expect(langfuse.scores.size).toBe(scores + 2)
  })

  it.each([
    ['answers 500', 500],
    ['closes the connection', 'reset'],
    ['hangs', 'hang'],
  ] as const)(
    'where Langfuse %s, prints its own report, says so in one line and exits with 1; the same command reports it, without asking',
    { tags: ['T12'] },
    async (_, fault) => {
      const langfuse = await startLangfuse()
      // Half of the way, so that what is there already is not doubled.
      langfuse.fail(({ path }) => (path === '/api/public/scores' || path.endsWith('run-items') ? fault : null))
      const cwd = await folder()
      const first = await quaero(words, { cwd, env: langfuse.env })
      expect(first.code).toBe(1)
      expect(evalReport.parse(JSON.parse(first.out)).experiment).toBeUndefined()
      const told = first.err
        .split('\n')
        .filter((line) => line.startsWith('The experiment is not complete in Langfuse: '))
      expect(told).toHaveLength(1)
      expect(first.err).not.toContain('canary')

      langfuse.fail(null)
      const second = await quaero(words, { cwd, env: langfuse.env })
      expect(second.code).toBe(0)
      expect(evalReport.parse(JSON.parse(second.out)).rows).toEqual(evalReport.parse(JSON.parse(first.out)).rows)
      const { out } = await quaero(['runs', 'list', '--json'], { cwd })
      expect(jsonOutputs['runs-list'].parse(JSON.parse(out)).runs).toHaveLength(2)
      expect([...langfuse.runs.values()].flat()).toHaveLength(3)
    },
  )

  it('waits where Langfuse asks for patience', async () => {
    const langfuse = await startLangfuse()
    let refused = 0
    langfuse.fail(({ path }) => {
      if (!path.startsWith('/api/public/dataset') || refused === 3) return null
      refused += 1
      return { status: 429, body: {}, headers: { 'retry-after': '0' } }
    })
    const { code } = await quaero(words, { cwd: await folder(), env: langfuse.env })
    expect([code, refused]).toEqual([0, 3])
    expect([...langfuse.runs.values()].flat()).toHaveLength(3)
  })

  it('without keys is refused before anything is asked', async () => {
    const cwd = await folder()
    const { code, out, err } = await quaero(['eval', 'pages.jsonl', '--langfuse-run', 'first'], { cwd })
    expect({ code, out }).toEqual({ code: 78, out: '' })
    expect(err).toContain('set LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY')
    expect((await quaero(['runs', 'list'], { cwd })).err).toBe('There are no runs yet.\n')
  })
})

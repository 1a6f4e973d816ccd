import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { jsonOutputs } from '../../scripts/json-outputs.ts'
import { evalReport } from '../../src/eval/index.ts'
import { traceIdOf } from '../../src/tracing/otel/trace-ids.ts'
import { quaero } from '../fixtures/command-line.ts'
import { type LangfuseServer, startLangfuse } from '../fixtures/langfuse/langfuse-server.ts'
import { readTraces, statusMessageOf } from '../fixtures/langfuse/rules.ts'
import { quickAndSlow } from '../fixtures/quick-rows.ts'
import { speakingEndpoint, usualLines } from '../fixtures/speaking-endpoint.ts'
import { libraryFolder } from '../fixtures/workflow.ts'

const question = 'How many pages does the Marble corpus hold?'
const rows = [
  { id: 'right', question, expect: { answers: ['81.1 million'], documents: ['marble.md'] } },
  { id: 'wrong', question, expect: { answers: ['99 million'] }, note: 'old' },
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
      'quaero: The answer of Langfuse for a dataset is not one of its API. Check LANGFUSE_BASE_URL.\n',
    )
  })

  it('reports an experiment in which a question that came to nothing counts like the others', {
    tags: ['TRAP33', 'T17'],
  }, async () => {
    const langfuse = await startLangfuse()
    const cwd = await folder()
    const { code, out, err } = await quaero(words, { cwd, env: langfuse.env })
    const report = evalReport.parse(JSON.parse(out))
    const run = report.experiment?.run ?? ''
    expect(run).toMatch(/^first - \d{4}-/)
    const url = `${langfuse.server.url}/project/project-1/datasets/dataset:pages/runs/run:pages:${run}`
    const told =
      '1 run failed or had a model that failed, counted as wrong. The first of them, refused: The question has '
    expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining(`The experiment: ${url}\n${told}`) })
    expect(report.experiment).toEqual({ dataset: 'pages', run, url })

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
    // Nothing is said of what was not expected.
    expect(wrong?.scores).not.toHaveProperty('document_cited')
    expect([...langfuse.items.values()].map(({ metadata }) => metadata)).toContainEqual(
      expect.objectContaining({ note: 'old' }),
    )
    expect(refused?.scores).toEqual({
      passed: 0,
      failed: 1,
      answer_match: 0,
      abstained_as_expected: 0,
      clarified_as_expected: 0,
    })
    expect(right?.links).toMatchObject([
      {
        runName: run,
        traceId: traceIdOf(report.rows[0]?.runId ?? ''),
        metadata: { questions: 3, model: 'extractive' },
      },
    ])
    expect([right, wrong, refused].map((each) => each?.links.length)).toEqual([1, 1, 1])
    const overall = [...langfuse.scores.values()].filter(({ datasetRunId }) => datasetRunId === `run:pages:${run}`)
    expect(Object.fromEntries(overall.map(({ name, value }) => [name, value]))).toMatchObject({
      passed: 1 / 3,
      failures: 1,
      answer_match: 1 / 3,
      quotes_verified: 1,
    })
    expect(langfuse.server.requests.map(({ path }) => path)).not.toContain('/api/public/ingestion')
    expect(langfuse.server.requests.map(({ body }) => body).join('')).not.toContain('canary')
  })

  it('reported twice, is two experiments: each span of a run carries its own, its item and its root, and costs add up', {
    tags: ['T14', 'T17'],
  }, async () => {
    const usage = { prompt_tokens: 1000, completion_tokens: 100 }
    const endpoint = await speakingEndpoint({ synthesis: { ...usualLines.synthesis, usage } })
    const langfuse = await startLangfuse()
    const labels = { LANGFUSE_TRACING_ENVIRONMENT: 'testing', LANGFUSE_RELEASE: 'r-1' }
    const env = { ...endpoint.env, ...langfuse.env, ...labels }
    const cwd = await folder()
    await writeFile(join(cwd, 'my.yaml'), 'prices:\n  test-model: { input: 1, output: 10, contextWindow: null }\n')
    const report = async () => {
      const { out } = await quaero([...words, '--config', 'my.yaml'], { cwd, env })
      return evalReport.parse(JSON.parse(out))
    }
    const [first, second] = [await report(), await report()]
    expect(langfuse.items.size).toBe(3)
    expect(langfuse.runs.size).toBe(2)
    expect(langfuse.server.requests.map(({ method }) => method)).not.toContain('DELETE')
    const traces = readTraces(langfuse.server.spans())
    expect(traces).toHaveLength(6)
    for (const { experiment, rows: judged, summary } of [first, second]) {
      const id = `run:pages:${experiment?.run}`
      const own = traces.filter(({ root }) => root.attributes['langfuse.experiment.id'] === id)
      const traceIds = own.map(({ root }) => root.traceId)
      expect(langfuse.runs.get(id)?.map(({ traceId }) => traceId)).toEqual(expect.arrayContaining(traceIds))
      expect(traceIds).toEqual(expect.arrayContaining(judged.flatMap(({ runId }) => (runId ? [traceIdOf(runId)] : []))))
      const items = own.map(({ root }) => String(root.attributes['langfuse.experiment.item.id']))
      expect(new Set(items)).toEqual(new Set(langfuse.items.keys()))
      expect(own.flatMap((trace) => trace.of('generation')).length).toBeGreaterThan(5)
      for (const { root, spans } of own) {
        for (const { attributes } of spans) {
          expect(attributes).toMatchObject({
            'langfuse.experiment.id': id,
            'langfuse.experiment.name': experiment?.run,
            'langfuse.experiment.dataset.id': 'dataset:pages',
            'langfuse.experiment.item.id': root.attributes['langfuse.experiment.item.id'],
            'langfuse.experiment.item.root_observation_id': root.spanId,
          })
        }
      }
      // As the server sums them: over all rows that carry the id themselves.
      const rows = langfuse.server.spans().filter(({ attributes }) => attributes['langfuse.experiment.id'] === id)
      const costs = rows.flatMap((row) => {
        const details = row.attributes['langfuse.observation.cost_details']
        return details === undefined ? [] : [Number(JSON.parse(String(details)).total)]
      })
      expect(summary.costUsd).toBeGreaterThan(0)
      expect(costs.reduce((sum, cost) => sum + cost, 0)).toBeCloseTo(summary.costUsd ?? 0, 9)
      const refused = own.filter(({ spans }) => spans.length === 1)
      expect(refused.map(({ root }) => [root.status.code, statusMessageOf(root)])).toEqual([
        [2, expect.stringContaining('characters')],
      ])
    }
  })

  it('stopped and begun again, continues the same experiment with the same runs', { tags: ['T14'] }, async () => {
    const langfuse = await startLangfuse()
    const { synthesis } = usualLines
    const endpoint = await speakingEndpoint({
      synthesis: [{ ...synthesis, stall: 'middle' }, { status: 401 }, synthesis],
    })
    const env = { ...endpoint.env, ...langfuse.env }
    const cwd = await folder()
    const first = await quaero(words, { cwd, env })
    expect(first.code).toBe(78)
    const second = await quaero(words, { cwd, env })
    expect(second.code).toBe(0)
    const { experiment, rows: judged } = evalReport.parse(JSON.parse(second.out))
    expect([...langfuse.runs.keys()]).toEqual([`run:pages:${experiment?.run}`])
    const roots = new Map(
      langfuse.server.spans().flatMap((span) => (span.parentSpanId ? [] : [[span.traceId, span] as const])),
    )
    // The interrupted run was resumed, that of the rejected key asked anew, and one question refused.
    expect(roots.size).toBe(4)
    const ids = [...roots.values()].map(({ attributes }) => attributes['langfuse.experiment.id'])
    expect(new Set(ids)).toEqual(new Set(langfuse.runs.keys()))
    const traces = judged.flatMap(({ runId }) => (runId ? [traceIdOf(runId)] : []))
    expect([...roots.keys()]).toEqual(expect.arrayContaining(traces))
    expect([...langfuse.scores.values()].map(({ traceId }) => traceId)).toEqual(expect.arrayContaining(traces))
  })

  it('with keys that are rejected, or a Langfuse that fails, asks nothing', { tags: ['T12'] }, async () => {
    const langfuse = await startLangfuse()
    const cwd = await folder()
    langfuse.fail(401)
    const rejected = await quaero(words, { cwd, env: langfuse.env })
    langfuse.fail(({ path }) => (path.endsWith('run-items') ? 500 : null))
    const failed = await quaero(words, { cwd, env: langfuse.env })
    expect([rejected.code, failed.code]).toEqual([78, 1])
    expect(rejected.err).toContain('does not accept the keys (401)')
    expect((await quaero(['runs', 'list'], { cwd })).err).toBe('There are no runs yet.\n')
  })

  for (const { rows, tags } of quickAndSlow(
    [
      ['answers 500', 500],
      ['closes the connection', 'reset'],
      ['hangs', 'hang'],
    ] as const,
    ([, fault]) => fault !== 'hang',
  )) {
    it.each(rows)(
      'where Langfuse %s, prints its own report, says so in one line and exits with 1; the same command reports it, without asking',
      { tags: [...tags, 'T12'] },
      async (_, fault) => {
        const langfuse = await startLangfuse()
        langfuse.fail(({ path }) => (path === '/api/public/scores' ? fault : null))
        const cwd = await folder()
        const first = await quaero(words, { cwd, env: langfuse.env })
        expect(first.code).toBe(1)
        expect(evalReport.parse(JSON.parse(first.out)).experiment).toBeUndefined()
        const told = first.err
          .split('\n')
          .filter((line) => line.startsWith('The experiment lacks scores in Langfuse: '))
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
  }

  it('waits where Langfuse asks for patience', async () => {
    const langfuse = await startLangfuse()
    let refused = 0
    langfuse.fail(({ path }) => {
      if (!path.startsWith('/api/public/dataset') || refused === 3) return null
      refused += 1
      return { status: 429, body: {}, headers: { 'retry-after': '0' } }
    })
    const unnamed = ['eval', 'pages.jsonl', '--langfuse', '--json', '-q']
    const { code, out } = await quaero(unnamed, { cwd: await folder(), env: langfuse.env })
    expect([code, refused]).toEqual([0, 3])
    const { experiment } = evalReport.parse(JSON.parse(out))
    expect(experiment).toMatchObject({ dataset: 'pages', run: expect.stringMatching(/^pages extractive - \d{4}-/) })
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

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { jsonOutputs } from '../../scripts/json-outputs.ts'
import { rootSpanIdOf, traceIdOf } from '../../src/tracing/otel/trace-ids.ts'
import { quaero, spawnQuaero, startQuaero } from '../fixtures/command-line.ts'
import { readTrace } from '../fixtures/langfuse/rules.ts'
import { startTraceServer } from '../fixtures/langfuse/trace-server.ts'
import { quickAndSlow } from '../fixtures/quick-rows.ts'
import { speakingEndpoint, usualLines } from '../fixtures/speaking-endpoint.ts'
import { libraryFolder } from '../fixtures/workflow.ts'

const question = 'How many pages does the Marble corpus hold?'

async function backend(answer: Parameters<typeof startTraceServer>[0] = 200) {
  const server = await startTraceServer(answer)
  onTestFinished(server.close)
  const langfuse = {
    LANGFUSE_PUBLIC_KEY: 'pk-lf-canary-1',
    LANGFUSE_SECRET_KEY: 'sk-lf-canary-2',
    LANGFUSE_BASE_URL: server.url,
  }
  return { server, langfuse }
}

function scoresOn({ requests }: Awaited<ReturnType<typeof startTraceServer>>) {
  return requests.filter(({ path }) => path.endsWith('/scores')).map(({ body }) => JSON.parse(body))
}

describe('a command that is traced', () => {
  it('delivers the whole trace before it exits, without a key for a model too, and links to it', {
    tags: ['T13', 'T6', 'T14'],
  }, async () => {
    const { server, langfuse } = await backend()
    const cwd = await libraryFolder()
    const env = { ...langfuse, LANGFUSE_TRACING_ENVIRONMENT: 'testing', LANGFUSE_RELEASE: 'r-1' }
    const { code, out, err } = await quaero(['ask', question, '-t', 'talk', '--json', '-q'], { cwd, env })
    const { runId, traceUrl } = jsonOutputs.ask.parse(JSON.parse(out))
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(traceUrl).toBe(`${server.url}/trace/${traceIdOf(runId)}`)
    const { root, spans, of } = readTrace(server.spans())
    expect(root.spanId).toBe(rootSpanIdOf(runId))
    expect(of('generation').length).toBeGreaterThan(2)
    expect(spans.every(({ attributes }) => attributes['session.id'] === 'talk')).toBe(true)
    expect(scoresOn(server)).toMatchObject([{ name: 'confidence_score', environment: 'testing' }])
    expect(JSON.stringify(server.requests.map(({ body }) => body))).not.toContain('canary')
  })

  it('shows a table as one trace, with the run of each cell and its score below', { tags: ['T4', 'T14'] }, async () => {
    const { server, langfuse } = await backend()
    const cwd = await libraryFolder()
    await writeFile(join(cwd, 'questions.txt'), question)
    const env = { ...langfuse, LANGFUSE_TRACING_ENVIRONMENT: 'testing', LANGFUSE_RELEASE: 'r-1' }
    const { out } = await quaero(['table', 'questions.txt', '--json', '-q'], { cwd, env })
    const cells = jsonOutputs.table.parse(JSON.parse(out)).rows.flatMap((row) => row.cells)
    const spans = server.spans()
    const [root, ...others] = spans.filter(({ parentSpanId }) => parentSpanId === null)
    expect([root?.name, others]).toEqual(['table', []])
    const roots = spans.filter(({ attributes }) => attributes['langfuse.internal.is_app_root'])
    expect(roots.map(({ name }) => name)).toEqual(['table'])
    const below = spans.filter(({ parentSpanId }) => parentSpanId === root?.spanId)
    const runs = below.map(({ spanId }) => spanId)
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1)
    expect(runs.sort()).toEqual(cells.map(({ runId }) => rootSpanIdOf(runId ?? '')).sort())
    const scores = scoresOn(server)
    expect(scores.length).toBeGreaterThan(0)
    for (const score of scores) {
      expect(score.traceId).toBe(root?.traceId)
      expect(runs).toContain(score.observationId)
    }
    const shown = await quaero(['runs', 'show', cells[0]?.runId ?? '', '--json'], { cwd, env })
    expect(jsonOutputs['runs-show'].parse(JSON.parse(shown.out)).traceUrl).toBe(`${server.url}/trace/${root?.traceId}`)
  })

  it('prints nothing of what its SDK would say', { tags: ['T10'] }, async () => {
    const { server, langfuse } = await backend()
    const settings = JSON.stringify({ langfuse: { promptLabel: 'production' } })
    const cwd = await libraryFolder()
    await writeFile(join(cwd, 'my.yaml'), settings)
    const env = { ...langfuse, LANGFUSE_DEBUG: 'true', LANGFUSE_LOG_LEVEL: 'DEBUG' }
    const asked = await spawnQuaero(['ask', `${question} My key is sk-planted-9f8e7d6c5b.`, '--json', '-q'], {
      cwd,
      env,
    })
    expect(asked).toMatchObject({ code: 0, err: '' })
    const { runId } = jsonOutputs.ask.parse(JSON.parse(asked.out))
    expect(server.spans().length).toBeGreaterThan(0)
    const scored = await spawnQuaero(['runs', 'score', runId, 'helpful', 'true', '--json'], { cwd, env })
    const pushed = await spawnQuaero(['prompts', 'push', '--config', 'my.yaml', '--json', '-q'], { cwd, env })
    for (const { out, err } of [scored, pushed]) {
      expect(() => JSON.parse(out)).not.toThrow()
      expect(err).toBe('')
    }
  })

  it('on SIGTERM too; the run that is resumed in another process joins the trace, which has its score once', {
    tags: ['T13', 'T8', 'T14'],
  }, async () => {
    const { server, langfuse } = await backend()
    const cwd = await libraryFolder()
    const endpoint = await speakingEndpoint({
      synthesis: [{ ...usualLines.synthesis, stall: 'middle' }, usualLines.synthesis],
    })
    const options = { cwd, env: { ...endpoint.env, ...langfuse } }
    const running = startQuaero(['ask', question, '-t', 'stopped'], options)
    await endpoint.asked('synthesis')
    running.child.kill('SIGTERM')
    const { code, err } = await running.ended
    expect(code).toBe(130)
    const runId = /runs resume (\S+)/.exec(err)?.[1] ?? ''
    const first = server.spans()
    expect(scoresOn(server)).toEqual([])
    const stopped = first.find(({ parentSpanId }) => parentSpanId === null)
    expect(stopped?.attributes['langfuse.observation.level']).toBe('WARNING')
    const resumed = await quaero(['runs', 'resume', runId, '--json'], options)
    expect(resumed.code).toBe(0)
    const later = server.spans().slice(first.length)
    const root = later.find(({ parentSpanId }) => parentSpanId === null)
    expect(new Set(server.spans().map(({ traceId }) => traceId))).toEqual(
      new Set([traceIdOf(JSON.parse(resumed.out).runId)]),
    )
    expect([root?.spanId, root?.start]).toEqual([stopped?.spanId, stopped?.start])
    expect(first.every(({ start }) => root && start >= root.start)).toBe(true)
    expect(scoresOn(server)).toMatchObject([{ traceId: root?.traceId, name: 'confidence_score' }])
  })

  it('an OpenTelemetry endpoint gets the same spans as Langfuse, with headers of its own', {
    tags: ['T16'],
  }, async () => {
    const { server, langfuse } = await backend()
    const other = await startTraceServer()
    onTestFinished(other.close)
    const otlp = { OTEL_EXPORTER_OTLP_ENDPOINT: other.url, OTEL_EXPORTER_OTLP_HEADERS: 'x-key=Bearer%20canary-3' }
    const cwd = await libraryFolder()
    expect((await quaero(['ask', question, '-q'], { cwd, env: { ...langfuse, ...otlp } })).code).toBe(0)
    const ids = (spans: ReturnType<typeof server.spans>) => spans.map(({ spanId }) => spanId).sort()
    expect(other.spans().length).toBeGreaterThan(5)
    expect(ids(other.spans())).toEqual(ids(server.spans()))
    expect(
      other.requests.every(({ path, headers }) => path === '/v1/traces' && headers['x-key'] === 'Bearer canary-3'),
    ).toBe(true)
    expect(server.requests.every(({ headers }) => headers['x-key'] === undefined)).toBe(true)
  })

  for (const { rows, tags } of quickAndSlow([401, 'hang', 'reset'] as const)) {
    it.each(rows)(
      'answers as without tracing where the backend does this: %s; one line says so, and the command ends',
      { tags: [...tags, 'T11', 'T12', 'F69'] },
      async (answer) => {
        const { langfuse } = await backend(answer)
        const cwd = await libraryFolder()
        const { code, out, err } = await quaero(['ask', question, '-q'], { cwd, env: langfuse })
        expect(code).toBe(0)
        expect(out).toContain('81.1 million pages')
        // A hanging backend is left before its time is up, so that there may be nothing to tell yet.
        const lines = err.split('\n').filter(Boolean)
        expect(lines.length).toBeLessThanOrEqual(1)
        for (const line of lines)
          expect(line).toMatch(/^(?:Traces|Scores) do not arrive: .*Answers are not affected\.$/)
        expect(err).not.toContain('canary')
      },
    )
  }

  it('without keys nothing of it is loaded', { tags: ['T1'] }, async () => {
    const cwd = await libraryFolder()
    const { code, err } = await quaero(['ask', question, '-q'], {
      cwd,
      env: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(tellLoaded)}` },
    })
    expect({ code, err }).toEqual({ code: 0, err: '' })
    const traced = await quaero(['ask', question, '-q'], {
      cwd,
      env: {
        NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(tellLoaded)}`,
        ...(await backend()).langfuse,
      },
    })
    // And with keys not in the thread that answers.
    expect(traced.err).toMatch(/^(?:loaded in thread 1\n)+$/)
  })
})

/** Says when a module of OpenTelemetry is required, which Langfuse's packages need. */
const tellLoaded = `
import { writeSync } from 'node:fs'
import { Module } from 'node:module'
import { threadId } from 'node:worker_threads'
const load = Module._load
Module._load = function (name, ...rest) {
  if (/opentelemetry/.test(name)) writeSync(2, 'loaded in thread ' + threadId + '\\n')
  return load.call(this, name, ...rest)
}
`

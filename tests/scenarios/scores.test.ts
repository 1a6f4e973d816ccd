import { describe, expect, it } from 'vitest'
import { jsonOutputs } from '../../scripts/json-outputs.ts'
import { scoreIdOf } from '../../src/langfuse/scores.ts'
import { traceIdOf } from '../../src/tracing/otel/trace-ids.ts'
import { quaero, startQuaero } from '../fixtures/command-line.ts'
import { startLangfuse } from '../fixtures/langfuse/langfuse-server.ts'
import { quickAndSlow } from '../fixtures/quick-rows.ts'
import { libraryFolder } from '../fixtures/workflow.ts'

const question = 'How many pages does the Marble corpus hold?'

async function asked(env: Readonly<Record<string, string>> = {}) {
  const cwd = await libraryFolder()
  const { out } = await quaero(['ask', question, '--json', '-q'], { cwd, env })
  return { cwd, ...jsonOutputs.ask.parse(JSON.parse(out)) }
}

describe('a score', () => {
  it('of a run’s confidence is on its trace before the command ends, and nothing goes the legacy way', {
    tags: ['T14', 'T13', 'T17'],
  }, async () => {
    const langfuse = await startLangfuse()
    const { runId, confidence } = await asked(langfuse.env)
    expect([...langfuse.scores.values()]).toEqual([
      {
        id: scoreIdOf({ runId, name: 'confidence_score' }),
        traceId: traceIdOf(runId),
        name: 'confidence_score',
        value: confidence,
        dataType: 'NUMERIC',
      },
    ])
    expect(new Set(langfuse.server.spans().map(({ traceId }) => traceId))).toEqual(new Set([traceIdOf(runId)]))
    expect(new Set(langfuse.server.requests.map(({ path }) => path))).toEqual(
      new Set(['/api/public/otel/v1/traces', '/api/public/scores']),
    )
  })

  it('arrives although SIGTERM ends the process as soon as the answer stands there', { tags: ['T13'] }, async () => {
    const langfuse = await startLangfuse()
    const cwd = await libraryFolder()
    const { child, ended } = startQuaero(['chat', '-q'], { cwd, env: langfuse.env, stdinOpen: true })
    const answered = new Promise<void>((resolve) => {
      let text = ''
      child.stdout?.on('data', (piece: string) => {
        text += piece
        if (text.includes('81.1 million pages')) resolve()
      })
    })
    child.stdin?.write(`${question}\n`)
    await answered
    child.kill('SIGTERM')
    await ended
    expect([...langfuse.scores.values()].map(({ name }) => name)).toEqual(['confidence_score'])
  })

  it('by a person is attached to the trace of the run, and replaced by another of its name', {
    tags: ['T14'],
  }, async () => {
    const langfuse = await startLangfuse()
    const { cwd, runId, threadId } = await asked(langfuse.env)
    const score = async (...words: string[]) => {
      const { code, out } = await quaero(['runs', 'score', runId, ...words, '--json'], { cwd, env: langfuse.env })
      return { code, ...jsonOutputs['runs-score'].parse(JSON.parse(out)) }
    }
    expect(await score('helpful', 'true', '--user', 'ada')).toMatchObject({
      code: 0,
      value: true,
      delivery: 'delivered',
    })
    expect(await score('helpful', 'false', '--comment', 'it is out of date')).toMatchObject({ value: false })
    expect(await score('accuracy', '-0.5')).toMatchObject({ value: -0.5 })
    expect(await score('kind', 'too long')).toMatchObject({ value: 'too long' })
    const said = [...langfuse.scores.values()].filter(({ name }) => name !== 'confidence_score')
    expect(said).toEqual([
      {
        id: scoreIdOf({ runId, name: 'helpful' }),
        traceId: traceIdOf(runId),
        name: 'helpful',
        value: 0,
        dataType: 'BOOLEAN',
        comment: 'it is out of date',
      },
      expect.objectContaining({ name: 'accuracy', value: -0.5, dataType: 'NUMERIC' }),
      expect.objectContaining({ name: 'kind', value: 'too long', dataType: 'CATEGORICAL' }),
    ])
    const { out } = await quaero(['runs', 'show', runId], { cwd })
    expect(out).toContain('helpful = false (it is out of date): stored here and sent to Langfuse.\n')
    const shown = await quaero(['runs', 'show', runId, '--json'], { cwd })
    expect(jsonOutputs['runs-show'].parse(JSON.parse(shown.out)).scores?.map(({ name }) => name)).toEqual([
      'helpful',
      'accuracy',
      'kind',
    ])
    const exported = await quaero(['threads', 'export', threadId, '--format', 'json'], { cwd })
    const [run] = jsonOutputs['threads-export'].parse(JSON.parse(exported.out)).runs
    expect(run?.scores?.map(({ value }) => value)).toEqual([false, -0.5, 'too long'])
  })

  it('is kept without keys, says so, and goes out with the first score that arrives', async () => {
    const { cwd, runId } = await asked()
    const kept = await quaero(['runs', 'score', runId, 'helpful', 'true'], { cwd })
    expect(kept).toEqual({
      code: 0,
      out: '',
      err: 'helpful = true: stored here. It is sent to Langfuse once Langfuse is set up and can be reached.\n',
    })
    const { out: waiting } = await quaero(['runs', 'show', runId], { cwd })
    expect(waiting).toContain(
      'helpful = true: stored here. It is sent to Langfuse once Langfuse is set up and can be reached.\n',
    )
    const langfuse = await startLangfuse()
    await quaero(['ask', question, '-q'], { cwd, env: langfuse.env })
    expect([...langfuse.scores.values()].map(({ name }) => name)).toEqual(['confidence_score', 'helpful'])
    const { out } = await quaero(['runs', 'show', runId, '--json'], { cwd })
    expect(jsonOutputs['runs-show'].parse(JSON.parse(out)).scores).toMatchObject([{ delivery: 'delivered' }])
  })

  for (const { rows, tags } of quickAndSlow(['reset', 'hang', 500, 401] as const)) {
    it.each(rows)(
      'is kept where Langfuse does this: %s; the command ends with 0, and says so once',
      { tags: [...tags, 'T12'] },
      async (fault) => {
        const { cwd, runId } = await asked()
        const langfuse = await startLangfuse()
        langfuse.fail(fault)
        const { code, out, err } = await quaero(['runs', 'score', runId, 'helpful', 'true'], { cwd, env: langfuse.env })
        expect({ code, out }).toEqual({ code: 0, out: '' })
        expect(err.split('\n').filter(Boolean)).toEqual([
          expect.stringMatching(/^Scores do not arrive: .*Answers are not affected\.$/),
          expect.stringContaining('helpful = true: stored here.'),
        ])
        expect(err).not.toContain('canary')
      },
    )
  }

  it('is refused for a run that is not there, with a name that is none or that runs use themselves, and without a value', async () => {
    const { cwd, runId } = await asked()
    const refused = [
      [['no-such-run', 'helpful', 'true'], 1, 'no-such-run'],
      [[runId, '../x', 'true'], 2, 'use a letter first'],
      [[runId, 'confidence_score', '1'], 2, 'take another name'],
      [[runId, 'kind', ' '], 2, 'must not be empty'],
    ] as const
    for (const [words, code, said] of refused) {
      const ended = await quaero(['runs', 'score', ...words], { cwd })
      expect(ended).toMatchObject({ code, out: '', err: expect.stringContaining(said) })
    }
  })
})

import { describe, expect, it, onTestFinished } from 'vitest'
import { ImportInvalid, InvalidId, RunNotFound, ScoreInvalid } from '../../../../src/errors.ts'
import { type Delivery, event, type Score } from '../../../../src/events/index.ts'
import { RunScores } from '../../../../src/runs/log/scores.ts'
import { openSqliteStorage } from '../../../../src/storage/sqlite/sqlite-storage.ts'
import { openQuaero } from '../../../fixtures/workflow.ts'

const question = 'How many pages does the Marble corpus hold?'

async function asked() {
  const quaero = await openQuaero({ model: 'extractive' })
  const { runId } = await quaero.ask(question, { threadId: 'talk' })
  return { quaero, runId }
}

describe('what is said of a run', () => {
  it('replaces what was said under the same name, and keeps its place', { tags: ['T14'] }, async () => {
    const { quaero, runId } = await asked()
    await quaero.runs.score(runId, { name: 'helpful', value: true, comment: 'quick', userId: 'ada' })
    await quaero.runs.score(runId, { name: 'tone', value: 'dry' })
    await quaero.runs.score(runId, { name: 'helpful', value: 0.25 })
    const said = { runId, comment: null, userId: null, delivery: 'waiting', scoredAt: expect.any(String) }
    expect(await quaero.runs.scores(runId)).toEqual([
      { ...said, name: 'helpful', value: 0.25 },
      { ...said, name: 'tone', value: 'dry' },
    ])
  })

  it('adds nothing to the log of the run, which is over', async () => {
    const { quaero, runId } = await asked()
    const before = await quaero.status(runId)
    await quaero.runs.score(runId, { name: 'helpful', value: true })
    expect(await quaero.status(runId)).toEqual(before)
    expect((await quaero.verify()).discrepancies).toEqual([])
  })

  it('refuses what is no score, and keeps nothing', async () => {
    const { quaero, runId } = await asked()
    for (const given of [
      { name: '', value: 1 },
      { name: 'a/b', value: 1 },
      { name: 'x'.repeat(65), value: 1 },
      { name: 'confidence_score', value: 1 },
      { name: 'a', value: Number.NaN },
      { name: 'a', value: Number.POSITIVE_INFINITY },
      { name: 'a', value: '' },
      { name: 'a', value: 'x'.repeat(501) },
      { name: 'a', value: null },
      { name: 'a' },
      { name: 'a', value: 1, colour: 'red' },
      null,
    ]) {
      await expect(quaero.runs.score(runId, given as never), JSON.stringify(given)).rejects.toThrow(ScoreInvalid)
    }
    expect(await quaero.runs.scores(runId)).toEqual([])
  })

  it('refuses a run that is not there', async () => {
    const { quaero } = await asked()
    await expect(quaero.runs.score('none', { name: 'a', value: 1 })).rejects.toThrow(RunNotFound)
    await expect(quaero.runs.score('../x', { name: 'a', value: 1 })).rejects.toThrow(InvalidId)
    await expect(quaero.runs.scores('none')).rejects.toThrow(RunNotFound)
  })

  it('is kept, exported and sent with its credentials masked, and none can be its name', {
    tags: ['T10'],
  }, async () => {
    const secret = 'Quince-Canary-4711'
    const quaero = await openQuaero({ model: 'extractive', env: { OPENAI_API_KEY: secret } })
    const { runId } = await quaero.ask(question, { threadId: 'talk' })
    const said = { name: 'quality', value: secret, comment: `because ${secret}`, userId: secret }
    const masked = {
      name: 'quality',
      value: '*'.repeat(18),
      comment: `because ${'*'.repeat(18)}`,
      userId: '*'.repeat(18),
    }
    expect(await quaero.runs.score(runId, said)).toMatchObject(masked)
    expect(await quaero.runs.scores(runId)).toMatchObject([masked])
    const text = await quaero.runs.export(runId)
    expect(text).not.toContain(secret)
    const named = { name: `a ${secret}`, value: 1 }
    await expect(quaero.runs.score(runId, named)).rejects.toThrow('its name holds a configured credential')
    await expect(quaero.runs.score(runId, named)).rejects.toThrow(ScoreInvalid)

    await quaero.threads.delete('talk')
    await quaero.runs.import(text.replace('because', secret))
    expect(await quaero.runs.scores(runId)).toMatchObject([{ comment: `${'*'.repeat(18)} ${'*'.repeat(18)}` }])
  })

  it('goes with its run into an export and back, and into a fork, where it is sent nowhere', async () => {
    const { quaero, runId } = await asked()
    await quaero.runs.score(runId, { name: 'helpful', value: true, comment: 'quick' })
    const text = await quaero.runs.export(runId)
    const fork = await quaero.threads.fork('talk')
    const [copy] = await quaero.runs.list({ threadId: fork })
    const copied = { name: 'helpful', value: true, comment: 'quick', delivery: 'local' }
    expect(await quaero.runs.scores(copy?.runId ?? '')).toMatchObject([copied])
    expect(await quaero.runs.score(copy?.runId ?? '', { name: 'own', value: 1 })).toMatchObject({ delivery: 'local' })

    await quaero.threads.delete('talk')
    await quaero.runs.import(text)
    expect(await quaero.runs.scores(runId)).toMatchObject([copied])
    expect(await quaero.runs.export(runId)).toBe(text)
  })

  it('is gone with its thread', async () => {
    const { quaero, runId } = await asked()
    await quaero.runs.score(runId, { name: 'helpful', value: true })
    expect((await quaero.report()).rows.scores).toBe(1)
    await quaero.threads.delete('talk')
    expect((await quaero.report()).rows.scores).toBe(0)
  })

  it('is refused in an import that was tampered with, and nothing is stored', async () => {
    const { quaero, runId } = await asked()
    await quaero.runs.score(runId, { name: 'helpful', value: true })
    const text = (await quaero.runs.export(runId)).replace('"value":true', '"value":[]')
    await quaero.threads.delete('talk')
    await expect(quaero.runs.import(text)).rejects.toThrow(ImportInvalid)
    await expect(quaero.runs.show(runId)).rejects.toThrow(RunNotFound)
  })
})

describe('a score on its way', () => {
  it('waits while it cannot be sent, and leaves with the next that can, each once', { tags: ['T14'] }, async () => {
    const { scores, sent, answer } = await scoring()
    answer('waiting')
    expect(await scores.score('run-1', { name: 'a', value: 1 })).toMatchObject({ delivery: 'waiting' })
    expect(await scores.score('run-1', { name: 'b', value: 2 })).toMatchObject({ delivery: 'waiting' })
    answer('delivered')
    sent.length = 0
    expect(await scores.score('run-1', { name: 'c', value: 3 })).toMatchObject({ delivery: 'delivered' })
    await scores.subscriber()?.flush?.()
    expect(sent).toEqual(['c', 'a', 'b'])
    expect((await scores.of('run-1')).map(({ delivery }) => delivery)).toEqual(['delivered', 'delivered', 'delivered'])
  })

  it('is not sent again once it was refused', async () => {
    const { scores, sent, answer } = await scoring()
    answer('refused')
    expect(await scores.score('run-1', { name: 'a', value: 1 })).toMatchObject({ delivery: 'refused' })
    answer('delivered')
    await scores.score('run-1', { name: 'b', value: 2 })
    await scores.subscriber()?.flush?.()
    expect(sent).toEqual(['a', 'b'])
  })

  it('is abandoned when the engine closes while it hangs', { tags: ['T12'] }, async () => {
    const { scores, sent, answer } = await scoring()
    answer('hang')
    const given = scores.score('run-1', { name: 'a', value: 1 })
    await expect.poll(() => sent).toEqual(['a'])
    await scores.subscriber()?.flush?.()
    expect(await given).toMatchObject({ delivery: 'waiting' })
  })
})

type Fate = Exclude<Delivery, 'local'> | 'hang'

/** Scores of the run `run-1`, over a Langfuse that does as it is told. */
async function scoring() {
  const storage = await openSqliteStorage({ path: ':memory:' })
  onTestFinished(() => storage.close())
  await storage.beginRun('talk', 'run-1', ({ turn }) => [
    event('run.created', { threadId: 'talk', turn, question, documents: null }, { correlationId: 'run-1' }),
  ])
  const sent: string[] = []
  let fate: Fate = 'delivered'
  const send = (score: Score, signal?: AbortSignal) => {
    sent.push(score.name)
    if (fate !== 'hang') return Promise.resolve(fate)
    return new Promise<'waiting'>((resolve) => signal?.addEventListener('abort', () => resolve('waiting')))
  }
  const answer = (next: Fate) => {
    fate = next
  }
  return { scores: new RunScores({ storage, langfuse: { send }, mask: (value) => value }), sent, answer }
}

import { chmod, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { StorageUnavailable } from '../../../../src/errors.ts'
import { type Context, type Event, event, Subscribers } from '../../../../src/events/index.ts'
import { Attempt, type RunOutcome } from '../../../../src/runs/attempt.ts'
import { logOf } from '../../../../src/runs/log/read-log.ts'
import { openPostgresStorage } from '../../../../src/storage/postgres/postgres-storage.ts'
import { newPostgresServer, postgresMissing } from '../../../fixtures/storage/postgres-server.ts'
import { outcome } from './outcome.ts'

const skipped = postgresMissing ? ` (skipped: ${postgresMissing})` : ''
const [runId, threadId] = ['r1', 't1']
const notice = event('notice', { code: 'n', message: '' }, { correlationId: runId }) as Event
/** A run on a server of its own, for which the storage waits so long. */
async function begun(outageMs: number) {
  const folder = await mkdtemp(join(tmpdir(), 'outage-'))
  await chmod(folder, 0o755)
  const server = newPostgresServer(folder)
  await server.start()
  onTestFinished(() => server.stop('immediate').catch(() => {}))
  const storage = await openPostgresStorage({ url: server.url('postgres'), outageMs })
  onTestFinished(() => storage.close())
  await storage.beginRun(threadId, runId, ({ turn }) => [
    event('run.created', { threadId, turn, question: 'q', documents: null }, { correlationId: runId }) as Event,
  ])
  const parts = { storage, hooks: () => [], audience: new Subscribers([], () => {}) }
  const attempt = async (work: (context: Context) => Promise<RunOutcome>) =>
    new Attempt(parts, { model: 'm', log: await logOf(runId, storage) }).run(work)
  return { server, storage, attempt, types: async () => (await logOf(runId, storage)).map(({ type }) => type) }
}

describe.skipIf(postgresMissing !== null)(`a run whose PostgreSQL goes away${skipped}`, { timeout: 120_000 }, () => {
  it('goes on when the server is back in time', async () => {
    const { server, attempt, types } = await begun(60_000)
    await attempt(async ({ emit }) => {
      await server.stop('immediate')
      const stored = emit(notice)
      await server.start()
      await stored
      return outcome
    })
    expect(await types()).toEqual(['run.created', 'run.started', 'notice', 'run.completed'])
  })

  it('is interrupted when the server is away for too long, and can be resumed', async () => {
    const { server, storage, attempt, types } = await begun(200)
    const away = attempt(async ({ emit }) => {
      await server.stop('immediate')
      await emit(notice)
      return outcome
    })
    await expect(away).rejects.toThrow(StorageUnavailable)
    await server.start()
    await storage.leases.release(threadId, runId)
    expect((await storage.events.run(runId)).status.activity).toHaveLength(1)
    await storage.leases.acquire(threadId, runId)
    await attempt(async () => outcome)
    expect(await types()).toEqual(['run.created', 'run.started', 'run.interrupted', 'run.started', 'run.completed'])
  })
})

import { describe, expect, it, vi } from 'vitest'
import type { RunResult } from '../../../src/index.ts'
import { metrics } from '../../../src/server/metrics.ts'
import { newDatabase } from '../../fixtures/storage/new-database.ts'
import { postgresMissing } from '../../fixtures/storage/postgres-server.ts'
import { folderOf, openQuaero, temporaryFolder } from '../../fixtures/workflow.ts'
import { read, served } from './served.ts'

const question = 'How many pages does the Marble corpus hold?'
const stream = { accept: 'text/event-stream' }
const skipped = postgresMissing ? ` (skipped: ${postgresMissing})` : ''

/** A server that submits to a queue; nobody works on it yet. */
async function queued(settings: { readonly waitingPerUser?: number } = {}) {
  const { url } = await newDatabase()
  const quaero = await openQuaero({
    settings: { storage: url, queue: settings },
    dataDir: await temporaryFolder(),
    documents: [await folderOf()],
    queued: true,
  })
  const { queue } = quaero
  if (!queue) throw new Error('A storage in PostgreSQL has a queue.')
  const counts = metrics(queue)
  const options = { queue, metrics: counts, queueFigures: () => queue.figures() }
  return { quaero, queue, counts, send: await served(quaero, options) }
}

const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length

describe.skipIf(postgresMissing !== null)(`a question in the queue of a server${skipped}`, () => {
  it('is followed by nobody once its readers have left', { tags: ['Q17'], timeout: 60_000 }, async () => {
    const { send } = await queued()
    const first = await send('/api/ask', { body: { question }, headers: stream })
    const place = first.headers.get('content-location') ?? ''
    await first.body?.cancel()
    await vi.waitFor(() => expect(timers()).toBeLessThan(50))
    const before = timers()
    const readers = await Promise.all(
      Array.from({ length: 500 }, async () => {
        const reader = (await send(`${place}/events`, { headers: stream })).body?.getReader()
        await reader?.read()
        return reader
      }),
    )
    // As the server does where a connection is gone.
    await Promise.all(readers.map((reader) => reader?.cancel()))
    // Each has a heartbeat, which ends with it; nobody looks at the storage any more.
    await vi.waitFor(() => expect(timers()).toBeLessThan(before + 50), { timeout: 20_000 })
  })

  it('says that it is queued, and for what it waits', async () => {
    const { send, queue } = await queued()
    const asked = await send('/api/ask', { body: { question }, headers: stream })
    const place = asked.headers.get('content-location') ?? ''
    expect(await read<RunResult>(send(place))).toMatchObject({ status: 'queued', question })
    expect(await read(send('/ready', { as: null }))).toMatchObject({
      ready: true,
      waiting: 1,
      workers: 0,
      note: expect.stringContaining('worker'),
    })
    await queue.work({ concurrency: 1 })
    await asked.text()
    expect(await read<RunResult>(send(place))).toMatchObject({ status: 'completed' })
    expect(await read(send('/ready', { as: null }))).toEqual({ ready: true, waiting: 0, workers: 1 })
  })

  it('is refused where as many of its user wait as they may; others are not', async () => {
    const { send, queue } = await queued({ waitingPerUser: 1 })
    const ask = (as: 'alice' | 'bob') => send('/api/ask', { as, body: { question }, headers: stream })
    const replies = [await ask('alice'), await ask('alice'), await ask('bob')]
    expect(replies.map(({ status }) => status)).toEqual([200, 429, 200])
    expect(replies[1]?.headers.get('retry-after')).toBe('2')
    expect(await read(replies[1] as Response)).toMatchObject({ error: { code: 'too_many_waiting' } })
    expect(await queue.figures()).toMatchObject({ waiting: 2 })
    await Promise.all([replies[0]?.body?.cancel(), replies[2]?.body?.cancel()])
  })

  it('counts once, however many requests ask it with one key, or follow it', async () => {
    const { send, queue, counts } = await queued()
    const asking = () => send('/api/ask', { body: { question, idempotencyKey: 'k1' }, headers: stream })
    const all = [await asking(), await asking(), await asking()]
    await queue.work({ concurrency: 1 })
    await Promise.all(all.map((each) => each.text()))
    await (await asking()).text()
    expect(await counts.text()).toContain('quaero_runs_total{status="completed"} 1\n')
  })
})

/**
 * Works on the run `r1` in the storage of an address, and stores events that say when, one after the pause that is given. Its
 * last message is how long the appends took, in milliseconds.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { type Event, event } from '../../src/events/index.ts'
import { RunFeed } from '../../src/runs/follow/feed.ts'
import { openStorage } from './storages.ts'

const [address = '', count = '0', pauseMs = '0'] = process.argv.slice(2)
const [runId, threadId] = ['r1', 't1']
const origin = { correlationId: runId }
const storage = await openStorage(address)
await storage.beginRun(threadId, runId, ({ turn }) => [
  event('run.created', { threadId, turn, question: '?', documents: null }, origin) as Event,
])
const feed = new RunFeed(1)
const withdraw = storage.live?.offer(runId, feed)
const append = async (given: Event) => feed.publish({ ...(await storage.events.append(given)), runId, threadId })
await append(event('run.started', { attempt: 1, question: '?', model: 'm' }, origin) as Event)

const appends: number[] = []
process.once('message', async () => {
  for (let n = 0; n < Number(count); n += 1) {
    await wait(Number(pauseMs))
    const from = performance.now()
    const message = String(performance.timeOrigin + from)
    await append(event('notice', { code: 'sent', message }, origin) as Event)
    appends.push(performance.now() - from)
  }
  await append(event('run.interrupted', { reason: 'cancelled' }, origin) as Event)
  feed.close()
  withdraw?.()
  await storage.leases.release(threadId, runId)
  await storage.close()
  process.send?.(appends)
  process.disconnect()
})
process.send?.('begun')

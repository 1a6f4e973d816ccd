import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type Event, event, type StreamEvent } from '../../../../../src/events/index.ts'
import { RunFeed } from '../../../../../src/runs/follow/feed.ts'
import { follow } from '../../../../../src/runs/follow/follow.ts'
import { NewsOfRuns } from '../../../../../src/runs/follow/news-of-runs.ts'
import { Mailbox } from '../../../../../src/storage/mailbox.ts'
import { openPostgresStorage } from '../../../../../src/storage/postgres/postgres-storage.ts'
import type { RunSignal } from '../../../../../src/storage/run-signals.ts'
import type { Storage } from '../../../../../src/storage/storage.ts'
import { killChild, messageOf, startChild } from '../../../../fixtures/storage/child.ts'
import { newDatabase } from '../../../../fixtures/storage/new-database.ts'
import { administer, postgresMissing } from '../../../../fixtures/storage/postgres-server.ts'

const skipped = postgresMissing ? ` (skipped: ${postgresMissing})` : ''
const [runId, threadId] = ['r1', 't1']
const origin = { correlationId: runId }
const named = { messageId: 'm', scope: 'scratch' as const }
const deltaOf = (text: string) => event('message.delta', { ...named, text }, origin) as Event

async function ownDatabase() {
  const { name, url } = await newDatabase()
  const open = async () => {
    const storage = await openPostgresStorage({ url })
    onTestFinished(() => storage.close())
    return storage
  }
  return { name, url, open }
}

async function begunIn(storage: Storage) {
  await storage.beginRun(threadId, runId, ({ turn }) => [
    event('run.created', { threadId, turn, question: '?', documents: null }, origin) as Event,
  ])
  const feed = new RunFeed(1)
  storage.live?.offer(runId, feed)
  return { publish: (line: Event) => feed.publish({ ...line, runId, threadId } as StreamEvent) }
}

/** A mailbox into which signals come. Offers are made in the background. */
async function joined(storage: Storage) {
  const mailbox = new Mailbox()
  const channel = storage.live?.join(runId, mailbox)
  onTestFinished(() => channel?.close())
  await vi.waitFor(() => expect(channel?.state).toBe('open'), { timeout: 30_000 })
  return { mailbox, channel }
}

const textsIn = (signals: readonly RunSignal[]) =>
  signals.flatMap((signal) => (signal.kind === 'delta' ? [[signal.from, signal.line.payload.text]] : []))

/** A promise that `wake` fulfils. */
function waker() {
  let wake = () => {}
  const woken = new Promise<void>((resolve) => {
    wake = resolve
  })
  return { wake, woken }
}

describe.skipIf(postgresMissing !== null)(
  `a run that is offered over PostgreSQL${skipped}`,
  { timeout: 60_000 },
  () => {
    it('passes on texts of any length and any characters', { tags: ['U6'] }, async () => {
      const { open } = await ownDatabase()
      const { publish } = await begunIn(await open())
      const long = `${'aaaa'.repeat(10_000)}${'Zürich 🏔 \u0000 \ud800 \ue01a'.repeat(1_000)}`
      publish(deltaOf(long))
      const { mailbox } = await joined(await open())
      // Who joins while a text is on its way may get it twice, and knows that by where it begins.
      const textFrom = async (from: number) => {
        for (;;) {
          const found = textsIn((await mailbox.take()).signals).find(([at]) => at === from)
          if (found) return found[1]
        }
      }
      expect(await textFrom(0)).toBe(long)
      publish(deltaOf(long))
      expect(await textFrom(long.length)).toBe(long)
    })

    it('tells its followers to look into the log when the server closes their connections, and is joined again', {
      tags: ['U7'],
    }, async () => {
      const { open, url, name } = await ownDatabase()
      const { publish } = await begunIn(await open())
      const other = await open()
      const { mailbox, channel } = await joined(other)
      await mailbox.take()
      const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}' AND pid <> pg_backend_pid()`
      await administer(url, end)
      expect((await mailbox.take()).hasNews).toBe(true)
      expect(channel?.state).toBe('lost')
      publish(deltaOf('after'))
      const again = await joined(other)
      // Both the joining and the news of the connection may have asked for it.
      expect(textsIn((await again.mailbox.take()).signals)).toContainEqual([0, 'after'])
    })

    it('wakes those who watch it when it is offered, when its cancel is requested and when it is released', async () => {
      const { open } = await ownDatabase()
      const [storage, other] = [await open(), await open()]
      const happens = async (work: () => unknown) => {
        const { wake, woken } = waker()
        const stop = other.live?.watch?.(runId, wake)
        await work()
        await woken
        stop?.()
      }
      // The first offer listens too, so that what follows is heard.
      await happens(() => begunIn(storage))
      await happens(() => other.events.append(event('cancel.requested', { by: 'user' }, origin)))
      await happens(() => storage.leases.release(threadId, runId))
    })

    it('is told as interrupted when its process is killed in the middle of a message', { tags: ['U6'] }, async () => {
      const { open, url } = await ownDatabase()
      const child: ChildProcess = startChild('offer-run.ts', url)
      onTestFinished(() => killChild(child))
      expect(await messageOf(child)).toBe('offered')
      const storage = await open()
      const started = event('run.started', { attempt: 1, question: '?', model: 'm' }, origin) as Event
      child.send(started)
      const run = {
        runId,
        threadId,
        events: storage.events,
        feed: () => null,
        live: storage.live,
        news: new NewsOfRuns(storage),
        isAtWork: async () => (await storage.leases.holder(threadId))?.runId === runId,
      }
      await joined(storage)
      const told: StreamEvent[] = []
      for await (const line of follow(run, { signal: new AbortController().signal })) {
        told.push(line)
        if (line.type === 'run.started') {
          child.send(event('message.created', { ...named, role: 'assistant' }, origin))
          child.send(deltaOf('The answer '))
        }
        if (line.type === 'message.delta') {
          child.kill('SIGKILL')
          await once(child, 'exit')
        }
      }
      expect(told.find(({ type }) => type === 'message.delta')?.payload).toMatchObject({ text: 'The answer ' })
      expect(told.at(-1)).toMatchObject({ type: 'status.changed', payload: { to: 'interrupted', trigger: 'crashed' } })
    })
  },
)

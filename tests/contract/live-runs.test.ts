import fc from 'fast-check'
import { describe, expect, it, onTestFinished, type TestContext, vi } from 'vitest'
import { type Event, event, type StreamEvent } from '../../src/events/index.ts'
import { RunFeed } from '../../src/runs/follow/feed.ts'
import { follow as followUntil } from '../../src/runs/follow/follow.ts'
import { NewsOfRuns } from '../../src/runs/follow/news-of-runs.ts'
import { Mailbox } from '../../src/storage/mailbox.ts'
import type { Channel } from '../../src/storage/run-signals.ts'
import type { LiveRuns } from '../../src/storage/storage.ts'
import { inOwnFolder, type OpenStorage, storages } from '../fixtures/storage/storages.ts'

const [runId, threadId] = ['r1', 't1']
const origin = { correlationId: runId }
const started = event('run.started', { attempt: 1, question: '?', model: 'm' }, origin) as Event
const cancelled = event('run.interrupted', { reason: 'cancelled' }, { ...origin, causationId: started.id }) as Event

function message(messageId: string, pieces: readonly string[]): readonly Event[] {
  const named = { messageId, scope: 'scratch' as const }
  return [
    event('message.created', { ...named, role: 'assistant' }, origin),
    ...pieces.map((text) => event('message.delta', { ...named, text }, origin)),
    event('message.completed', { ...named, role: 'assistant', text: pieces.join(''), superseded: false }, origin),
  ] as readonly Event[]
}

type Followed = Parameters<typeof followUntil>[0]

function follow(run: Followed, { after = 0, mailbox = new Mailbox() } = {}) {
  return followUntil(run, { after, mailbox, signal: new AbortController().signal })
}

/** A run that one opened storage works on, and another follows, as two processes would. */
async function twoProcesses(open: OpenStorage, { skip }: TestContext) {
  const { folder, storage, close } = await inOwnFolder(open)
  const other = await open(folder)
  let closed: Promise<void> | undefined
  const closeBoth = async () => {
    await other.close()
    await close()
  }
  const leave = () => (closed ??= closeBoth())
  onTestFinished(leave)
  if (!storage.live || !other.live) return skip('This storage passes on no signals.')
  const { live } = storage
  await storage.beginRun(threadId, runId, ({ turn }) => [
    event('run.created', { threadId, turn, question: '?', documents: null }, origin) as Event,
  ])
  const feed = new RunFeed(1)
  const withdraw = live.offer(runId, feed)
  await opened(other.live, runId)
  const isAtWork = async () => (await other.leases.holder(threadId))?.runId === runId
  const run = { runId, threadId, isAtWork }
  const near: Followed = { ...run, events: storage.events, feed: () => feed, news: new NewsOfRuns(storage) }
  const there = other.live
  let channel: Channel | undefined
  const joining = { join: (...given: Parameters<LiveRuns['join']>) => (channel = there.join(...given)) }
  const far: Followed = { ...run, events: other.events, feed: () => null, live: joining, news: new NewsOfRuns(other) }
  return {
    near,
    far,
    there,
    feed,
    leave,
    /** The follower gets signals. */
    joined: () => vi.waitFor(() => expect(channel?.state).toBe('open'), { timeout: 20_000 }),
    async happen(each: Event) {
      const line = each.type === 'message.delta' ? each : await storage.events.append(each)
      feed.publish({ ...line, runId, threadId })
    },
    /** The run has ended, or its process is gone. */
    async end() {
      feed.close()
      withdraw()
      await storage.leases.release(threadId, runId)
    },
  }
}

/** The offer is there a moment after the first run of a process has begun. */
async function opened(live: LiveRuns, runId: string): Promise<void> {
  await vi.waitFor(
    async () => {
      const mailbox = new Mailbox()
      const channel = live.join(runId, mailbox)
      try {
        await vi.waitFor(() => expect(channel.state).toBe('open'), { timeout: 500, interval: 5 })
      } finally {
        channel.close()
      }
    },
    { timeout: 20_000 },
  )
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

async function read(lines: AsyncIterable<StreamEvent>, told: StreamEvent[] = []): Promise<readonly StreamEvent[]> {
  for await (const line of lines) told.push(line)
  return told
}

async function nextOf(lines: AsyncGenerator<StreamEvent>, count: number): Promise<readonly StreamEvent[]> {
  const read: StreamEvent[] = []
  while (read.length < count) read.push((await lines.next()).value)
  return read
}

/** Reads until something matches. */
async function readUntil(lines: AsyncGenerator<StreamEvent>, matches: (line: StreamEvent) => boolean) {
  const read: StreamEvent[] = []
  do read.push((await lines.next()).value)
  while (!matches(read.at(-1) as StreamEvent))
  return read
}

const positionsOf = (lines: readonly StreamEvent[]) =>
  lines.flatMap((line) => ('position' in line ? [line.position] : []))

/** The text of each message as its deltas give it. */
function textsOf(lines: readonly StreamEvent[]): Readonly<Record<string, string>> {
  const texts: Record<string, string> = {}
  for (const line of lines) {
    if (line.type !== 'message.delta') continue
    const { messageId, text, soFar } = line.payload
    texts[messageId] = soFar ? text : `${texts[messageId] ?? ''}${text}`
  }
  return texts
}

describe.each(Object.entries(storages))('a run of another process on %s', { timeout: 60_000 }, (_, open) => {
  it('gives its followers the lines of a follower in its own process, in the same order', {
    tags: ['U6'],
  }, async (test) => {
    const { near, far, joined, happen, end } = await twoProcesses(open, test)
    const there = follow(far)
    const begun = await nextOf(there, 1)
    const following = read(there)
    await joined()
    const rest = Promise.all([read(follow(near, { after: 1 })), following])
    for (const each of [started, ...message('m1', ['a', 'b', 'ü\n']), ...message('m2', ['c']), cancelled])
      await happen(each)
    const [ownLines, lines] = await rest
    await end()
    expect(lines).toEqual(ownLines)
    expect(positionsOf([...begun, ...lines])).toEqual([1, 2, 3, 4, 5, 6, 7])
    expect(lines.filter(({ type }) => type === 'message.delta')).toHaveLength(4)
    expect(lines.map(({ type }) => type).slice(-2)).toEqual(['status.changed', 'run.interrupted'])
  })

  it('gives one who joins in the middle of a message its text so far', {
    tags: ['U6'],
  }, async (test) => {
    const { far, happen, end } = await twoProcesses(open, test)
    const [begun, first, second, third, done] = message('m', ['a', 'b', 'c']) as [Event, Event, Event, Event, Event]
    for (const each of [started, begun, first, second]) await happen(each)
    const lines = follow(far, { after: 2 })
    // As one delta, or as those that were still under way when it joined.
    const got: StreamEvent[] = []
    const soFar = await readUntil(lines, (line) => got.push(line) > 0 && textsOf(got).m === 'ab')
    for (const each of [third, done, cancelled]) await happen(each)
    await end()
    const rest = await read(lines)
    expect(textsOf([...soFar, ...rest])).toEqual({ m: 'abc' })
    expect(positionsOf([...soFar, ...rest])).toEqual([3, 4, 5])
  })

  it('does not wait for a follower that takes nothing, which reads the rest in the log', {
    tags: ['U7'],
  }, async (test) => {
    const { far, joined, happen, end } = await twoProcesses(open, test)
    const idle = follow(far, { mailbox: new Mailbox(50) })
    const told = [...(await nextOf(idle, 1))]
    const pieces = Array.from({ length: 5000 }, () => 'x'.repeat(1000))
    const next = idle.next()
    await joined()
    for (const each of [started, ...message('m', pieces)]) await happen(each)
    told.push((await next).value)
    await happen(cancelled)
    await end()
    await read(idle, told)
    expect(positionsOf(told)).toEqual([1, 2, 3, 4, 5])
    expect(told.length).toBeLessThan(4000)
    // One that saw no delta before it fell behind has the text in the event alone.
    expect({ m: pieces.join('') }).toMatchObject(textsOf(told))
    expect(told.find(({ type }) => type === 'message.completed')?.payload).toMatchObject({ text: pieces.join('') })
  })

  it('passes nothing on of another run, and nothing to one who has left', async (test) => {
    const { there, happen, end } = await twoProcesses(open, test)
    const mailboxes = [new Mailbox(), new Mailbox()] as const
    const channels = [there.join('r2', mailboxes[0]), there.join(runId, mailboxes[1])] as const
    channels[1].close()
    await opened(there, runId)
    await happen(started)
    expect([channels[0].state === 'open', channels[1].state]).toEqual([false, 'lost'])
    expect(mailboxes.map(({ isEmpty }) => isEmpty)).toEqual([true, true])
    channels[0].close()
    await end()
  })

  it('is read without gap or repeat, wherever followers join and however slow they are', {
    tags: ['U6', 'U7'],
    timeout: 180_000,
  }, async (test) => {
    const pieces = fc.array(fc.string({ minLength: 1, maxLength: 3 }), { maxLength: 8 })
    const reader = fc.record({ joinsAt: fc.nat(30), after: fc.nat(6), slow: fc.constantFrom(0, 0, 1, 7) })
    const messages = fc.array(pieces, { minLength: 1, maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(messages, fc.array(reader, { minLength: 1, maxLength: 4 }), async (said, readers) => {
        const { far, happen, end, leave } = await twoProcesses(open, test)
        const script = [started, ...said.flatMap((each, i) => message(`m${i}`, each)), cancelled]
        const last = 1 + script.filter(({ type }) => type !== 'message.delta').length
        const reading = readers.map(async ({ joinsAt, after, slow }) => {
          for (let n = 0; n < Math.min(joinsAt, script.length); n += 1) await turn()
          return { after, lines: await readSlowly(follow(far, { after, mailbox: new Mailbox(5) }), slow) }
        })
        for (const each of script) {
          await happen(each)
          await turn()
        }
        await end()
        for (const { after, lines } of await Promise.all(reading)) {
          expect(positionsOf(lines)).toEqual(Array.from({ length: Math.max(0, last - after) }, (_, i) => after + i + 1))
          // One that falls behind in the middle of a message has the rest in the event that ends it.
          for (const [id, text] of Object.entries(textsOf(lines))) {
            expect(said[Number(id.slice(1))]?.join('').startsWith(text)).toBe(true)
          }
        }
        await leave()
      }),
      { numRuns: 12 },
    )
  })
})

async function readSlowly(lines: AsyncIterable<StreamEvent>, slow: number): Promise<readonly StreamEvent[]> {
  const told: StreamEvent[] = []
  for await (const line of lines) {
    told.push(line)
    for (let n = 0; n < slow; n += 1) await turn()
  }
  return told
}

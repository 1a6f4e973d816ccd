import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { type Event, event, type StoredEvent, type StreamEvent } from '../../../../src/events/index.ts'
import { RunFeed } from '../../../../src/runs/follow/feed.ts'
import { follow as followUntil } from '../../../../src/runs/follow/follow.ts'
import type { FollowOptions } from '../../../../src/runs/follow/follower.ts'
import { NewsOfRuns } from '../../../../src/runs/follow/news-of-runs.ts'
import { Mailbox } from '../../../../src/storage/mailbox.ts'
import type { Channel, RunSignal } from '../../../../src/storage/run-signals.ts'

const [runId, threadId] = ['run-1', 't1']
const origin = { correlationId: runId }

type Followed = Parameters<typeof followUntil>[0]

/** Follows a run for ever, unless the options say how long. */
function follow(
  run: Followed,
  { signal = new AbortController().signal, ...options }: FollowOptions & { readonly mailbox?: Mailbox } = {},
) {
  return followUntil(run, { ...options, signal })
}

/** News of a log, by its version alone. */
function newsFrom(version: () => Promise<number>): NewsOfRuns {
  // Each one is another.
  const marks = async () => new Map([[runId, randomUUID()]])
  return new NewsOfRuns({ events: { version }, marks })
}

/** The log of one run. */
function logInMemory() {
  const log: StoredEvent[] = []
  return {
    append(each: Event): StoredEvent {
      const stored = { ...each, position: log.length + 1 }
      log.push(stored)
      return stored
    },
    async *read(_: string, afterPosition = 0, upTo = log.length) {
      yield* log.slice(afterPosition, upTo)
    },
    version: async () => 0,
  }
}

/** A run that this process works on: what it stores and streams, and readers of it. */
function running() {
  const events = logInMemory()
  const feed = new RunFeed(0)
  let isOpen = true
  const run = {
    runId,
    threadId,
    events,
    feed: () => (isOpen ? feed : null),
    news: newsFrom(events.version),
    isAtWork: async () => isOpen,
  }
  return {
    run,
    feed,
    async happen(each: Event): Promise<void> {
      const line = each.type === 'message.delta' ? each : events.append(each)
      feed.publish({ ...line, runId, threadId } as StreamEvent)
    },
    end() {
      isOpen = false
      feed.close()
    },
  }
}

const created = event('run.created', { threadId, turn: 1, question: '?', documents: null }, origin) as Event
const started = event('run.started', { attempt: 1, question: '?', model: 'm' }, origin) as Event
const cancelled = event('run.interrupted', { reason: 'cancelled' }, { ...origin, causationId: started.id }) as Event

const crashed = event('run.interrupted', { reason: 'crashed' }, { ...origin, causationId: started.id }) as Event
const again = event('run.started', { attempt: 2, question: '?', model: 'm' }, origin) as Event
const over = event('run.interrupted', { reason: 'cancelled' }, { ...origin, causationId: again.id }) as Event

/** One message: its beginning, its pieces, and its whole text, which may not be the one that was streamed. */
function message(messageId: string, pieces: readonly string[], superseded = false): readonly Event[] {
  const named = { messageId, scope: 'scratch' as const }
  const text = superseded ? 'something else' : pieces.join('')
  return [
    event('message.created', { ...named, role: 'assistant' }, origin),
    ...pieces.map((piece) => event('message.delta', { ...named, text: piece }, origin)),
    event('message.completed', { ...named, role: 'assistant', text, superseded }, origin),
  ] as readonly Event[]
}

/** Lines that follow from the log and those that only streamed, as one reader was told of them. */
class Told {
  readonly lines: StreamEvent[] = []

  get positions(): readonly number[] {
    return this.lines.flatMap((line) => ('position' in line ? [line.position] : []))
  }

  /** The text of each message as its deltas give it, at the moment of its completion. */
  readonly texts = new Map<string, string>()
  readonly wrong: string[] = []

  hear(line: StreamEvent): void {
    this.lines.push(line)
    if (line.type === 'message.delta') {
      const { messageId, text, soFar, toolCall } = line.payload
      if (!toolCall) this.texts.set(messageId, soFar ? text : `${this.texts.get(messageId) ?? ''}${text}`)
    }
    if (line.type !== 'message.completed') return
    const { messageId, text, superseded } = line.payload
    const streamed = this.texts.get(messageId)
    if (streamed !== undefined && streamed !== text && !superseded) this.wrong.push(`${streamed} is not ${text}`)
  }
}

async function read(lines: AsyncIterable<StreamEvent>, told = new Told()): Promise<Told> {
  for await (const line of lines) told.hear(line)
  return told
}

/** Reads, taking its time over each line, and perhaps leaves early; returns the last position that was told. */
async function readSlowly(
  run: Followed,
  told: Told,
  options: { readonly after: number; readonly slow: number; readonly leavesAfter?: number | null },
): Promise<number> {
  let { after } = options
  for await (const line of follow(run, { after, mailbox: new Mailbox(5) })) {
    told.hear(line)
    if ('position' in line) after = line.position
    if (told.lines.length === options.leavesAfter) break
    await turns(options.slow)
  }
  return after
}

async function turns(count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) await turn()
}

function range(from: number, to: number): readonly number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i + 1)
}

/** Lets everything go on that can without this reader. */
const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('readers of a run', () => {
  it('each gets every position once and in order, and of every message its text, wherever they join and however slow they are', {
    tags: ['U6', 'U7'],
    timeout: 120_000,
  }, async () => {
    const pieces = fc.array(fc.string({ minLength: 1, maxLength: 3 }), { maxLength: 8 })
    const messages = fc.array(fc.tuple(pieces, fc.boolean()), { minLength: 1, maxLength: 6 })
    const reader = fc.record({
      joinsAt: fc.nat(40),
      after: fc.nat(6),
      /** Turns of the event loop that it takes over each line. */
      slow: fc.constantFrom(0, 0, 1, 7),
      leavesAfter: fc.option(fc.integer({ min: 1, max: 12 })),
    })
    await fc.assert(
      fc.asyncProperty(messages, fc.array(reader, { minLength: 1, maxLength: 5 }), async (said, readers) => {
        const { run, happen, end } = running()
        const script = [
          created,
          started,
          ...said.flatMap(([each, superseded], i) => message(`m${i}`, each, superseded)),
          cancelled,
        ]
        const last = script.filter(({ type }) => type !== 'message.delta').length
        const reading = readers.map(({ joinsAt, after, slow, leavesAfter }) => async () => {
          const told = new Told()
          await turns(Math.min(joinsAt, script.length))
          const from = await readSlowly(run, told, { after, slow, leavesAfter })
          // Whoever left comes back to where it was.
          if (leavesAfter !== null) await readSlowly(run, told, { after: from, slow })
          expect(told.wrong).toEqual([])
          expect(told.positions).toEqual(range(after, last))
        })
        const all = reading.map((begin) => begin())
        for (const each of script) {
          await happen(each)
          await turn()
        }
        end()
        await Promise.all(all)
      }),
      { numRuns: 150 },
    )
  })

  it('one who joins in the middle of a message gets its text so far as one delta, and each tool call as one', {
    tags: ['U6'],
  }, async () => {
    const { run, happen, end } = running()
    const [begun, first, second, done] = message('m', ['ab', 'cd']) as [Event, Event, Event, Event]
    const call = (index: number, args: string, name?: string) =>
      event(
        'message.delta',
        { messageId: 'm', scope: 'scratch', text: '', toolCall: { index, args, ...(name && { name, id: name }) } },
        origin,
      ) as Event
    const before = [created, started, begun, first, call(0, '{"a"', 'x'), call(1, '{', 'y'), call(0, ':1}')]
    for (const each of before) await happen(each)
    const reading = read(follow(run, { after: 3 }))
    await turn()
    for (const each of [second, done, cancelled]) await happen(each)
    end()
    const { lines, wrong } = await reading
    expect(wrong).toEqual([])
    expect(lines.filter(({ type }) => type === 'message.delta').map(({ payload }) => payload)).toEqual([
      { messageId: 'm', scope: 'scratch', text: 'ab', soFar: true },
      {
        messageId: 'm',
        scope: 'scratch',
        text: '',
        toolCall: { index: 0, id: 'x', name: 'x', args: '{"a":1}' },
        soFar: true,
      },
      {
        messageId: 'm',
        scope: 'scratch',
        text: '',
        toolCall: { index: 1, id: 'y', name: 'y', args: '{' },
        soFar: true,
      },
      { messageId: 'm', scope: 'scratch', text: 'cd' },
    ])
  })

  it('one who takes nothing has at most so many signals kept, and reads the rest in the log', {
    tags: ['U7'],
  }, async () => {
    const { run, happen, end } = running()
    const mailbox = new Mailbox(10)
    const idle = follow(run, { mailbox })
    await happen(created)
    await idle.next()
    for (const each of [
      started,
      ...message(
        'm',
        Array.from({ length: 5000 }, () => 'x'),
      ),
      cancelled,
    ])
      await happen(each)
    end()
    const told = await read(idle)
    expect(told.positions).toEqual([2, 3, 4, 5])
    expect(told.lines.length).toBeLessThan(20)
    expect(told.wrong).toEqual([])
  })

  it('are told of an event without a look into the log where they have all before it', { tags: ['U6'] }, async () => {
    const { run, happen, end } = running()
    const reads: number[] = []
    const events: Followed['events'] = {
      read(_, after = 0, upTo) {
        reads.push(after)
        return run.events.read(runId, after, upTo)
      },
    }
    const told = read(follow({ ...run, events }, { mailbox: new Mailbox() }))
    for (const each of [created, started, ...message('m', ['a', 'b']), cancelled]) {
      await turn()
      await happen(each)
    }
    end()
    expect((await told).positions).toEqual([1, 2, 3, 4, 5])
    expect(reads).toEqual([])
  })

  it('get an event in its place that another process has stored between those of the run', {
    tags: ['U6'],
  }, async () => {
    const { run, feed, happen, end } = running()
    const told = read(follow(run))
    for (const each of [created, started]) await happen(each)
    await turn()
    const asked = run.events.append(event('cancel.requested', { by: 'user' }, origin) as Event)
    await happen(cancelled)
    feed.publish({ ...asked, runId, threadId })
    end()
    expect((await told).positions).toEqual([1, 2, 3, 4])
  })

  it('one who never reads takes no turn of the event loop from the run', { tags: ['U7'] }, async () => {
    const { run, happen, end } = running()
    const idle = [follow(run), follow(run), follow(run)]
    for (const each of idle) void each.next()
    let turns = 0
    const counting = setImmediate(function count() {
      turns += 1
      setImmediate(count).unref()
    })
    for (const each of [created, started, ...message('m', ['a', 'b', 'c']), cancelled]) await happen(each)
    clearImmediate(counting)
    end()
    expect(turns).toBe(0)
    for (const each of idle) await each.return(undefined)
  })

  it('are told how the status changes, alike from the log and as it happens', { tags: ['U11'] }, async () => {
    const { run, happen, end } = running()
    const asked = event('cancel.requested', { by: 'user' }, origin) as Event
    const live = read(follow(run))
    for (const each of [created, started, asked, cancelled]) {
      await happen(each)
      await turn()
    }
    end()
    const later = await read(follow(run))
    const words = later.lines.map((line) => (line.type === 'status.changed' ? line.payload.to : line.type))
    expect(words).toEqual([
      'run.created',
      'run.started',
      'running',
      'cancel.requested',
      'cancelling',
      'cancelled',
      'run.interrupted',
    ])
    const stored = ({ lines }: Told) => lines.filter(({ type }) => type !== 'status.changed')
    expect(stored(await live)).toEqual(stored(later))
  })
})

describe('the text of a run', () => {
  const [begun] = message('m', []) as readonly [Event]
  const named = { messageId: 'm', scope: 'scratch' } as const
  const delta = (
    text: string,
    from: number,
    { after = 3, ...so }: { after?: number; soFar?: true } = {},
  ): RunSignal => {
    const line = { ...event('message.delta', { ...named, text, ...so }, origin), runId, threadId }
    return { kind: 'delta', after, from, line }
  }

  /** What a follower tells of these signals of a run whose log is this. */
  async function told(log: readonly Event[], signals: readonly RunSignal[]) {
    const events = logInMemory()
    for (const each of log) events.append(each)
    const mailbox = new Mailbox()
    for (const each of signals) mailbox.push(each)
    const run = {
      runId,
      threadId,
      events,
      feed: () => null,
      news: newsFrom(events.version),
      isAtWork: async () => true,
    }
    const lines: StreamEvent[] = []
    const leave = new AbortController()
    mailbox.push({ kind: 'wake', seq: log.length })
    for await (const line of follow(run, { mailbox, signal: leave.signal })) {
      lines.push(line)
      if ('position' in line && line.position === log.length) leave.abort()
    }
    return lines.flatMap((line) =>
      line.type === 'message.delta' ? [`${line.payload.soFar ? '=' : ''}${line.payload.text}`] : [],
    )
  }

  const log = [created, started, begun, event('notice', { code: 'n', message: '' }, origin) as Event]

  it('is shown once and without a gap, whatever is lost or comes twice', { tags: ['U6'] }, async () => {
    const soFar = delta('abcd', 0, { soFar: true })
    const lost = [delta('ab', 0), delta('ab', 0), delta('ef', 4), soFar, soFar, delta('cd', 2), delta('ef', 4)]
    expect(await told(log, lost)).toEqual(['ab', '=abcd', 'ef'])
    expect(await told(log, [delta('cd', 2)])).toEqual([])
  })

  it('is not continued where an earlier attempt began it', { tags: ['U6'] }, async () => {
    const resumed = [created, started, begun, crashed, again]
    expect(await told(resumed, [delta('ab', 0), delta('cd', 2, { after: 5 })])).toEqual(['ab'])
  })
})

describe('a run that another process works on', () => {
  /** A log that another process writes, with the version that tells of it. */
  function elsewhere() {
    const events = logInMemory()
    let version = 0
    let isAlive = true
    const run = {
      runId,
      threadId,
      events,
      feed: () => null,
      news: newsFrom(async () => version),
      isAtWork: async () => isAlive,
    }
    return {
      run,
      async happen(each: Event): Promise<StoredEvent> {
        version += 1
        return events.append(each)
      },
      die() {
        isAlive = false
      },
    }
  }

  it('is followed in its log until it ends', { tags: ['U6'] }, async () => {
    const { run, happen } = elsewhere()
    await happen(created)
    await happen(started)
    const told = new Told()
    const reading = read(follow(run, { after: 1 }), told)
    for (const each of message('m', [])) await happen(each)
    await happen(cancelled)
    await reading
    expect(told.positions).toEqual([2, 3, 4, 5])
    expect(told.lines.at(-1)?.type).toBe('run.interrupted')
  })

  it('is over when that process is gone, and says so', { tags: ['U6'] }, async () => {
    const { run, happen, die } = elsewhere()
    await happen(created)
    await happen(started)
    const lines = follow(run)
    for (let n = 0; n < 3; n += 1) await lines.next()
    die()
    const { value } = await lines.next()
    expect(value).toMatchObject({
      type: 'status.changed',
      payload: { from: 'running', to: 'interrupted', trigger: 'crashed' },
      runId,
    })
    expect((await lines.next()).done).toBe(true)
  })

  it('goes on for its readers while another process resumes it, which first stores how the last attempt ended', {
    tags: ['U6'],
  }, async () => {
    const { run, happen } = elsewhere()
    await happen(created)
    await happen(started)
    await happen(crashed)
    const told = new Told()
    const reading = read(follow(run, { after: 2 }), told)
    await new Promise((resolve) => setImmediate(resolve))
    await happen(again)
    await happen(over)
    await reading
    expect(told.positions).toEqual([3, 4, 5])
  })

  it('has its words again once that process, which was too busy to answer, does', { tags: ['U6'] }, async () => {
    const feed = new RunFeed(2)
    const lost: Channel = { state: 'lost', close() {} }
    const answers = [() => lost, () => lost, (mailbox: Mailbox) => feed.join(mailbox)]
    const live = { join: (_: string, mailbox: Mailbox) => (answers.shift() ?? (() => lost))(mailbox) }
    const { run, happen } = elsewhere()
    await happen(created)
    await happen(started)
    const told = new Told()
    const [begun, words] = message('m', ['It holds']) as readonly [Event, Event]
    const reading = read(follow({ ...run, live }, { after: 2 }), told)
    feed.publish({ ...(await happen(begun)), runId, threadId })
    await vi.waitFor(() => expect(feed.hasReaders).toBe(true))
    feed.publish({ ...words, runId, threadId } as StreamEvent)
    await vi.waitFor(() => expect(told.texts.get('m')).toBe('It holds'))
    feed.publish({ ...(await happen(cancelled)), runId, threadId })
    feed.close()
    await reading
    expect(told.positions).toEqual([3, 4])
  })

  it('is followed no longer than its reader wants', { tags: ['U6'] }, async () => {
    const { run, happen } = elsewhere()
    await happen(created)
    const leave = new AbortController()
    const lines = follow(run, { signal: leave.signal })
    expect((await lines.next()).value?.type).toBe('run.created')
    const waiting = lines.next()
    leave.abort()
    expect((await waiting).done).toBe(true)
  })
})

import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { RunNotFound } from '../../src/errors.ts'
import {
  type Event,
  type EventStore,
  type EventType,
  event,
  type Payloads,
  type RunFilter,
  statusOf,
} from '../../src/events/index.ts'
import { inOwnFolder, storages } from '../fixtures/storage/storages.ts'

describe.each(Object.entries(storages))('an event store in %s', (_, open) => {
  let store: EventStore
  let close: () => Promise<void>

  beforeEach(async () => {
    const opened = await inOwnFolder(open)
    store = opened.storage.events
    close = opened.close
  })
  afterEach(() => close())

  it('keeps events in order, with positions from 1 and without gaps', { tags: ['E4'] }, async () => {
    const events = runOf('r1', 't1')
    for (const each of events) await store.append(each)
    const stored = await collect(store.read('r1'))
    expect(stored).toEqual(events.map((each, index) => ({ ...each, position: index + 1 })))
  })

  it('reads from any position on', { tags: ['E4'] }, async () => {
    for (const each of runOf('r1', 't1')) await store.append(each)
    const all = await collect(store.read('r1'))
    for (let after = 0; after <= all.length + 1; after += 1) {
      expect(await collect(store.read('r1', after))).toEqual(all.slice(after))
    }
  })

  it.each(['passage '.repeat(200), `${'\u0000\ud800"\\é'.repeat(200)}`, 'short'])(
    'reads the result of a tool, and the message that repeats it, from any position',
    { tags: ['E4'] },
    async (text) => {
      const message = { messageId: 'm', role: 'tool', scope: 'scratch', toolCallId: 'c', superseded: false } as const
      const events = [
        created('r1', 't1'),
        fact('tool.completed', { status: 'success', content: text }, 'r1'),
        fact('message.completed', { ...message, text }, 'r1'),
        fact('message.completed', { ...message, text: `${text}.` }, 'r1'),
        fact('message.completed', { ...message, role: 'user', text }, 'r1'),
      ]
      for (const each of events) await store.append(each)
      const stored = events.map((each, index) => ({ ...each, position: index + 1 }))
      for (let after = 0; after < events.length; after += 1) {
        expect(await collect(store.read('r1', after))).toEqual(stored.slice(after))
      }
    },
  )

  it('reads the logs of many runs in the order in which they are named, and an empty one where there is none', async () => {
    const ids = Array.from({ length: 60 }, (_, index) => `r${index}`)
    for (const id of ids) for (const each of runOf(id, id)) await store.append(each)
    const wanted = ['none', ...ids.toReversed(), 'r7']
    const logs = await collect(store.logs(wanted))
    const single = await Promise.all(wanted.map((id) => collect(store.read(id))))
    expect(logs).toEqual(single)
    expect(await collect(store.logs([]))).toEqual([])
  })

  it('lists the ids of runs, oldest first', async () => {
    for (const [run, thread] of [
      ['r2', 't2'],
      ['r1', 't1'],
      ['r3', 't2'],
    ] as const) {
      await store.append(created(run, thread))
    }
    expect(await store.ids()).toEqual(['r2', 'r1', 'r3'])
  })

  it('finds the runs whose answers cite a document, also where the end repeats a long answer', async () => {
    const citationOf = (documentId: string) => ({
      ...{ marker: 1, label: 'P1', documentId, title: null, source: 'a.md', page: 1, section: null },
      ...{ quote: 'words '.repeat(300), start: 0, end: 1800, verified: true },
    })
    const said = { messageId: 'm', role: 'assistant', scope: 'thread', superseded: false } as const
    for (const [runId, documentId] of [
      ['r1', 'first'],
      ['r2', 'second'],
      ['r3', 'first'],
    ] as const) {
      const citations = [citationOf(documentId)]
      await store.append(created(runId, 't1'))
      await store.append(fact('message.completed', { ...said, text: completion.answer, citations }, runId))
      await store.append(fact('run.completed', { ...completion, citations }, runId))
    }
    await store.append(created('r4', 't1'))
    expect(await store.citing(['first'])).toEqual(['r1', 'r3'])
    expect(await store.citing(['second', 'third'])).toEqual(['r2'])
    expect(await store.citing(['third'])).toEqual([])
  })

  it('reads a log longer than one page', async () => {
    for (let count = 0; count < 1_234; count += 1)
      await store.append(fact('notice', { code: 'n', message: `${count}` }, 'r1'))
    const positions = (await collect(store.read('r1'))).map(({ position }) => position)
    expect(positions).toEqual(Array.from({ length: 1_234 }, (_, index) => index + 1))
  })

  it('numbers events of runs that are written at the same time each by itself', async () => {
    const ids = ['r1', 'r2', 'r3']
    await Promise.all(
      ids.flatMap((id) =>
        Array.from({ length: 20 }, () => store.append(fact('notice', { code: 'n', message: '' }, id))),
      ),
    )
    for (const id of ids) {
      const positions = (await collect(store.read(id))).map(({ position }) => position)
      expect(positions).toEqual(Array.from({ length: 20 }, (_, index) => index + 1))
    }
  })

  it('knows the newest run of a thread', async () => {
    for (const [run, thread] of [
      ['r1', 't1'],
      ['r2', 't1'],
      ['r3', 't2'],
    ] as const) {
      for (const each of runOf(run, thread)) await store.append(each)
    }
    expect(await store.latestRun('t1')).toEqual((await store.runs({ threadId: 't1' })).at(-1))
    expect(await store.latestRun('t2')).toMatchObject({ runId: 'r3' })
    expect(await store.latestRun('t3')).toBeNull()
  })

  it('keeps events in the order in which they were handed over, waited for or not', async () => {
    const events = Array.from({ length: 50 }, (_, count) => fact('notice', { code: 'n', message: `${count}` }, 'r1'))
    await Promise.all(events.map((each) => store.append(each)))
    expect((await collect(store.read('r1'))).map(({ id }) => id)).toEqual(events.map(({ id }) => id))
  })

  it('gives back any text as it was', async () => {
    const text = fc.string({ unit: 'binary', maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(text, fc.constantFrom('', '\0', '\ud800', '"', '\u2028'), async (start, end) => {
        const runId = randomUUID()
        const question = start + end
        await store.append(created(runId, 't1', { question }))
        expect((await store.run(runId)).question).toBe(question)
        const [first] = await collect(store.read(runId))
        expect(first?.payload).toMatchObject({ question })
      }),
      { numRuns: 50 },
    )
  })

  it('knows a run by what its events say', { tags: ['E3'] }, async () => {
    const events = runOf('r1', 't1', { question: 'Why?' })
    for (const [index, each] of events.entries()) {
      await store.append(each)
      const { status, ...record } = await store.run('r1')
      expect(record).toEqual({ runId: 'r1', threadId: 't1', turn: 1, question: 'Why?' })
      expect(status).toEqual(statusOf(events.slice(0, index + 1)))
    }
  })

  it('knows a run that was interrupted, resumed and ended twice over', { tags: ['E3'] }, async () => {
    const events = [
      ...runOf('r1', 't1').slice(0, -1),
      fact('run.interrupted', { reason: 'approval' }, 'r1'),
      fact('approval.resolved', { approvalId: 'c1', approved: true }, 'r1'),
      fact('run.started', { attempt: 2, question: 'Why?', model: 'extractive' }, 'r1'),
      fact('run.failed', { code: 'x', message: 'no', recoverable: false }, 'r1'),
      fact('run.completed', completion, 'r1'),
      fact('notice', { code: 'late', message: '' }, 'r1'),
    ]
    for (const each of events) await store.append(each)
    expect((await store.run('r1')).status).toEqual(statusOf(events))
    expect((await store.run('r1')).status.state).toBe('failed')
  })

  it('lists runs, oldest first, and those of a thread', async () => {
    for (const each of [...runOf('r2', 't1'), ...runOf('r1', 't2'), ...runOf('r3', 't1', { turn: 2 })])
      await store.append(each)
    expect((await store.runs()).map(({ runId }) => runId)).toEqual(['r2', 'r1', 'r3'])
    expect((await store.runs({ threadId: 't1' })).map(({ runId, turn }) => [runId, turn])).toEqual([
      ['r2', 1],
      ['r3', 2],
    ])
    expect(await store.runs({ threadId: 'unknown' })).toEqual([])
  })

  it('lists the newest runs, oldest first, if it is asked for so many', async () => {
    for (const [index, run] of ['r1', 'r2', 'r3'].entries()) await store.append(created(run, 't1', { turn: index + 1 }))
    await store.append(created('r4', 't2'))
    const ids = async (filter: RunFilter) => (await store.runs(filter)).map(({ runId }) => runId)
    expect(await ids({ limit: 2 })).toEqual(['r3', 'r4'])
    expect(await ids({ threadId: 't1', limit: 2 })).toEqual(['r2', 'r3'])
    expect(await ids({ unfinished: true, limit: 3 })).toEqual(['r2', 'r3', 'r4'])
    expect(await ids({ unfinished: true, limit: 0 })).toEqual([])
  })

  it('keeps events that belong to no run, and lists no run for them', async () => {
    const stored = await store.append(fact('bootstrap.started', { step: 'storage' }, 'engine'))
    expect(stored.position).toBe(1)
    expect(await collect(store.read('engine'))).toEqual([stored])
    expect(await store.runs()).toEqual([])
  })

  it('knows no run that was not created', async () => {
    await expect(store.run('r1')).rejects.toThrow(RunNotFound)
    expect(await collect(store.read('r1'))).toEqual([])
  })
})

const completion: Payloads['run.completed'] = {
  stopReason: 'answered',
  ending: null,
  standaloneQuestion: 'Why?',
  answer: 'Because.',
  abstained: false,
  confidence: 0.7,
  clarification: null,
  citations: [],
  unsupported: [],
  error: null,
}

function runOf(runId: string, threadId: string, options: { question?: string; turn?: number } = {}): Event[] {
  const usage = { inputTokens: 10, outputTokens: null, costUsd: 0.5 }
  const toolCalls = [{ id: 'c1', name: 'search', args: { query: 'x', deep: [null, { a: 1 }] } }]
  const origin = { correlationId: runId, agent: 'research', causationId: 'span' }
  return [
    created(runId, threadId, options),
    fact('run.started', { attempt: 1, question: 'Why?', model: 'extractive' }, runId),
    event('model.started', { model: 'extractive', messages: 2 }, origin),
    event('model.completed', { usage, finishReason: 'stop', toolCalls, messageId: 'm', contextPercent: 3 }, origin),
    fact('approval.requested', { approvals: toolCalls }, runId),
    fact('run.completed', completion, runId),
  ] as Event[]
}

function created(
  runId: string,
  threadId: string,
  { question = 'Why?', turn = 1, timestamp = new Date().toISOString() } = {},
): Event {
  return { ...fact('run.created', { threadId, turn, question, documents: null }, runId), timestamp } as Event
}

function fact<T extends EventType>(type: T, payload: Payloads[T], correlationId: string): Event {
  return event(type, payload, { correlationId }) as unknown as Event
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = []
  for await (const item of items) collected.push(item)
  return collected
}

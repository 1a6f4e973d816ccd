import { afterEach, describe, expect, it, vi } from 'vitest'
import { type Event, event, type StreamEvent } from '../../../../../src/events/index.ts'
import { RunFeed } from '../../../../../src/runs/follow/feed.ts'
import { PublishedRun } from '../../../../../src/storage/postgres/live/published-run.ts'
import type { RunSignal } from '../../../../../src/storage/run-signals.ts'

function publishing() {
  const feed = new RunFeed(0)
  const sent: RunSignal[] = []
  const published = new PublishedRun(feed, async (signals) => void sent.push(...signals))
  const publish = (text: string) => {
    const delta = event('message.delta', { messageId: 'm', scope: 'scratch', text }, { correlationId: 'r' }) as Event
    feed.publish({ ...delta, runId: 'r', threadId: 't' } as StreamEvent)
  }
  const sends = (count: number) => vi.waitFor(() => expect(sent.length).toBeGreaterThanOrEqual(count))
  return { feed, sent, published, publish, sends }
}

const textsIn = (sent: readonly RunSignal[]) =>
  sent.map((signal) => (signal.kind === 'delta' ? [signal.from, signal.line.payload.text] : signal.seq))

describe('a run that is published', () => {
  afterEach(() => void vi.useRealTimers())

  it('sends nothing before somebody asks, and no more when nobody does', async () => {
    const { published, publish, sent, feed, sends } = publishing()
    publish('a')
    expect([sent, feed.hasReaders]).toEqual([[], false])
    vi.useFakeTimers({ toFake: ['performance'] })
    published.ask()
    await sends(2)
    vi.advanceTimersByTime(9_000)
    publish('b')
    await sends(3)
    published.ask()
    await sends(5)
    vi.advanceTimersByTime(11_000)
    publish('c')
    await vi.waitFor(() => expect(feed.hasReaders).toBe(false))
    expect(textsIn(sent)).toEqual([0, [0, 'a'], [1, 'b'], 0, [0, 'ab']])
  })

  it('sends what comes once, whoever asks, and the text so far for each who does', async () => {
    const { published, publish, sent, feed, sends } = publishing()
    published.ask()
    publish('a')
    await sends(2)
    published.ask()
    publish('b')
    feed.close()
    await published.close()
    expect(textsIn(sent)).toEqual([0, [0, 'a'], 0, [0, 'a'], [1, 'b']])
  })

  it('sends the text so far in place of deltas that were too many, and no event but its position', async () => {
    const { published, publish, sent, feed } = publishing()
    const line = event('notice', { code: 'n', message: '' }, { correlationId: 'r' }) as Event
    published.ask()
    feed.publish({ ...line, position: 1, runId: 'r', threadId: 't' } as StreamEvent)
    for (let n = 0; n < 3000; n += 1) publish('x')
    await vi.waitFor(() => expect(textsIn(sent).at(-1)).toEqual([0, 'x'.repeat(3000)]))
    const wakes = sent.filter(({ kind }) => kind === 'wake')
    expect(wakes).toEqual([0, 1, 1].map((seq) => ({ kind: 'wake', seq })))
    expect(sent).toHaveLength(4)
    feed.close()
    await published.close()
  })

  it('can be asked for again after it could not be sent', async () => {
    const feed = new RunFeed(3)
    const sent: RunSignal[] = []
    let isAway = true
    const published = new PublishedRun(feed, async (signals) => {
      if (isAway) throw new Error('away')
      sent.push(...signals)
    })
    published.ask()
    await vi.waitFor(() => expect(feed.hasReaders).toBe(false))
    isAway = false
    published.ask()
    await vi.waitFor(() => expect(sent).toEqual([{ kind: 'wake', seq: 3 }]))
    feed.close()
  })
})

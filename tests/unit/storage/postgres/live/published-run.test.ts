import { afterEach, describe, expect, it, vi } from 'vitest'
import { type Event, event, type StreamEvent } from '../../../../../src/events/index.ts'
import { RunFeed } from '../../../../../src/runs/follow/feed.ts'
import { PublishedRun } from '../../../../../src/storage/postgres/live/published-run.ts'
import type { RunMessage } from '../../../../../src/storage/postgres/live/run-messages.ts'

function publishing() {
  const feed = new RunFeed(0)
  const sent: RunMessage[] = []
  const published = new PublishedRun(
    () => feed.join(),
    async (message) => void sent.push(message),
  )
  const publish = (text: string) => {
    const delta = event('message.delta', { messageId: text, scope: 'scratch', text }, { correlationId: 'r' }) as Event
    feed.publish({ ...delta, runId: 'r', threadId: 't' } as StreamEvent)
  }
  const sends = (count: number) => vi.waitFor(() => expect(sent.length).toBeGreaterThanOrEqual(count))
  return { feed, sent, published, publish, sends }
}

const kindsOf = (sent: readonly RunMessage[]) => sent.map((message) => Object.keys(message).at(-1))

describe('a run that is published', () => {
  afterEach(() => void vi.useRealTimers())

  it('sends nothing before somebody asks, and no more when nobody does', async () => {
    const { published, publish, sent, feed, sends } = publishing()
    publish('a')
    published.endIfUnwanted()
    expect([sent, feed.hasReaders]).toEqual([[], false])
    vi.useFakeTimers({ toFake: ['performance'] })
    published.join()
    await sends(1)
    vi.advanceTimersByTime(9_000)
    expect(published.want()).toBe(true)
    vi.advanceTimersByTime(9_000)
    published.endIfUnwanted()
    expect(feed.hasReaders).toBe(true)
    vi.advanceTimersByTime(9_000)
    published.endIfUnwanted()
    await sends(2)
    expect([kindsOf(sent), feed.hasReaders, published.want()]).toEqual([['soFar', 'isOver'], false, false])
  })

  it('sends the lines once, whoever joins, and an opening for each who does', async () => {
    const { published, publish, sent, feed, sends } = publishing()
    published.join()
    publish('a')
    await sends(2)
    published.join()
    published.join()
    publish('b')
    feed.close()
    await published.close()
    expect(kindsOf(sent)).toEqual(['soFar', 'lines', 'soFar', 'lines', 'isOver'])
    expect(sent.flatMap((message) => ('sequence' in message ? [message.sequence] : []))).toEqual([0, 1, 2, 3])
  })

  it('leaves a place empty for lines that were too many, and goes on for those who join again', async () => {
    const feed = new RunFeed(0, { linesKept: 1 })
    const sent: RunMessage[] = []
    const published = new PublishedRun(
      () => feed.join(),
      async (message) => void sent.push(message),
    )
    published.join()
    const line = event('notice', { code: 'n', message: '' }, { correlationId: 'r' }) as Event
    for (let n = 0; n < 3; n += 1) feed.publish({ ...line, position: n + 1, runId: 'r', threadId: 't' } as StreamEvent)
    published.join()
    feed.close()
    await published.close()
    expect(sent).toMatchObject([{ sequence: 0 }, { sequence: 2, position: 3 }, { isOver: true }])
  })
})

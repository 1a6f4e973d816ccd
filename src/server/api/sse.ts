import type { Context } from 'hono'
import { streamSSE } from 'hono/streaming'
import type { StreamEvent } from '../../index.ts'
import { describeError } from '../access/refusals.ts'

/** Comments keep idle connections open. Milliseconds. */
const heartbeatMs = 10_000

/**
 * Events as Server-Sent Events: `event` is the type, `id` the position in the run's log, `data` the event as JSON. Deltas
 * have no id: after a reconnection the first delta of a message holds its whole text so far (`soFar`). An error after
 * the beginning is an event `error`.
 */
export function sendEvents(
  c: Context,
  events: AsyncIterable<StreamEvent>,
  headers: Readonly<Record<string, string>> = {},
): Response {
  for (const [name, value] of Object.entries(headers)) c.header(name, value)
  c.header('Cache-Control', 'private, no-cache, no-transform')
  c.header('X-Accel-Buffering', 'no')
  return streamSSE(c, async (stream) => {
    const iterator = events[Symbol.asyncIterator]()
    stream.onAbort(() => void iterator.return?.())
    const beat = setInterval(() => void stream.write(': heartbeat\n\n'), heartbeatMs)
    try {
      for (let next = await iterator.next(); !next.done && !stream.aborted; next = await iterator.next()) {
        const event = next.value
        const id = 'position' in event ? { id: String(event.position) } : {}
        await stream.writeSSE({ ...id, event: event.type, data: JSON.stringify(event) })
      }
    } catch (error) {
      await stream.writeSSE({ event: 'error', data: JSON.stringify(describeError(error).body) })
    } finally {
      clearInterval(beat)
    }
  })
}

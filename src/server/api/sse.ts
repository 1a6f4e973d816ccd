import type { Context } from 'hono'
import type { StreamEvent } from '../../index.ts'
import { describeError } from '../access/refusals.ts'
import { eventStream } from './event-stream.ts'
import type { Served } from './routes.ts'

const heartbeat = { text: ': heartbeat\n\n', everyMs: 10_000 }

/**
 * Events as Server-Sent Events: `event` is the type, `id` the position in the run's log, `data` the event as JSON. Deltas
 * have no id: after a reconnection the first delta of a message holds its whole text so far (`soFar`). An error after
 * the beginning is an event `error`.
 */
export function sendEvents(
  c: Context<Served>,
  events: AsyncIterable<StreamEvent>,
  headers: Readonly<Record<string, string>> = {},
): Response {
  for (const [name, value] of Object.entries(headers)) c.header(name, value)
  return eventStream(
    c,
    async (out) => {
      for await (const event of events) {
        const id = 'position' in event ? { id: String(event.position) } : {}
        await out.writeSSE({ ...id, event: event.type, data: JSON.stringify(event) })
      }
    },
    {
      heartbeat,
      onError: (error, out) => out.writeSSE({ event: 'error', data: JSON.stringify(describeError(error).body) }),
    },
  )
}

import type { Context } from 'hono'
import { describeError } from '../access/refusals.ts'
import { eventStream } from '../api/event-stream.ts'
import type { Served } from '../api/routes.ts'
import type { Frame } from './frames.ts'

/**
 * Below the shortest patience of the SDK, which measures the pauses between comments. One line feed: after a blank line the
 * SDK would read an event without a name.
 */
const heartbeat = { text: ': heartbeat\n', everyMs: 5_000 }

/** Sends frames as Server-Sent Events until they end, or the reader leaves. */
export function sse(c: Context<Served>, frames: AsyncIterable<Frame>): Response {
  return eventStream(
    c,
    async (out) => {
      for await (const { id, event, data } of frames)
        await out.writeSSE({ ...(id !== '' && { id }), event, data: JSON.stringify(data) })
    },
    { heartbeat, onError: (error, out) => out.writeSSE({ event: 'error', data: JSON.stringify(errorFrom(error)) }) },
  )
}

/** An error in the form of LangGraph's server. */
export function errorFrom(error: unknown) {
  const { code, message } = describeError(error).body.error
  return { error: code, message }
}

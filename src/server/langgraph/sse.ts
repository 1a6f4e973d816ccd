import type { Context } from 'hono'
import { streamSSE } from 'hono/streaming'
import type { Frame } from './frames.ts'

/** Below the shortest patience of the SDK, which measures the pauses between comments. Milliseconds. */
const heartbeatMs = 5_000
/** One line feed: after a blank line the SDK would read an event without a name. */
const heartbeat = ': heartbeat\n'

/** Sends frames as Server-Sent Events until they end, or the reader leaves. */
export function sse(c: Context, frames: (left: AbortSignal) => AsyncIterable<Frame>): Response {
  c.header('Cache-Control', 'private, no-cache, no-transform')
  c.header('X-Accel-Buffering', 'no')
  return streamSSE(c, async (out) => {
    const left = new AbortController()
    out.onAbort(() => left.abort())
    const beat = setInterval(() => void out.write(heartbeat), heartbeatMs)
    try {
      for await (const { id, event, data } of frames(left.signal)) {
        if (out.aborted) break
        await out.writeSSE({ ...(id !== '' && { id }), event, data: JSON.stringify(data) })
      }
    } finally {
      clearInterval(beat)
    }
  })
}

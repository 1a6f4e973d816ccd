import type { Context } from 'hono'
import { type SSEStreamingApi, streamSSE } from 'hono/streaming'
import type { Served } from './routes.ts'

export interface EventStreamOptions {
  /** Keeps idle connections open. */
  readonly heartbeat?: { readonly text: string; readonly everyMs: number }
  /** Tells of an error after the beginning, in the form that clients of the protocol know; it ends the stream. */
  readonly onError: (error: unknown, out: SSEStreamingApi) => Promise<unknown>
}

/** Server-Sent Events, as all protocols send them. A client that leaves ends what its request reads. */
export function eventStream(
  c: Context<Served>,
  send: (out: SSEStreamingApi) => Promise<void>,
  { heartbeat, onError }: EventStreamOptions,
): Response {
  const response = streamSSE(c, async (out) => {
    out.onAbort(() => c.var.left.abort())
    const beat = heartbeat && setInterval(() => void out.write(heartbeat.text), heartbeat.everyMs)
    try {
      await send(out)
    } catch (error) {
      await onError(error, out)
    } finally {
      clearInterval(beat)
    }
  })
  // Set afterwards, in both places that Hono reads: its helper sets one that lets caches between keep and change an answer.
  for (const [name, value] of headers) {
    c.header(name, value)
    response.headers.set(name, value)
  }
  return response
}

const headers = [
  ['Cache-Control', 'private, no-cache, no-transform'],
  ['X-Accel-Buffering', 'no'],
] as const

import type { Context } from 'hono'
import { streamSSE } from 'hono/streaming'
import { type RunStep, runSteps } from '../../events/index.ts'
import type { RunResult, StreamEvent } from '../../index.ts'
import { problemOf } from '../access/refusals.ts'
import type { UserEngine } from '../user/user-engine.ts'
import type { Protocol, Served } from './protocol.ts'

/** A Server-Sent Event; data that is no text is sent as JSON. Or a comment, which clients do not show. */
export type Frame =
  | { readonly id?: string; readonly event?: string; readonly data: unknown }
  | { readonly comment: string }

/** Keeps idle connections open. */
export interface Heartbeat {
  /** As it is sent. */
  readonly text: string
  readonly everyMs: number
}

/** How a protocol shows one run to one reader. */
export interface RunView {
  frames(step: RunStep): Iterable<Frame>
  /** What follows the last step, once the run has ended or waits. */
  closing(result: RunResult): Iterable<Frame>
}

/** Events whose first one has come: what is refused before is thrown, where it can still be a status of HTTP. */
export interface Begun<Event = StreamEvent> {
  readonly first: Event | null
  /** All of them, the first included. */
  readonly events: AsyncIterable<Event>
}

export async function begun<Event>(events: AsyncIterable<Event>): Promise<Begun<Event>> {
  const iterator = events[Symbol.asyncIterator]()
  const first = await iterator.next()
  return { first: first.done ? null : first.value, events: withFirst(first, iterator) }
}

async function* withFirst<T>(first: IteratorResult<T>, rest: AsyncIterator<T>): AsyncIterable<T> {
  try {
    for (let next = first; !next.done; next = await rest.next()) yield next.value
  } finally {
    await rest.return?.()
  }
}

/** A run as a protocol shows it, to its end; `known` is its id where there may be no event. */
export async function* framesOfRun(
  engine: UserEngine,
  events: AsyncIterable<StreamEvent>,
  view: RunView,
  known = '',
): AsyncGenerator<Frame> {
  let runId = known
  for await (const step of runSteps(events)) {
    runId = step.event.runId
    yield* view.frames(step)
  }
  yield* view.closing(await engine.result(runId))
}

/** Sends a run to its end. What is refused before its first event is thrown. */
export async function sendRun(
  c: Context<Served>,
  protocol: Protocol,
  run: AsyncIterable<StreamEvent>,
  view: RunView,
): Promise<Response> {
  const { events } = await begun(run)
  return sendFrames(c, protocol, framesOfRun(c.var.engine, events, view))
}

/**
 * Sends frames as Server-Sent Events, until they end or the client leaves, which ends what its request reads. An error is
 * told in the form of the protocol, and ends the stream.
 */
export function sendFrames(
  c: Context<Served>,
  { failure, heartbeat }: Protocol,
  frames: AsyncIterable<Frame>,
): Response {
  const response = streamSSE(c, async (out) => {
    out.onAbort(() => c.var.left.abort())
    const beat = heartbeat && setInterval(() => void out.write(heartbeat.text), heartbeat.everyMs)
    const send = async (all: AsyncIterable<Frame> | Iterable<Frame>) => {
      for await (const frame of all) {
        if ('comment' in frame) await out.write(`: ${frame.comment}\n\n`)
        else await out.writeSSE({ ...frame, data: textOf(frame.data) })
      }
    }
    try {
      await send(frames)
    } catch (error) {
      await send(failure(problemOf(error)))
    } finally {
      clearInterval(beat)
    }
  })
  // Set afterwards, in both places that Hono reads: its helper sets one that lets caches between keep and change an answer.
  for (const [name, value] of streamHeaders) {
    c.header(name, value)
    response.headers.set(name, value)
  }
  return response
}

const streamHeaders = [
  ['Cache-Control', 'private, no-cache, no-transform'],
  ['X-Accel-Buffering', 'no'],
] as const

function textOf(data: unknown): string {
  return typeof data === 'string' ? data : JSON.stringify(data)
}

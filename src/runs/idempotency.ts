import { createHash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { IdempotencyKeyReused, RunEnded, RunNotFound, ThreadBusy } from '../errors.ts'
import type { EventStore } from '../events/index.ts'
import type { Storage } from '../storage/storage.ts'
import { liveStatus } from './log/live-status.ts'

/**
 * The id of the run that a key stands for. It follows from the key alone, so that whoever repeats a request, in this
 * process, another or a later one, names the same run, and the log itself refuses to begin it twice. A UUID of version 8
 * (RFC 9562), made of the key's SHA-256.
 */
export function runIdOf(key: string): string {
  const bytes = createHash('sha256').update(`quaero idempotency key\n${key}`).digest().subarray(0, 16)
  const hex = Buffer.from(bytes.map((byte, index) => withVersion(byte, index))).toString('hex')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/**
 * True if the run is in the log already, so that the request repeats an earlier one. Throws `IdempotencyKeyReused` if
 * that one asked something else.
 */
export async function isRepeated(
  runId: string,
  { question, threadId }: { readonly question: string; readonly threadId: string | undefined },
  events: Pick<EventStore, 'run'>,
): Promise<boolean> {
  const known = await events.run(runId).catch((error: unknown) => {
    if (error instanceof RunNotFound) return null
    throw error
  })
  if (!known) return false
  if (known.question === question && (threadId ?? known.threadId) === known.threadId) return true
  throw new IdempotencyKeyReused(
    `This idempotency key stands for run ${runId}, which asks "${known.question}" on thread "${known.threadId}". Give another question a key of its own.`,
  )
}

/** How long whoever is quicker is given until its first line is in the log. Milliseconds. */
const headStartMs = 20

/**
 * Goes on with the run of a repeated request by `resume` where it was interrupted; where it waits, has ended or is under
 * way, also because somebody else who repeats the request was quicker, nothing is begun. Throws `ThreadBusy` where another
 * run holds the thread, and what `resume` throws.
 */
export async function goOnIfInterrupted(runId: string, resume: () => Promise<void>, storage: Storage): Promise<void> {
  for (;;) {
    const { threadId, status } = await liveStatus(await storage.events.run(runId), storage)
    if (status.state !== 'interrupted') return
    try {
      return await resume()
    } catch (error) {
      if (!(await isBeaten(error, { runId, threadId }, storage))) throw error
    }
    await wait(headStartMs)
  }
}

/** True if the run could not be resumed because somebody else has done so, or is about to. */
async function isBeaten(
  error: unknown,
  { runId, threadId }: { readonly runId: string; readonly threadId: string },
  { leases }: Storage,
): Promise<boolean> {
  if (error instanceof RunEnded) return true
  if (!(error instanceof ThreadBusy)) return false
  const holder = await leases.holder(threadId)
  return holder === null || holder.runId === runId
}

/** Version and variant, where a UUID has them. */
function withVersion(byte: number, index: number): number {
  if (index === 6) return (byte & 0x0f) | 0x80
  return index === 8 ? (byte & 0x3f) | 0x80 : byte
}

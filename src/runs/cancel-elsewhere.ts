import { ThreadBusy } from '../errors.ts'
import type { Event, Subscribers } from '../events/index.ts'
import type { Storage } from '../storage/storage.ts'
import { Attempt, closeWhatCrashed } from './attempt/attempt.ts'
import { collect } from './attempt/graph-calls.ts'

export interface CancelParts {
  readonly storage: Storage
  readonly audience: Subscribers
  readonly model: string
}

/**
 * Ends a run that this process does not work on: at once if nobody does, else when whoever does sees the request. Its
 * thread is taken meanwhile, so that nobody begins to work on it.
 */
export async function cancelElsewhere(requested: Event, threadId: string, parts: CancelParts): Promise<void> {
  const { storage, audience, model } = parts
  const runId = requested.correlationId
  const isTaken = await takesThread(runId, threadId, storage)
  try {
    if (!isTaken && (await storage.leases.holder(threadId))?.runId === runId) {
      await storage.events.append(requested)
      return
    }
    // What still happens to it is stored and told like anything else.
    const log = await collect(storage.events.read(runId))
    const attempt = new Attempt(
      { storage, audience, hooks: () => [] },
      { runId, threadId, log, model, question: '', documents: null },
    )
    for (const each of [...closeWhatCrashed(log), requested]) await attempt.emit(each)
    await storage.dropParked(runId)
  } finally {
    if (isTaken) await storage.leases.release(threadId, runId)
  }
}

/** False if somebody works on the run, or on another of its thread. */
async function takesThread(runId: string, threadId: string, { leases }: Storage): Promise<boolean> {
  try {
    await leases.acquire(threadId, runId)
    return true
  } catch (error) {
    if (error instanceof ThreadBusy) return false
    throw error
  }
}

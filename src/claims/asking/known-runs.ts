import { logOf, type RunResult, resultOf, runIdOf } from '../../runs/index.ts'
import type { Storage } from '../../storage/index.ts'

/** What the run of an idempotency key has come to; null if there is none. */
export type ReadRun = (idempotencyKey: string) => Promise<RunResult | null>

/** Reads runs from the log. */
export function runReader(storage: Pick<Storage, 'events'>): ReadRun {
  return async (key) => {
    const log = await logOf(runIdOf(key), storage)
    return log.length === 0 ? null : resultOf(log)
  }
}

/** A question that may have been asked before: the key of its run, and the result of that; null if it has none. */
export interface KnownRun {
  readonly key: string
  readonly known: RunResult | null
}

/**
 * The run of a question: the newest of its key that did not fail, or else a new one. A run is named by all that its answer
 * depends on, so that tables and reports need no place of their own: what was asked once is found in the log by whoever asks
 * again, and what was interrupted goes on.
 */
export async function knownRun(asked: readonly string[], afresh: boolean, read: ReadRun): Promise<KnownRun> {
  const base = runIdOf(asked.join('\n'))
  let newest: KnownRun | null = null
  for (let attempt = 1; ; attempt += 1) {
    const key = `claims ${attempt} ${base}`
    const result = await read(key)
    if (result === null) {
      const isToAsk = !newest || afresh || (newest.known !== null && hasFailed(newest.known.status))
      return isToAsk || !newest ? { key, known: null } : newest
    }
    newest = { key, known: isOver(result.status) ? result : null }
  }
}

/** A run that ended so is not the last word: the next one asks again. */
export function hasFailed(status: RunResult['status']): boolean {
  return status === 'failed' || status === 'cancelled'
}

/** The run has an answer, or says that there is none. */
export function hasResult(status: RunResult['status']): boolean {
  return status === 'completed' || status === 'limit_reached' || status === 'clarification_needed'
}

function isOver(status: RunResult['status']): boolean {
  return hasFailed(status) || hasResult(status)
}

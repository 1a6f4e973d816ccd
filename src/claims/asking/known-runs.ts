import type { StoredEvent } from '../../events/index.ts'
import { type ReadRun, type RunResult, runIdOf } from '../../runs/index.ts'

/** A question that may have been asked before: the key of its run, and the result of that; null if it has none. */
export interface KnownRun {
  readonly key: string
  readonly known: RunResult | null
  /** The newest, whatever it came to. */
  readonly last: RunResult | null
  /** What it came to before, where it is asked again. */
  readonly before: RunResult | null
}

/**
 * The run of a question: the newest of its key that did not fail, or else a new one. A run is named by all that its answer
 * depends on, so that tables and reports need no place of their own: what was asked once is found in the log by whoever asks
 * again, and what was interrupted goes on.
 */
export async function knownRun(asked: readonly string[], afresh: boolean, read: ReadRun): Promise<KnownRun> {
  const base = runIdOf(asked.join('\n'))
  let newest: KnownRun | null = null
  let last: RunResult | null = null
  let before: RunResult | null = null
  for (let attempt = 1; ; attempt += 1) {
    const key = `claims ${attempt} ${base}`
    const result = await read(key)
    if (result === null) return newest ?? { key, known: null, last, before }
    last = result
    const isOpen = !isOver(result.status)
    const settled = isOpen || problemOf(result) !== null ? null : result
    // What was begun afresh and stopped is resumed.
    newest = isOpen || (settled && !afresh) ? { key, known: settled, last, before } : null
    before = settled ?? before
  }
}

/** Why a run is not the last word, so that the next one asks again; null if it is, or has not ended. */
export function problemOf({ status, error, ending, abstained, sentences }: RunResult): string | null {
  if (hasFailed(status)) return error?.message ?? `The run was ${status}.`
  if (!hasResult(status)) return null
  // One whose model failed has ended with an answer too, of quotes alone.
  if (error !== null) return error.message
  // Whoever had to stop searching cannot say that there is nothing.
  const hasAnswer = !abstained && sentences.some(({ state }) => state !== 'unsupported')
  return ending && !hasAnswer ? `The limit of ${ending.limit} was reached.` : null
}

function hasFailed(status: RunResult['status']): boolean {
  return status === 'failed' || status === 'cancelled'
}

/** The run has an answer, or says that there is none. */
export function hasResult(status: RunResult['status']): boolean {
  return status === 'completed' || status === 'limit_reached' || status === 'clarification_needed'
}

function isOver(status: RunResult['status']): boolean {
  return hasFailed(status) || hasResult(status)
}

/** What tools have returned to a run: it names the ids of all passages that were found or read. */
export function openedIn(log: readonly StoredEvent[]): string {
  return log.flatMap((event) => (event.type === 'tool.completed' ? event.payload.content : [])).join('\n')
}

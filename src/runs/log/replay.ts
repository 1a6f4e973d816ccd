import { UsageError } from '../../errors.ts'
import { type RunStatus, type StoredEvent, statusOf } from '../../events/index.ts'
import type { RunResult } from './result.ts'
import { resultOf } from './run-result.ts'
import { messagesIn, type ThreadMessage } from './threads.ts'

/** A run as it stood after one of its events. */
export interface Replay {
  /** The position replayed to, and the last one there is. */
  readonly position: number
  readonly last: number
  readonly status: RunStatus
  /** What had been said in the conversation by then. */
  readonly messages: readonly ThreadMessage[]
  /** The result as it followed from the events up to there. */
  readonly result: RunResult
}

/**
 * A run again, from its log and nothing else: no model, no tool, no network, no clock. Throws `UsageError` for a
 * position that the log does not have.
 */
export function replay(log: readonly StoredEvent[], to = log.length): Replay {
  if (!Number.isInteger(to) || to < 1 || to > log.length) {
    throw new UsageError(`The run's log has the positions 1 to ${log.length}; name one of them, not ${to}`)
  }
  const past = log.slice(0, to)
  return {
    position: to,
    last: log.length,
    status: statusOf(past),
    messages: messagesIn(past),
    result: resultOf(past),
  }
}

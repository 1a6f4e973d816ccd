import type { RunInProgress } from './attempt/attempt.ts'
import type { ApprovalOptions } from './hooks/approval.ts'
import type { RunLimits } from './hooks/limits.ts'

/** A question that is to become a run. */
export interface StartRequest extends AttemptOptions {
  /** A new one is made if absent. */
  readonly runId?: string
  readonly question: string
  readonly threadId: string
  readonly userId?: string
  readonly documents: readonly string[] | null
}

/** What may differ from one attempt to the next. */
export interface AttemptOptions {
  readonly limits: RunLimits
  readonly approve: ApprovalOptions['mode']
  readonly signal?: AbortSignal
  readonly onBegin?: (run: RunInProgress) => void
}

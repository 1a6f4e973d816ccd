import type { RunInProgress } from './attempt/attempt.ts'
import type { ApprovalOptions } from './hooks/approval.ts'
import type { RunLimits } from './hooks/limits.ts'

/** A question that is to become a run. */
export interface RunRequest {
  /** A new one is made if absent. */
  readonly runId?: string
  readonly question: string
  readonly threadId: string
  readonly userId?: string
  readonly documents: readonly string[] | null
  readonly limits: RunLimits
  readonly approve: ApprovalOptions['mode']
}

/** How a process works on a run. */
export interface WorkOptions {
  readonly signal?: AbortSignal
  readonly onBegin?: (run: RunInProgress) => void
}

/** What may differ from one attempt to the next; what is absent is as the run was asked for. */
export interface AttemptOptions extends WorkOptions {
  readonly limits?: Partial<RunLimits>
  readonly approve?: ApprovalOptions['mode']
}

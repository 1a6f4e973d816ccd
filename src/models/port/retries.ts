import { ModelError } from './errors.ts'

export interface RetryBudget {
  /** Tries after the first, for one call. */
  readonly retries: number
  /**
   * How long a call may go on being tried again, counted from its first failure: a longer wait is not begun, and a try
   * that has not begun to answer by then is given up.
   */
  readonly budgetMs: number
}

/** Another try of a call that failed: which one it is, counted from 1, and how long to wait before it. */
export interface NextTry {
  readonly attempt: number
  readonly waitMs: number
}

/** The tries of one call. */
export interface Tries {
  /** Says of a failure whether, and after how long, the call is tried again; undefined is no more. */
  readonly after: (error: unknown) => NextTry | undefined
  /** Takes one of the tries for a call that is made otherwise, and at once; false where there is none left. */
  readonly take: () => boolean
  /** How long a try may take to begin its answer, in milliseconds; undefined for those before the first failure. */
  readonly leftMs: () => number | undefined
}

/**
 * The tries of one call: after as long as the endpoint asks for, else after 1, 2, 4 … s, while there are tries and time.
 * `now` gives milliseconds that never run backwards.
 */
export function triesWithin({ retries, budgetMs }: RetryBudget, now: () => number = () => performance.now()): Tries {
  let attempt = 0
  let deadline: number | undefined
  return {
    after(error) {
      if (!(error instanceof ModelError && error.retryable) || attempt >= retries) return undefined
      deadline ??= now() + budgetMs
      const waitMs = error.retryAfterMs ?? firstWaitMs * 2 ** attempt
      if (now() + waitMs > deadline) return undefined
      attempt += 1
      return { attempt, waitMs }
    },
    take() {
      if (attempt >= retries) return false
      attempt += 1
      return true
    },
    leftMs: () => (deadline === undefined ? undefined : Math.max(1, deadline - now())),
  }
}

const firstWaitMs = 1000

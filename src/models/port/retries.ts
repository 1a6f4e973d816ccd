import { ModelError } from './errors.ts'

export interface RetryBudget {
  /** Tries after the first, for one call. */
  readonly retries: number
  /** Time for all tries, from the first failure: no longer wait begins, and each try must begin its answer by then. */
  readonly budgetMs: number
}

/** Another try of a failed call: its number, counted from 1, and the wait before it. */
export interface NextTry {
  readonly attempt: number
  readonly waitMs: number
}

/** The tries of one call. */
export interface Tries {
  /** The next try after a failure; undefined if there is none. */
  readonly after: (error: unknown) => NextTry | undefined
  /** Uses up one try for a call that is repeated at once; false where none is left. */
  readonly take: () => boolean
  /** How long a try may take to begin its answer, in milliseconds; undefined before the first failure. */
  readonly leftMs: () => number | undefined
}

const firstWaitMs = 1000

/** Waits as long as the endpoint asks for, else 1, 2, 4 … s, within tries and time. `now` never runs backwards. */
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

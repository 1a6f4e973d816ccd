import { ModelError } from './errors.ts'

export interface RetryBudget {
  /** Tries after the first, for one call. */
  readonly retries: number
  /** How long a call may go on being tried again, counted from its first failure; a longer wait is not begun. */
  readonly budgetMs: number
}

/** Another try of a call that failed: which one it is, counted from 1, and how long to wait before it. */
export interface NextTry {
  readonly attempt: number
  readonly waitMs: number
}

/**
 * Says of each failure of one call whether, and after how long, it is tried again: after as long as the endpoint asks
 * for, else after 1, 2, 4 … s; undefined is no more. `now` gives milliseconds that never run backwards.
 */
export function retriesWithin(
  { retries, budgetMs }: RetryBudget,
  now: () => number = () => performance.now(),
): (error: unknown) => NextTry | undefined {
  let attempt = 0
  let deadline: number | undefined
  return (error) => {
    if (!(error instanceof ModelError && error.retryable) || attempt >= retries) return undefined
    deadline ??= now() + budgetMs
    const waitMs = error.retryAfterMs ?? firstWaitMs * 2 ** attempt
    if (now() + waitMs > deadline) return undefined
    attempt += 1
    return { attempt, waitMs }
  }
}

const firstWaitMs = 1000

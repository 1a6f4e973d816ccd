import { setTimeout as sleep } from 'node:timers/promises'
import { callSignal, describeError, fact, type Hooks, type Payloads } from '../events/index.ts'
import { ModelError } from '../models/errors.ts'

/** Where `retry` takes its time from. */
export interface Clock {
  /** Milliseconds that never run backwards. */
  readonly now: () => number
  /** Resolves after `ms`, or rejects with the signal's reason. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
}

export interface RetryOptions {
  /** Tries after the first, for one model call. */
  readonly retries: number
  /** How long a model call may go on being tried again, counted from its first failure; a longer wait is not begun. */
  readonly budgetMs: number
  readonly onRetry?: (retried: Payloads['model.retried']) => void
  readonly clock?: Clock
}

/**
 * Asks again when a model call fails in a way that may pass, after as long as the endpoint asks for, else after 1, 2,
 * 4 … s; each time a `model.retried` fact says so. It is the only place that repeats a model call, so that retries do
 * not multiply. When the tries or the budget are used up the call's own error is thrown.
 */
export function retry(options: RetryOptions): Hooks {
  return {
    name: 'retry',
    model: async (request, next, context) => {
      const again = retries(options)
      for (;;) {
        try {
          return await next(request)
        } catch (error) {
          const signal = callSignal(context)
          signal.throwIfAborted()
          const retried = again(error)
          if (!retried) throw error
          await fact(context, 'model.retried', retried)
          options.onRetry?.(retried)
          await (options.clock ?? systemClock).wait(retried.waitMs, signal)
        }
      }
    },
  }
}

/** Says of each failure of one model call whether, and after how long, it is tried again; undefined is no more. */
function retries({ retries: of, budgetMs, clock = systemClock }: RetryOptions) {
  let attempt = 0
  let deadline: number | undefined
  return (error: unknown): Payloads['model.retried'] | undefined => {
    if (!(error instanceof ModelError && error.retryable) || attempt >= of) return undefined
    deadline ??= clock.now() + budgetMs
    const waitMs = error.retryAfterMs ?? firstWaitMs * 2 ** attempt
    if (clock.now() + waitMs > deadline) return undefined
    attempt += 1
    const { code, message } = describeError(error)
    return { code, message, attempt, of, waitMs }
  }
}

const firstWaitMs = 1000

const systemClock: Clock = {
  now: () => performance.now(),
  async wait(ms, signal) {
    try {
      await sleep(ms, undefined, { signal })
    } catch (error) {
      signal.throwIfAborted()
      throw error
    }
  },
}

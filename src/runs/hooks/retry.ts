import { setTimeout as sleep } from 'node:timers/promises'
import { callSignal, describeError, fact, type Hooks, type Payloads } from '../../events/index.ts'
import { type RetryBudget, retriesWithin } from '../../models/retries.ts'

/** Where `retry` takes its time from. */
export interface Clock {
  /** Milliseconds that never run backwards. */
  readonly now: () => number
  /** Resolves after `ms`, or rejects with the signal's reason. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
}

export interface RetryOptions extends RetryBudget {
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
      const { clock = systemClock, onRetry } = options
      // A call that was refused and is made in another way has used one of its tries.
      const made = typeof request.triesMade === 'number' ? request.triesMade : 0
      const again = retriesWithin({ ...options, retries: Math.max(0, options.retries - made) }, clock.now)
      for (;;) {
        try {
          return await next(request)
        } catch (error) {
          const signal = callSignal(context)
          signal.throwIfAborted()
          const another = again(error)
          if (!another) throw error
          const { code, message } = describeError(error)
          const retried = { code, message, of: options.retries, ...another }
          await fact(context, 'model.retried', retried)
          onRetry?.(retried)
          await clock.wait(retried.waitMs, signal)
        }
      }
    },
  }
}

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

import { setTimeout as sleep } from 'node:timers/promises'
import { type ShorterCall, shortenCall, stillTooLong } from '../../agents/index.ts'
import {
  type Context,
  callSignal,
  describeError,
  fact,
  type Hooks,
  type Next,
  type Request,
  type Result,
} from '../../events/index.ts'
import { ContextTooLong, type RetryBudget, type Tries, triesWithin } from '../../models/index.ts'

export interface Clock {
  /** Milliseconds that never run backwards. */
  readonly now: () => number
  /** Resolves after `ms`, or rejects with the signal's reason. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
}

export interface RetryOptions extends RetryBudget {
  readonly clock?: Clock
}

/**
 * Repeats a model call after a transient failure, after the delay that the endpoint asks for, else after 1, 2, 4 … s. A
 * call that exceeds the context window is repeated once with less in it. No other place repeats model calls, so that
 * retries do not multiply.
 */
export function retry(options: RetryOptions): Hooks {
  return { name: 'retry', model: (request, next, context) => tryUntilAnswered(request, next, { ...options, context }) }
}

async function tryUntilAnswered(
  request: Request<'model'>,
  next: Next<'model'>,
  options: RetryOptions & { readonly context: Context },
): Promise<Result<'model'>> {
  const { context, clock = systemClock } = options
  const tries = triesWithin(options, clock.now)
  let shorter: ShorterCall | null = null
  for (;;) {
    try {
      const result = await next(timed(shorter?.request ?? request, tries))
      return shorter ? { ...result, ...shorter.left } : result
    } catch (error) {
      callSignal(context).throwIfAborted()
      if (error instanceof ContextTooLong) shorter = await withLess(error, { request, shorter, tries, context })
      else await waitToRetry(error, { ...options, clock, tries })
    }
  }
}

/** A try after a failure must begin its answer within what is left of the budget. */
function timed(request: Request<'model'>, tries: Tries): Request<'model'> {
  const beginWithinMs = tries.leftMs()
  return beginWithinMs === undefined ? request : { ...request, beginWithinMs }
}

interface Failed {
  readonly tries: Tries
  readonly context: Context
}

/** The call with less in it; throws if nothing can be left out, or that was done before. */
async function withLess(
  error: ContextTooLong,
  { request, shorter, tries, context }: Failed & { request: Request<'model'>; shorter: ShorterCall | null },
): Promise<ShorterCall> {
  const less = shorter ? null : shortenCall(request, error)
  if (!less) throw stillTooLong(error, shorter)
  if (!tries.take()) throw error
  await fact(context, 'model.trimmed', less.trimmed)
  return less
}

/** Waits until the next try; throws the error if there is none. */
async function waitToRetry(
  error: unknown,
  { tries, context, clock, retries }: Failed & RetryOptions & { readonly clock: Clock },
): Promise<void> {
  const another = tries.after(error)
  if (!another) throw error
  const { code, message } = describeError(error)
  const retried = { code, message, of: retries, ...another }
  await fact(context, 'model.retried', retried)
  await clock.wait(retried.waitMs, callSignal(context))
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

import { LimitReached, UsageError } from '../../errors.ts'
import type { Hooks, Payloads, RunStatus } from '../../events/index.ts'

/** Upper bounds of one run; null is none. `tokens` are those of input and output together. */
export type RunLimits = Readonly<NonNullable<Payloads['run.created']['limits']>>

export interface LimitsOptions {
  readonly limits: RunLimits
  /** Folded from the run's log, so that a resumed run continues its counts. */
  readonly status: () => RunStatus
  /** How long earlier attempts have worked on it. Milliseconds. */
  readonly workedMs?: number
  readonly now?: () => number
}

/** The agent that writes the answer; one call is reserved for it, so that a limited run still answers. */
const answering = 'synthesis'

/** Checks every limit before each call, and throws `LimitReached`. */
export function limits({ limits, status, workedMs = 0, now = () => performance.now() }: LimitsOptions): Hooks {
  const began = now() - workedMs
  const check = (name: keyof RunLimits, used: number, reserve = 0) => {
    const most = limits[name]
    if (most === null || used < most - reserve) return
    throw new LimitReached(name, most)
  }
  const refuseUnpriced = () => {
    const { costUsd } = limits
    if (costUsd === null) return
    throw new LimitReached(
      'costUsd',
      costUsd,
      `The limit of $${costUsd} cannot be kept: the cost of a call is not known.`,
    )
  }
  const checkSpending = ({ inputTokens, outputTokens, costUsd }: RunStatus) => {
    check('tokens', inputTokens + outputTokens)
    if (costUsd === null) refuseUnpriced()
    else check('costUsd', costUsd)
    check('wallClockMs', now() - began)
  }
  return {
    name: 'limits',
    model: async (request, next, context) => {
      const current = status()
      const underWay = current.activity.filter(({ kind }) => kind === 'model').length - 1
      const isAnswering = context.agent === answering
      const isHooks = request.askedBy !== undefined
      // A hook's call leaves one for the answer too, unless it is made within the answer's own call.
      const mayUseLast = isAnswering && (!isHooks || underWay > 0)
      check('modelCalls', current.modelCalls + Math.max(0, underWay), mayUseLast ? 0 : 1)
      if (!isAnswering || isHooks || request.optional === true) checkSpending(current)
      if (isHooks && request.isPriced === false) refuseUnpriced()
      return next(request)
    },
    round: async (request, next) => {
      // A resumed run repeats the rounds of earlier attempts, which were checked then.
      if (request.again) return next(request)
      const current = status()
      // The round that is about to run has already been counted as started.
      check('rounds', current.rounds - 1)
      check('toolCalls', current.toolCalls, request.calls.length - 1)
      checkSpending(current)
      return next(request)
    },
  }
}

/** Refuses a cost limit for a model without a known price. Throws `UsageError`. */
export function requirePrice(
  limits: Pick<RunLimits, 'costUsd'>,
  models: readonly { readonly name: string; readonly price: unknown }[],
): void {
  const unpriced = models.find(({ price }) => price === null)
  if (limits.costUsd === null || !unpriced) return
  throw new UsageError(
    `A limit of ${limits.costUsd} USD cannot be kept: no price is known for ${unpriced.name}. Add it under "prices" in the configuration, or leave the limit out.`,
  )
}

import { type ShorterCall, shortenCall, spoken } from '../../agents/loop/context-window.ts'
import { type Context, fact, type Hooks, type Request } from '../../events/index.ts'
import { estimateTokens } from '../../models/port/estimate-tokens.ts'

/**
 * Shortens a call before it is sent, once it fills more than `atPercent` of its model's context window. What is left out
 * stays out for the rest of the run. Where the window is not known, nothing is shortened.
 */
export function trim(atPercent: number): Hooks {
  return {
    name: 'trim',
    model: async (request, next, context) => {
      const shorter = shortened(request, context, atPercent)
      if (!shorter) return next(request)
      await fact(context, 'model.trimmed', shorter.trimmed)
      const result = await next(shorter.request)
      return { ...shorter.left, ...result, replaced: [...shorter.left.replaced, ...(result.replaced ?? [])] }
    },
  }
}

function shortened(request: Request<'model'>, context: Context, atPercent: number): ShorterCall | null {
  const { askedBy, contextWindow, input } = request
  if (askedBy || typeof contextWindow !== 'number') return null
  const window = Math.floor((atPercent * contextWindow) / 100)
  // The larger of the agent's last call, as counted by the endpoint, and this one, as estimated.
  const sent = Math.max(estimateTokens(spoken(input)), Math.ceil((lastPercent(context) * contextWindow) / 100))
  const reason = `The call (${sent} tokens) fills more than ${atPercent} % of the model's context window`
  return sent < window ? null : shortenCall(request, { window, sent }, reason)
}

function lastPercent({ log, agent }: Context): number {
  const last = (log?.() ?? []).findLast(
    (event) => event.type === 'model.completed' && event.agent === agent && !event.payload.askedBy,
  )
  return last?.type === 'model.completed' ? (last.payload.contextPercent ?? 0) : 0
}

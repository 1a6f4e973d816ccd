import { END } from '@langchain/langgraph'
import type { AgentState } from '../agents/index.ts'
import { UnknownRoute } from '../errors.ts'

/** Where each agent may send the run. */
export const routes = {
  orchestrator: { clarification: 'clarification', research: 'research' },
  clarification: { END },
  research: { synthesis: 'synthesis', clarification: 'clarification' },
  synthesis: { END, research: 'research' },
} as const

/** The next node after `agent`, as `state.nextAgent` names it. Throws `UnknownRoute` for any other value. */
export function nextNode(agent: keyof typeof routes, state: Pick<AgentState, 'nextAgent'>): string {
  const allowed: Readonly<Record<string, string>> = routes[agent]
  const next = Object.hasOwn(allowed, state.nextAgent) ? allowed[state.nextAgent] : undefined
  if (next) return next
  const known = Object.keys(allowed).join(' or ')
  throw new UnknownRoute(`${agent} set nextAgent to "${state.nextAgent}", but it can only lead to ${known}.`)
}

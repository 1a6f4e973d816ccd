import type { VerifiedAnswer } from '../answers/verification/verify-draft.ts'
import type { Context } from '../events/index.ts'
import { type AgentState, type AgentUpdate, currentQuestion } from './state.ts'
import { type Draft, discard } from './write-draft.ts'

/** Tells the writer of a quick turn what it has. */
export const partial =
  'The passages are those of one first search. If they hold only a part of what is asked, or the question is about a whole document or the whole library, abstain: then more is searched.'

interface Turn {
  readonly state: AgentState
  readonly context: Context
}

/**
 * The update that gives a quick turn back to research, if the writer abstained or its first sentence cannot be verified;
 * null for an answer. What was streamed of the draft is discarded.
 */
export async function handBack(
  draft: Draft,
  { state, context }: Turn,
  verify: () => Promise<VerifiedAnswer>,
): Promise<AgentUpdate | null> {
  if (state.context.effort !== 'quick' || draft.kind !== 'written' || draft.refused) return null
  const { text, dropped, lostFirst, isCutShort } = await verify()
  if (isCutShort || (text !== '' && !lostFirst)) return null
  if (draft.asked.length > 0) await discard(context, draft)
  const hasAbstained = text === '' && dropped.length === 0
  const declined = hasAbstained ? draft.evidence.map(({ observation }) => observation.passageId) : []
  const agents = { ...state.context.agents, synthesis: { declined } }
  return { nextAgent: 'research', context: { ...state.context, effort: 'thorough', agents } }
}

/** The question, with the person's own words where they differ: a rewritten one may have lost something. */
export function withOwnWords(question: string, state: AgentState): string {
  const own = currentQuestion(state)
  return own === question ? question : `${question}\n(In the person's own words: ${own})`
}

import type { JudgedDraft } from '../answers/verified-answer.ts'
import type { Context } from '../events/index.ts'
import { ambiguityIn } from './hand-over.ts'
import { type AgentState, type AgentUpdate, currentQuestion } from './state.ts'
import { type Draft, discard } from './write-draft.ts'

/** Tells the writer of a quick turn what it has, and what it may hand back. */
export const partial = [
  'The passages are those of a first search. If they hold only a part of what is asked, or it is about a whole document or the whole library, abstain: then more is searched.',
  'If nobody could tell what is asked about (it refers to something that neither it nor anything before it names: "it", "them", "the paper"; or asks for the best of something without saying by what), reply only <ambiguous what is unclear/>: the person is asked. The same if the passages show several meanings, each with another answer: <ambiguous what is unclear | one meaning | another/>. Where two documents or periods answer alike, give both.',
].join('\n')

interface Turn {
  readonly state: AgentState
  readonly context: Context
}

/**
 * The update that gives a quick turn back to research, if the writer abstained or asks what is meant, or what is left of its draft does not
 * answer, also after a rewrite; null for an answer. What was streamed of the draft is discarded.
 */
export async function handBack(
  draft: Draft,
  { sentences, isAnswered, isCutShort }: JudgedDraft,
  { state, context }: Turn,
): Promise<AgentUpdate | null> {
  if (state.context.effort !== 'quick' || draft.kind !== 'written' || draft.refused) return null
  if (isCutShort || isAnswered) return null
  if (draft.asked.length > 0) await discard(context, draft)
  const unclear = ambiguityIn(draft.text)
  const hasAbstained = sentences.length === 0 && !unclear
  const declined = hasAbstained ? draft.evidence.map(({ observation }) => observation.passageId) : []
  const agents = { ...state.context.agents, synthesis: { declined, unclear } }
  return { nextAgent: 'research', context: { ...state.context, effort: 'thorough', agents } }
}

/** The question, with the person's own words where they differ: a rewritten one may have lost something. */
export function withOwnWords(question: string, state: AgentState): string {
  const own = currentQuestion(state)
  return own === question ? question : `${question}\n(In the person's own words: ${own})`
}

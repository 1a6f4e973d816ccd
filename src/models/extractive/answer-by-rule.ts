import type { AgentTask, RuledAnswer } from '../model.ts'
import { extractAnswer } from './answer.ts'
import { answerAboutDocuments } from './documents/answer-about-documents.ts'
import { answerComparison } from './documents/compare.ts'
import { answerFromVintages } from './documents/vintages.ts'
import type { ExtractiveParts } from './parts.ts'

type SynthesisTask = Extract<AgentTask, { agent: 'synthesis' }>

/** Tried in order; the first that has an answer gives it. */
const RULES: readonly ((task: SynthesisTask, parts: ExtractiveParts) => Promise<RuledAnswer | null>)[] = [
  answerAboutDocuments,
  answerComparison,
  answerFromVintages,
]

/** Answers from the evidence, by the first rule that fits the question, else with the sentences that fit it best. */
export async function answerByRule(task: SynthesisTask, parts: ExtractiveParts): Promise<RuledAnswer> {
  for (const rule of RULES) {
    const answer = await rule(task, parts)
    if (answer) return answer
  }
  return { text: await extractAnswer(task, parts), basis: 'sentence', remarks: [] }
}

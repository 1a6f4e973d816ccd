import { extractAnswer } from './answers/answer.ts'
import { answerComparison } from './comparison/compare.ts'
import { answerAboutDocuments } from './documents/answer-about-documents.ts'
import { asText } from './documents/quoting.ts'
import type { ExtractiveParts } from './parts/parts.ts'
import type { RuledAnswer, SynthesisTask } from './parts/strategy.ts'
import { answerFromVersions } from './versions/versions.ts'

/** Tried in order; the first that has an answer gives it. */
const RULES: readonly ((task: SynthesisTask, parts: ExtractiveParts) => Promise<RuledAnswer | null>)[] = [
  answerAboutDocuments,
  answerComparison,
  answerFromVersions,
]

/**
 * Answers from the evidence, by the first rule that fits the question, else with the sentences that fit it best. `pause`
 * is awaited between short steps of work, and may throw.
 */
export async function answerByRule(
  asked: SynthesisTask,
  { rank, ...others }: ExtractiveParts,
  pause: () => Promise<unknown> = async () => {},
): Promise<RuledAnswer> {
  const parts: ExtractiveParts = { ...others, rank: (question, evidence) => rank(question, evidence, pause) }
  // Text that carries our own markup could put words into the draft.
  const task = { ...asked, evidence: asked.evidence.map((each) => ({ ...each, text: asText(each.text) })) }
  for (const rule of RULES) {
    await pause()
    const answer = await rule(task, parts)
    if (answer) return answer
  }
  await pause()
  return extractAnswer(task, parts)
}

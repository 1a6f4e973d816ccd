import { answerAboutDocuments } from '../documents/answer-about-documents.ts'
import type { ExtractiveParts, RuledAnswer, SynthesisTask } from '../parts/parts.ts'
import { asText } from '../parts/quoting.ts'
import { answerWithQuotes } from './answer-with-quotes.ts'

/**
 * Answers from the evidence: what is asked about documents from their title pages, everything else with the best quotes.
 * `pause` is awaited between short steps of work, and may throw.
 */
export async function answerByRule(
  asked: SynthesisTask,
  { rank, ...others }: ExtractiveParts,
  pause: () => Promise<unknown> = async () => {},
): Promise<RuledAnswer> {
  const parts: ExtractiveParts = { ...others, rank: (question, evidence) => rank(question, evidence, pause) }
  // Text that carries our own markup could put words into the draft.
  const task = { ...asked, evidence: asked.evidence.map((each) => ({ ...each, text: asText(each.text) })) }
  await pause()
  return (await answerAboutDocuments(task, parts)) ?? answerWithQuotes(task, parts)
}

import { asText } from '../documents/quoting.ts'
import type { ExtractiveParts } from '../parts/parts.ts'
import type { AnswerStrategy, RuledAnswer, SynthesisTask } from '../parts/strategy.ts'
import { answerWithBestSentences } from './best-sentences.ts'
import { withoutCaptions } from './captions.ts'
import { answerWithDefinition } from './definition.ts'
import { answerForEachDocument } from './each-document.ts'
import { answerEachPart } from './each-part.ts'
import { answerWithList } from './list.ts'
import { answerWithSteps } from './procedure.ts'
import { answerFromTable } from './table-lookup.ts'

/** What every model writes when the passages do not hold an answer. */
const ABSTAIN = '<abstain/>'

/** Tried in this order; the first that answers decides. */
const STRATEGIES: readonly AnswerStrategy[] = [
  answerWithSteps,
  answerEachPart,
  answerFromTable,
  answerForEachDocument,
  answerWithDefinition,
  answerWithList,
  answerWithBestSentences,
]

/**
 * Answers a question with sentences and table rows of the evidence, each followed by its quote; the best one first.
 * `<abstain/>` if nothing in the evidence comes close.
 */
export async function extractAnswer(task: SynthesisTask, parts: ExtractiveParts): Promise<RuledAnswer> {
  const evidence = task.evidence.map((each) => ({ ...each, text: asText(each.text) }))
  const ranked = withoutCaptions(await parts.rank(task.question, evidence), evidence)
  for (const answer of STRATEGIES) {
    const found = await answer({ ...task, evidence }, parts, ranked)
    if (found) return found
  }
  return { text: ABSTAIN, basis: 'sentence', remarks: [] }
}

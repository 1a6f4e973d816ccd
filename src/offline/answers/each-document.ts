import type { EvidencePassage } from '../../events/index.ts'
import { namesIn } from '../language/names.ts'
import type { ExtractiveParts } from '../parts/parts.ts'
import type { AnswerStrategy } from '../parts/strategy.ts'
import { choose, withoutRepeats } from './choose.ts'
import { writeAll } from './write.ts'

const MOST_DOCUMENTS = 3

/** Answers a question that names several documents with the best sentence of each. */
export const answerForEachDocument: AnswerStrategy = async ({ question, evidence }, parts, ranked) => {
  const named = namedDocuments(question, evidence, parts).slice(0, MOST_DOCUMENTS)
  if (named.length < 2) return null
  const chosen = named.flatMap((documentId) => {
    const own = new Set(evidence.filter((passage) => passage.documentId === documentId).map(({ id }) => id))
    return choose(ranked.filter(({ id }) => own.has(id))).slice(0, 1)
  })
  return writeAll(withoutRepeats(chosen), question, parts)
}

/** Documents of the evidence whose title or file name holds one of the question's names. */
function namedDocuments(
  question: string,
  evidence: readonly EvidencePassage[],
  { contentStems }: ExtractiveParts,
): readonly string[] {
  const names = namesIn(question).map(({ text }) => contentStems(text))
  const isNamed = ({ title, source }: EvidencePassage) => {
    const called = contentStems(`${title ?? ''} ${source.split(/[\\/]/).at(-1) ?? ''}`)
    return names.some((name) => name.length > 0 && name.every((word) => called.includes(word)))
  }
  return [...new Set(evidence.filter(isNamed).map(({ documentId }) => documentId))]
}

import type { ExtractiveParts, KnownDocument } from '../parts/parts.ts'
import type { RuledAnswer, SynthesisTask } from '../parts/strategy.ts'
import { answerAbout } from './about.ts'
import { answerWithFacts, isFactAspect } from './document-facts.ts'
import { type DocumentQuestion, readDocumentQuestion, withoutKind } from './document-question.ts'
import { answerWithInventory } from './inventory.ts'
import { documentsAmong, findTarget } from './target.ts'

/** Of several documents that fit, so many are answered for. */
const MOST_DOCUMENTS = 3

/** Answers a question about documents rather than about what stands in them; null for every other question. */
export async function answerAboutDocuments(
  { question, evidence, documents }: SynthesisTask,
  parts: ExtractiveParts,
): Promise<RuledAnswer | null> {
  const asked = readDocumentQuestion(question)
  if (!asked) return null
  const target = await findTarget(asked, await documentsAmong(documents, parts), parts)
  if (!target || isSaidInText(asked, target.documents, evidence, parts)) return null
  const { aspect } = asked
  if (aspect === 'inventory') return answerWithInventory(target.documents, evidence, parts)
  if (!isFactAspect(aspect)) return answerAbout(aspect, target.documents, evidence, parts)
  return answerWithFacts(aspect, target.documents.slice(0, MOST_DOCUMENTS), evidence, parts)
}

/** Every one of them holds for a sentence that says it. */
const SAYS: Readonly<Partial<Record<DocumentQuestion['aspect'], readonly RegExp[]>>> = {
  authors: [/\b(?:wrote|written by|authored(?: by)?|author of)\b/iu],
  year: [/\b(?:written|published|issued|dated|wrote)\b/iu, /\b1?\d{3}\b/],
}

/**
 * "Who wrote Hamlet?" asks an essay that is called Hamlet for something else than its own author: what a sentence of
 * its text says of the thing comes first, unless a paper, a report or the like was asked about.
 */
function isSaidInText(
  { aspect, object }: DocumentQuestion,
  documents: readonly KnownDocument[],
  evidence: SynthesisTask['evidence'],
  { contentStems, sentences }: ExtractiveParts,
): boolean {
  const says = SAYS[aspect]
  const wanted = contentStems(object)
  if (!says || wanted.length === 0 || withoutKind(object).length < object.trim().length / 2) return false
  const isOf = ({ documentId }: { readonly documentId: string }) =>
    documents.some((document) => document.documentId === documentId)
  return evidence
    .filter((passage) => passage.kind === 'text' && isOf(passage))
    .flatMap(({ text }) => sentences(text))
    .some(
      (sentence) =>
        says.every((sign) => sign.test(sentence)) && wanted.every((word) => contentStems(sentence).includes(word)),
    )
}

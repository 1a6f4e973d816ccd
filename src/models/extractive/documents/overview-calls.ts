import type { ExtractiveParts } from '../parts.ts'
import { readComparison } from './comparison-question.ts'
import { readDocumentQuestion } from './document-question.ts'
import { documentsAmong, findTarget, namedBy } from './target.ts'

/** Ids of the documents that a question about documents needs an overview of; empty for every other question. */
export async function documentsToView(
  question: string,
  allowed: readonly string[] | null | undefined,
  parts: ExtractiveParts,
): Promise<readonly string[]> {
  const asked = readDocumentQuestion(question)
  const compared = readComparison(question)
  if (compared && compared.measure === '') {
    const documents = await documentsAmong(allowed, parts)
    const named = compared.sides.map((side) => namedBy(side, documents, parts.contentStems))
    return named.flatMap((found) => (found.length === 1 ? found : [])).map(({ documentId }) => documentId)
  }
  if (!asked) return []
  const target = await findTarget(asked, await documentsAmong(allowed, parts), parts)
  return target?.documents.slice(0, MOST_VIEWED).map(({ documentId }) => documentId) ?? []
}

const MOST_VIEWED = 5

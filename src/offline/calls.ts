import { readComparison } from './comparison/comparison-question.ts'
import { readDocumentQuestion } from './documents/document-question.ts'
import { newestFirst, versionsOf } from './documents/families.ts'
import { MOST_LISTED } from './documents/inventory.ts'
import { documentsAmong, findTarget, namedBy, nameOne } from './documents/target.ts'
import type { ExtractiveParts, KnownDocument } from './parts/parts.ts'
import { meantIn } from './versions/versions.ts'

/** Ids of the documents that a question is limited to; all, if null or absent. */
type Allowed = readonly string[] | null | undefined

/** More vintages are not searched: their passages would push each other out of the evidence. */
const MOST_VINTAGES = 3

/** Documents that a question about documents needs an overview of; empty for every other question. */
export async function documentsToView(
  question: string,
  allowed: Allowed,
  parts: ExtractiveParts,
): Promise<readonly KnownDocument[]> {
  const documents = await documentsAmong(allowed, parts)
  const compared = readComparison(question, nameOne(documents, parts.contentStems))
  if (compared?.measure === '') {
    const named = compared.sides.map((side) => namedBy(side, documents, parts.contentStems))
    return named.flatMap((found) => (found.length === 1 ? found : []))
  }
  const asked = readDocumentQuestion(question)
  const target = asked && (await findTarget(asked, documents, parts))
  return target?.documents.slice(0, MOST_LISTED) ?? []
}

/** A search, in some documents only if they are given. */
export interface Search {
  readonly query: string
  readonly documents?: readonly string[]
}

/** What the library holds, or which of its documents is the newest, is seen from the documents alone: no search helps. */
export function needsSearch(question: string): boolean {
  const aspect = readDocumentQuestion(question)?.aspect
  return aspect !== 'inventory' && aspect !== 'newest'
}

/** One search for each of the two things that a question compares, in the document of that name if there is one. */
export async function comparisonSearches(
  question: string,
  allowed: Allowed,
  parts: ExtractiveParts,
): Promise<readonly Search[]> {
  const documents = await documentsAmong(allowed, parts)
  const compared = readComparison(question, nameOne(documents, parts.contentStems))
  if (!compared || compared.measure === '') return []
  return compared.sides.map((side) => {
    const named = namedBy(side, documents, parts.contentStems)
    const query = `${compared.measure} ${side}`
    return named.length === 1 ? { query, documents: named.map(({ documentId }) => documentId) } : { query }
  })
}

/**
 * The vintages of the document in which a search found most, the newest first, so that each of them is searched; only
 * those that the question means. Empty if the document has no other vintage.
 */
export async function versionsToSearch(
  question: string,
  best: string | undefined,
  allowed: Allowed,
  parts: ExtractiveParts,
): Promise<readonly KnownDocument[]> {
  const documents = await documentsAmong(allowed, parts)
  const document = documents.find(({ documentId }) => documentId === best)
  const family = document ? versionsOf(document, documents, parts.contentStems) : []
  if (family.length < 2) return []
  const known = await Promise.all(
    family.map(async (each) => ({ document: each, facts: await parts.facts(each.documentId) })),
  )
  const meant = meantIn(question, newestFirst(known) ?? [])
  return meant.slice(0, MOST_VINTAGES).map((vintage) => vintage.document)
}

import type { ExtractiveParts, KnownDocument } from '../parts.ts'
import { newestFirst, vintagesOf } from './families.ts'
import { documentsAmong } from './target.ts'
import { meantIn } from './vintages.ts'

/** More are not looked into: their passages would push each other out of the evidence. */
const MOST_VINTAGES = 3

/**
 * The vintages of the document in which a search found most, the newest first, so that each of them is searched; only
 * those that the question means. Empty if the document has no other vintage.
 */
export async function vintagesToSearch(
  question: string,
  best: string | undefined,
  allowed: readonly string[] | null | undefined,
  parts: ExtractiveParts,
): Promise<readonly KnownDocument[]> {
  const documents = await documentsAmong(allowed, parts)
  const document = documents.find(({ documentId }) => documentId === best)
  const family = document ? vintagesOf(document, documents, parts.contentStems) : []
  if (family.length < 2) return []
  const known = await Promise.all(family.map(async (each) => ({ document: each, facts: await parts.facts(each.documentId) })))
  const meant = meantIn(question, newestFirst(known) ?? known)
  return meant.slice(0, MOST_VINTAGES).map((vintage) => vintage.document)
}

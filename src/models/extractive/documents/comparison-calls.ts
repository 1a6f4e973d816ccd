import type { ExtractiveParts } from '../parts.ts'
import { readComparison } from './comparison-question.ts'
import { documentsAmong, namedBy } from './target.ts'

/** A search of its own for one side of a comparison, in the document that it names. */
export interface SideSearch {
  readonly query: string
  readonly documents?: readonly string[]
}

/** One search for each of the two things that a question compares; empty for every other question. */
export async function comparisonSearches(
  question: string,
  allowed: readonly string[] | null | undefined,
  parts: ExtractiveParts,
): Promise<readonly SideSearch[]> {
  const compared = readComparison(question)
  if (!compared || compared.measure === '') return []
  const documents = await documentsAmong(allowed, parts)
  return compared.sides.map((side) => {
    const named = namedBy(side, documents, parts.contentStems)
    const query = `${compared.measure} ${side}`.trim()
    return named.length === 1 ? { query, documents: named.map(({ documentId }) => documentId) } : { query }
  })
}

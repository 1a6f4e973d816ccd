import type { PassageIndex } from '../port/passage-index.ts'

/**
 * The same index, in which some documents are not there. It hides them from who names, lists and reads documents; what
 * searches is to be limited to those that it lists.
 */
export function withoutDocuments(index: PassageIndex, hidden: ReadonlySet<string>): PassageIndex {
  const isShown = ({ documentId }: { readonly documentId: string }) => !hidden.has(documentId)
  return {
    ...index,
    documents: async ({ limit, offset = 0, ...options } = {}) => {
      const shown = (await index.documents(options)).filter(isShown)
      return shown.slice(offset, limit === undefined ? undefined : offset + limit)
    },
    document: async (documentId) => (hidden.has(documentId) ? null : index.document(documentId)),
    sources: async () => (await index.sources()).filter(isShown),
    neighbours: async (passageId, reach) => (await index.neighbours(passageId, reach)).filter(isShown),
  }
}

import type { Settings } from '../config.ts'
import { DocumentNotFound, UsageError } from '../errors.ts'
import { addDocuments } from './ingest.ts'
import type { DocumentDetails, Library } from './library.ts'
import type { PassageIndex } from './passage-index.ts'
import { searchPassages } from './search.ts'
import { parseStatedMetadata } from './stated-metadata.ts'

export interface LibraryOptions {
  readonly index: PassageIndex
  readonly settings: Settings['library']
  /** Passages that a search returns if it is not told how many. */
  readonly passages: number
}

/** The person's documents over an index. */
export function openLibrary({ index, settings, passages }: LibraryOptions): Library {
  return {
    add: (paths, options = {}) => addDocuments(paths, { index, settings, ...options }),
    list: () => index.documents(),
    show: (documentId) => show(index, documentId),
    async set(documentId, change) {
      const parsed = parseStatedMetadata(change)
      if ('problem' in parsed) throw new UsageError(`This cannot be set: ${parsed.problem}.`)
      if (!(await index.override(documentId, parsed.change))) throw unknownDocument(documentId)
      return show(index, documentId)
    },
    async remove(documentId) {
      if (!(await index.remove(documentId))) throw unknownDocument(documentId)
    },
    async text(documentId, page) {
      const found = await index.page(documentId, page)
      if (found) return found
      const document = await index.document(documentId)
      if (!document) throw unknownDocument(documentId)
      throw new DocumentNotFound(`Document ${documentId} has no page ${page}; it has pages 1 to ${document.pages}.`)
    },
    search: (query, { limit = passages, documents = null } = {}) => searchPassages(index, query, { limit, documents }),
  }
}

async function show(index: PassageIndex, documentId: string): Promise<DocumentDetails> {
  const [document, metadata, sources] = await Promise.all([
    index.document(documentId),
    index.metadata(documentId),
    index.sources(),
  ])
  if (!document || !metadata) throw unknownDocument(documentId)
  const own = sources.filter((each) => each.documentId === documentId)
  return { document, metadata, sources: own.map(({ source }) => source) }
}

function unknownDocument(documentId: string): DocumentNotFound {
  return new DocumentNotFound(`There is no document "${documentId}". "quaero library list" shows the ids.`)
}

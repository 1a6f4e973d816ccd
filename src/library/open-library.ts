import type { Settings } from '../config.ts'
import { DocumentNotFound, UsageError } from '../errors.ts'
import { addDocuments } from './ingest.ts'
import type { AddOptions, AddReport, DocumentDetails, Library } from './library.ts'
import type { PassageIndex } from './passage-index.ts'
import { searchPassages } from './search.ts'
import type { PassageVectors } from './semantic/passage-vectors.ts'
import type { SearchNotice, SemanticIndex } from './semantic/semantic-index.ts'
import { parseStatedMetadata } from './stated-metadata.ts'

export interface LibraryOptions {
  readonly index: PassageIndex
  readonly settings: Settings['library']
  /** Passages that a search returns if it is not told how many. */
  readonly passages: number
  readonly vectors: PassageVectors
  /** null where search by meaning is off. */
  readonly semantic: SemanticIndex | null
  /** Told when a search went another way than it should. */
  readonly onNotice?: (notice: SearchNotice) => void
}

/** The person's documents over an index. */
export function openLibrary({ passages, onNotice, ...parts }: LibraryOptions): Library {
  const { index, vectors, semantic } = parts
  return {
    add: (paths, options = {}) => add(paths, options, parts),
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
      await vectors.prune()
    },
    async text(documentId, page) {
      const found = await index.page(documentId, page)
      if (found) return found
      const document = await index.document(documentId)
      if (!document) throw unknownDocument(documentId)
      throw new DocumentNotFound(`Document ${documentId} has no page ${page}; it has pages 1 to ${document.pages}.`)
    },
    search: (query, { limit = passages, documents = null } = {}) =>
      searchPassages(index, query, { limit, documents, semantic, onNotice }),
    async embed(options) {
      if (semantic) return await semantic.embed(options)
      throw new UsageError('Search by meaning is off: set search.embeddings.model to the name of an embedding model')
    },
    embeddings: async (options) => (semantic ? await semantic.status(options) : null),
  }
}

async function add(
  paths: readonly string[],
  options: AddOptions,
  { index, settings, vectors, semantic }: Omit<LibraryOptions, 'passages' | 'onNotice'>,
): Promise<AddReport> {
  const report = await addDocuments(paths, { index, settings, ...options })
  const documents = report.documents.flatMap(({ documentId }) => documentId ?? [])
  if (semantic && documents.length > 0) {
    const { onEmbedProgress: onProgress, signal } = options
    const embeddings = await semantic.embed({ documents, signal, ...(onProgress && { onProgress }) })
    return { ...report, embeddings }
  }
  if (report.removed.length > 0) await vectors.prune()
  return report
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

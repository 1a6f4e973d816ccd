import type { Settings } from '../config.ts'
import { DocumentNotFound, UsageError } from '../errors.ts'
import type { Context } from '../events/index.ts'
import { findDocument, findDocumentIds } from './find-document.ts'
import { addDocuments } from './ingestion/ingest.ts'
import { parseStatedMetadata } from './ingestion/stated-metadata.ts'
import type { AddOptions, AddReport, DocumentDetails, Library, SearchHit } from './port/library.ts'
import { checkAdd, checkEmbedOptions, checkNamed, checkPassages, checkStatusOptions } from './port/library-options.ts'
import type { PassageIndex } from './port/passage-index.ts'
import type { PassageVectors } from './port/passage-vectors.ts'
import { checkedSearch } from './port/search-options.ts'
import { searchPassages } from './search.ts'
import type { SearchNotice, SemanticIndex } from './vectors/semantic-index.ts'

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
  /** Where the `ingest` spans of files are reported; nowhere by default. */
  readonly context?: () => Context
}

/** The person's documents over an index. */
export function openLibrary({ passages, onNotice, ...parts }: LibraryOptions): Library {
  const { index, vectors, semantic } = parts
  const find = async (named: string) => {
    checkNamed(named)
    return findDocument(index, named)
  }
  const idOf = async (named: string) => (await find(named)).documentId
  return {
    async add(paths, options = {}) {
      checkAdd(paths, options)
      return add(paths, options, parts)
    },
    list: () => index.documents(),
    document: find,
    show: async (named) => show(index, await idOf(named)),
    async set(named, change) {
      const parsed = parseStatedMetadata(change)
      if ('problem' in parsed) throw new UsageError(`This cannot be set: ${parsed.problem}.`)
      const documentId = await idOf(named)
      if (!(await index.override(documentId, parsed.change))) throw unknownDocument(named)
      return show(index, documentId)
    },
    async remove(named) {
      if (!(await index.remove(await idOf(named)))) throw unknownDocument(named)
      await vectors.prune()
    },
    async text(named, page) {
      const { documentId, pages } = await find(named)
      const found = await index.page(documentId, page)
      if (found) return found
      throw new DocumentNotFound(`Document ${documentId} has no page ${page}; it has pages 1 to ${pages}.`)
    },
    async passages(passageId, options = {}) {
      checkPassages(passageId, options)
      const { before = 1, after = 1 } = options
      const found = await index.neighbours(passageId, { before, after })
      if (found.length > 0) return found
      throw new DocumentNotFound(`There is no passage "${passageId}". A search tells the ids of what it finds.`)
    },
    async search(query, options = {}) {
      const { limit = passages, documents = null, wider = false, context = 0 } = checkedSearch(query, options)
      const within = await findDocumentIds(index, documents)
      const hits = await searchPassages(index, query, { limit, documents: within, wider, semantic, onNotice })
      return context > 0 ? Promise.all(hits.map((hit) => withContext(index, hit, context))) : hits
    },
    async embed(options) {
      checkEmbedOptions(options)
      if (semantic) return await semantic.embed(options)
      throw new UsageError('Search by meaning is off: set search.embeddings.model to the name of an embedding model')
    },
    async embeddings(options) {
      checkStatusOptions(options)
      return semantic ? await semantic.status(options) : null
    },
  }
}

async function add(
  paths: readonly string[],
  options: AddOptions,
  { index, settings, vectors, semantic, context }: Omit<LibraryOptions, 'passages' | 'onNotice'>,
): Promise<AddReport> {
  const report = await addDocuments(paths, { index, settings, ...(context && { context: context() }), ...options })
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

async function withContext(index: PassageIndex, hit: SearchHit, reach: number): Promise<SearchHit> {
  const passages = await index.neighbours(hit.passageId, { before: reach, after: reach })
  const at = passages.findIndex(({ passageId }) => passageId === hit.passageId)
  return { ...hit, before: passages.slice(0, at), after: passages.slice(at + 1) }
}

function unknownDocument(named: string): DocumentNotFound {
  return new DocumentNotFound(`There is no document "${named}". "quaero library list" shows the ids.`)
}

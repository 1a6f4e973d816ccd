import { basename } from 'node:path'
import { z } from 'zod'
import type { Settings } from '../config.ts'
import { DocumentAmbiguous, DocumentNotFound, UsageError } from '../errors.ts'
import type { Context, FallenClaim } from '../events/index.ts'
import { checkOptions, count } from '../options.ts'
import { cardOf } from './card.ts'
import { documentsMeant, filterFrom } from './filter/filter.ts'
import { tagDocuments } from './filter/tag-documents.ts'
import { tagFrom } from './filter/tags.ts'
import { withoutDocuments } from './filter/without-documents.ts'
import { type AddDocumentsOptions, addDocuments, addOpenedFile } from './ingestion/ingest.ts'
import { parseStatedMetadata } from './ingestion/stated-metadata.ts'
import * as allowed from './library-options.ts'
import { rectanglesOf } from './passages/text-places.ts'
import type { DocumentRecord } from './port/document.ts'
import type {
  AddedDocument,
  AddOptions,
  AddReport,
  DocumentDetails,
  Library,
  LibrarySearchOptions,
  SearchHit,
  SearchNotice,
} from './port/library.ts'
import type { OpenedFile, PassageIndex } from './port/passage-index.ts'
import type { PassageVectors } from './port/passage-vectors.ts'
import { locationIn } from './port/source-location.ts'
import type { Reranking } from './search/reranking.ts'
import { searchPassages } from './search.ts'
import { suggestedQuestions } from './suggested-questions.ts'
import { readTableAt } from './tables/table-at.ts'
import type { SemanticIndex } from './vectors/semantic-index.ts'
import type { KeptFolder } from './watch/kept-folder.ts'
import { watchFolders } from './watch/watch-folders.ts'

export interface LibraryOptions {
  readonly index: PassageIndex
  readonly settings: Settings['library']
  /** Passages that a search returns by default. */
  readonly passages: number
  readonly vectors: PassageVectors
  /** null if search by meaning is off. */
  readonly semantic: SemanticIndex | null
  /** Orders what a search finds again; null or absent if that is off. */
  readonly reranking?: Reranking | null
  readonly onNotice?: (notice: SearchNotice) => void
  /** Where the `ingest` spans of files are reported; nowhere by default. */
  readonly context?: () => Context
  /** Looks up the sentences of answers that quote these documents, which were replaced or removed; returns those that fall. */
  readonly fallenBy?: (documentIds: readonly string[]) => Promise<readonly FallenClaim[]>
  /** Does the work while no other process keeps the same folder current. Throws `ThreadBusy`. */
  readonly alone?: <T>(folder: string, work: () => Promise<T>) => Promise<T>
  /** Aborted when the engine closes, which ends what keeps folders current. */
  readonly closing?: AbortSignal
  /** The index does not list all documents that a search would find. */
  readonly isPart?: boolean
}

/** The person's documents over an index. Options come from programs, so all of them are checked. */
export function openLibrary(options: LibraryOptions): Library {
  const { index, vectors, semantic, alone = (_, work) => work(), closing } = options
  const kept = new Set<KeptFolder>()
  const find = async (named: string) => {
    checkOptions('The document', z.string(), named)
    return findDocument(index, named)
  }
  const idOf = async (named: string) => (await find(named)).documentId
  return {
    async add(paths, chosen = {}) {
      checkOptions('The paths', z.array(z.string()), paths)
      checkOptions('The options of adding', allowed.addOptions, chosen)
      chosen.tags?.forEach(tagFrom)
      return add(paths, chosen, options)
    },
    watch(folders, chosen = {}) {
      checkOptions('The folders', z.array(z.string()), folders)
      checkOptions('The options of watching', allowed.watchOptions, chosen)
      const signal = AbortSignal.any([closing, chosen.signal].filter((each) => each !== undefined))
      const complete = (report: AddReport) => completed(report, { ...chosen, signal }, options)
      return watchFolders(folders, chosen, { ...options, alone, kept, signal, complete })
    },
    watched: () => [...kept].map(({ status }) => status),
    async list(chosen = {}) {
      checkOptions('The options of the list', allowed.listOptions, chosen)
      const { limit, offset = 0 } = chosen
      const meant = filterFrom(chosen)
      if (!meant) return index.documents({ offset, ...(limit !== undefined && { limit }) })
      const all = (await index.documents()).filter(meant.means)
      return all.slice(offset, limit === undefined ? undefined : offset + limit)
    },
    async tag(which, change) {
      checkOptions('The documents', z.string(), which)
      checkOptions('The tags', allowed.tagChange, change)
      if (!change.ahead) return tagDocuments(which, change, index, find)
      await index.tag([which], change)
      return []
    },
    tagged: (tags) => index.tagged(tags.map(tagFrom)),
    without: (hidden) => openLibrary({ ...options, index: withoutDocuments(index, new Set(hidden)), isPart: true }),
    document: find,
    show: async (named) => show(index, await idOf(named)),
    async files(named) {
      const documentId = await idOf(named)
      const own = (await index.sources()).filter((each) => each.documentId === documentId)
      return own.map(locationIn)
    },
    async set(named, change) {
      const parsed = parseStatedMetadata(change)
      if ('problem' in parsed) throw new UsageError(`This cannot be set: ${parsed.problem}.`)
      const documentId = await idOf(named)
      if (!(await index.override(documentId, parsed.change))) throw unknownDocument(named)
      return show(index, documentId)
    },
    async cite(source) {
      checkOptions('The references', z.string(), source)
      return (await import('./references/cite.ts')).cite(source, index)
    },
    async remove(named) {
      const documentId = await idOf(named)
      if (!(await index.remove(documentId))) throw unknownDocument(named)
      await vectors.prune()
      return (await options.fallenBy?.([documentId])) ?? []
    },
    async text(named, page) {
      const { documentId, pages } = await find(named)
      const found = await index.page(documentId, page)
      const [recognised] = await index.recognised(documentId, page)
      if (found) return { ...found, ...(recognised && { confidence: recognised.confidence }) }
      throw new DocumentNotFound(`Document ${documentId} has no page ${page}; its last page is ${pages}.`)
    },
    printedPages: async (named) => index.printedPages([await idOf(named)]),
    async rectangles(named, page, span) {
      const { documentId } = await find(named)
      return rectanglesOf(span, await index.places(documentId, page))
    },
    async tableAt(named, page, offset) {
      checkOptions('The place', count, offset)
      const { documentId } = await find(named)
      return readTableAt(index, { documentId, page, offset })
    },
    async tables(named, page, within) {
      const { documentId } = await find(named)
      return index.tables(documentId, page, within)
    },
    async passages(passageId, options = {}) {
      checkOptions('The passage', z.string(), passageId)
      checkOptions('The options', allowed.reach, options)
      const { before = 1, after = 1 } = options
      const found = await index.neighbours(passageId, { before, after })
      if (found.length > 0) return found
      throw new DocumentNotFound(`There is no passage "${passageId}". A search returns the ids of passages.`)
    },
    search: (query, chosen = {}) => search(query, chosen, options),
    async embed(options) {
      checkOptions('The options of the embedding', allowed.embedOptions.optional(), options)
      if (semantic) return await semantic.embed(options)
      throw new UsageError('Search by meaning is off: set search.embeddings.model to the name of an embedding model')
    },
    async embeddings(options) {
      checkOptions('The options', allowed.statusOptions.optional(), options)
      return semantic ? await semantic.status(options) : null
    },
  }
}

async function search(
  query: string,
  chosen: LibrarySearchOptions,
  { index, passages, semantic, reranking = null, onNotice, isPart = false }: LibraryOptions,
): Promise<readonly SearchHit[]> {
  checkOptions('The search', z.string(), query)
  checkOptions('The options of the search', allowed.searchOptions, chosen)
  const { limit = passages, documents, context = 0 } = chosen
  const named = documents ? await findDocumentIds(index, documents) : null
  const meant = filterFrom(chosen)
  const isAll = !meant && !isPart
  const within = isAll
    ? named
    : documentsMeant(await index.documents(), meant, named).map(({ documentId }) => documentId)
  const hits = await searchPassages(index, query, { limit, documents: within, semantic, reranking, onNotice })
  return context > 0 ? Promise.all(hits.map((hit) => withContext(index, hit, context))) : hits
}

async function add(paths: readonly string[], options: AddOptions, library: LibraryOptions): Promise<AddReport> {
  const { context, index, settings } = library
  const work = { index, settings, ...(context && { context: context() }), ...options }
  return completed(await addDocuments(paths, work), options, library)
}

/** The report with the sentences that fall, once the vectors are made. */
async function completed(added: AddReport, options: AddOptions, library: LibraryOptions): Promise<AddReport> {
  const { vectors, semantic, fallenBy } = library
  const changed = [...added.documents.flatMap(({ replaces }) => replaces ?? []), ...removedIn(added)]
  const fallen = changed.length > 0 ? ((await fallenBy?.(changed)) ?? []) : []
  const report = fallen.length > 0 ? { ...added, fallen } : added
  const documents = report.documents.flatMap(({ documentId }) => documentId ?? [])
  if (semantic && documents.length > 0) {
    const { onEmbedProgress: onProgress, signal } = options
    const embeddings = await semantic.embed({ documents, signal, ...(onProgress && { onProgress }) })
    return { ...report, embeddings }
  }
  if (report.removed.length > 0) await vectors.prune()
  return report
}

function removedIn({ removed }: AddReport): readonly string[] {
  return removed.map(({ documentId }) => documentId)
}

/** Adds a file that another process has opened, as `add` of the library does. */
export async function addOpened(
  file: OpenedFile,
  options: Pick<AddDocumentsOptions, 'signal' | 'onBatch'>,
  { index, settings, semantic, context, fallenBy }: Omit<LibraryOptions, 'passages' | 'vectors'>,
): Promise<AddedDocument> {
  const document = await addOpenedFile(file, { index, settings, ...(context && { context: context() }), ...options })
  if (document.replaces) await fallenBy?.([document.replaces])
  if (semantic && document.documentId) {
    await semantic.embed({ documents: [document.documentId], signal: options.signal })
  }
  return document
}

async function show(index: PassageIndex, documentId: string): Promise<DocumentDetails> {
  const [card, passages, sources, leftOut, recognised] = await Promise.all([
    cardOf(index, documentId),
    index.passagesOf(documentId),
    index.sources(),
    index.leftOut(documentId),
    index.recognised(documentId),
  ])
  if (!card) throw unknownDocument(documentId)
  const { document, metadata, summary } = card
  const own = sources.filter((each) => each.documentId === documentId).map(({ source }) => source)
  const questions = suggestedQuestions(card, passages)
  return { document, sources: own, metadata, summary, questions, leftOut, recognised }
}

async function withContext(index: PassageIndex, hit: SearchHit, reach: number): Promise<SearchHit> {
  const passages = await index.neighbours(hit.passageId, { before: reach, after: reach })
  const at = passages.findIndex(({ passageId }) => passageId === hit.passageId)
  return { ...hit, before: passages.slice(0, at), after: passages.slice(at + 1) }
}

function unknownDocument(named: string): DocumentNotFound {
  return new DocumentNotFound(`There is no document "${named}". "quaero library list" shows the ids.`)
}

/**
 * The document of this id, of a unique beginning of an id, or of a file of this name or path. Throws `DocumentNotFound`,
 * `DocumentAmbiguous`.
 */
export async function findDocument(index: PassageIndex, named: string): Promise<DocumentRecord> {
  const exact = await index.document(named)
  if (exact) return exact
  const [documents, sources] = await Promise.all([index.documents(), index.sources()])
  const ofFile = new Set(
    sources
      .filter(({ source, location }) => [source, location, basename(source)].includes(named))
      .map(({ documentId }) => documentId),
  )
  const meant = documents.filter(
    ({ documentId }) => ofFile.has(documentId) || (named !== '' && documentId.startsWith(named.toLowerCase())),
  )
  const [only] = meant
  if (!only) throw unknownDocument(named)
  if (meant.length > 1) {
    throw new DocumentAmbiguous(
      `"${named}" may be ${meant.length} documents: ${listed(meant)}. Give more of the id.`,
      meant.map(({ documentId }) => documentId),
    )
  }
  return only
}

/** The ids of the documents that are meant, each once. */
export async function findDocumentIds(index: PassageIndex, named: readonly string[]): Promise<readonly string[]> {
  const documents = await Promise.all(named.map((each) => findDocument(index, each)))
  return [...new Set(documents.map(({ documentId }) => documentId))]
}

const MOST_LISTED = 5

function listed(documents: readonly DocumentRecord[]): string {
  const first = documents
    .slice(0, MOST_LISTED)
    .map(({ documentId, title, source }) => `${documentId} (${title ?? source})`)
  return documents.length > MOST_LISTED ? `${first.join(', ')} and others` : first.join(', ')
}

import { createHash } from 'node:crypto'
import type { AskOptions } from './api.ts'
import { fallenBy } from './claims/index.ts'
import type { EngineLife } from './engine-life.ts'
import { asError, DocumentNotFound, NoDocuments, UsageError } from './errors.ts'
import { type Context, type FallenClaim, fact } from './events/index.ts'
import { type AddOptions, type AddReport, documentsMeant, filterFrom, type Library } from './library/index.ts'
import { creationOf } from './runs/index.ts'
import type { Storage } from './storage/index.ts'
import { delegateTool, type Toolbox } from './tools/index.ts'

export interface SearchedDocumentsParts {
  readonly storage: Storage
  readonly library: Library
  readonly toolbox: Toolbox
  /** What questions are limited to unless they say otherwise; null for the whole library. */
  readonly documents: readonly string[] | null
}

type ScopeOptions = Pick<AskOptions, 'documents' | 'documentIds' | 'where' | 'tags' | 'except'>

/** Tools that find nothing where there are no documents; a specialist has no others. */
const documentTools: ReadonlySet<string> = new Set([
  'pdf_retrieval',
  'read_passages',
  'document_overview',
  delegateTool,
])

/** Which documents a question searches, as its log keeps it. */
export interface SearchScope {
  /** Ids; null for the whole library. */
  readonly documents: readonly string[] | null
  /** What they were chosen by, besides their names. */
  readonly filter?: string
  /** The documents are all but those that are excepted. */
  readonly unlimited?: true
}

/** Which documents a question searches. */
export class SearchedDocuments {
  readonly #parts: SearchedDocumentsParts

  constructor(parts: SearchedDocumentsParts) {
    this.#parts = parts
  }

  /**
   * Those named or filtered now, else those of the thread's last question, else those the engine was opened with, else all;
   * but none that is excepted. Throws `DocumentNotFound` for an id that the library does not have, `UsageError` for paths and
   * ids at once, `FilterInvalid`, and `NothingMatches`.
   */
  async of(threadId: string, options: ScopeOptions): Promise<SearchScope> {
    const { where, tags, documentIds, except = [] } = options
    if (options.documents && documentIds)
      throw new UsageError('Give documents by their paths, or by their ids; not both.')
    const filter = filterFrom(options)
    const isSaid = [options.documents, documentIds, where, tags].some((each) => each !== undefined)
    const { documents: named, ...label } = isSaid
      ? { documents: documentIds ?? (await this.named(options.documents)) }
      : await this.#remembered(threadId)
    if (!named && !filter && except.length === 0) return { documents: null }
    const excepted = new Set(except)
    const own = await this.#parts.storage.library.documents({ includeWeb: named !== null })
    const there = own.filter(({ documentId }) => !excepted.has(documentId))
    const missing = documentIds?.find((id) => !there.some(({ documentId }) => documentId === id))
    if (missing !== undefined)
      throw new DocumentNotFound(
        `There is no document "${missing}" in the library. "quaero library list" lists those that exist.`,
      )
    const documents = documentsMeant(there, filter, named).map(({ documentId }) => documentId)
    if (filter) return { documents, filter: filter.text }
    return named ? { ...label, documents } : { documents, unlimited: true }
  }

  /** What the thread's last question searched. */
  async #remembered(threadId: string): Promise<SearchScope> {
    const { storage, documents } = this.#parts
    const last = await storage.events.latestRun(threadId)
    if (!last) return { documents }
    const { payload } = await creationOf(last.runId, storage)
    const { filter } = payload
    return payload.unlimited ? { documents: null } : { documents: payload.documents, ...(filter && { filter }) }
  }

  /** Adds those named, if any are, to the library. */
  async named(documents: readonly string[] | undefined): Promise<readonly string[] | null> {
    return documents ? idsOf(await this.#parts.library.add(documents)) : this.#parts.documents
  }

  /** Throws `NoDocuments` where none of the tools could find anything. `given` are the paths that were named. */
  async requireSome(
    documents: readonly string[] | null,
    given: readonly string[],
    tools = this.#parts.toolbox.list().map(({ name }) => name),
  ): Promise<void> {
    if (tools.some((name) => !documentTools.has(name)) || (documents && documents.length > 0)) return
    const { length: inLibrary } = await this.#parts.storage.library.documents()
    if (inLibrary > 0 && !documents) return
    if (given.length > 0) {
      throw new NoDocuments(
        `Nothing to search could be read from ${given.length > 1 ? `the ${given.length} paths given` : given[0]}. PDF, Office, OpenDocument, RTF, EPUB, HTML, Markdown, text, CSV, mail and picture files are read; "quaero add <path>" says what is wrong with each.`,
      )
    }
    throw new NoDocuments(
      inLibrary > 0
        ? 'The documents that this question would search are not in the library. Name others with -d <path>, or ask in a new thread.'
        : 'There is nothing to search: the library is empty and no web search is configured. Add documents with "quaero add <path>" or -d <path>, or set TAVILY_API_KEY or SEARXNG_URL.',
    )
  }
}

interface Given {
  readonly documents?: readonly string[]
  readonly onAddProgress?: AddOptions['onProgress']
  readonly onEmbedProgress?: AddOptions['onEmbedProgress']
  readonly life: EngineLife
  readonly onNotice: (message: string) => void
}

/** Reads the documents that the engine is opened with; null if there are none. */
export async function addGiven(
  { documents, onAddProgress, onEmbedProgress, life, onNotice }: Given,
  library: Library,
  signal: AbortSignal,
): Promise<readonly string[] | null> {
  if (!documents) return null
  const describe = ({ totals }: AddReport) => `${totals.added + totals.updated} read, ${totals.failed} failed`
  const progress = { ...(onAddProgress && { onProgress: onAddProgress }), ...(onEmbedProgress && { onEmbedProgress }) }
  const report = await life.step('documents', { signal, describe }, () =>
    library.add(documents, { ...progress, signal }),
  )
  for (const { path, error } of report.documents) if (error) onNotice(`${path} was not read: ${error.message}`)
  const { length: fallen } = report.fallen ?? []
  if (fallen > 0) onNotice(`Of sentences you relied on, ${fallen} no longer stand: "quaero claims check" shows which.`)
  return idsOf(report)
}

/** Looks up what rests on documents that were replaced or removed, and tells each sentence that falls as an event. */
export async function tellFallen(
  documentIds: readonly string[],
  {
    context,
    onNotice,
    ...parts
  }: Parameters<typeof fallenBy>[1] & { readonly context: Context; readonly onNotice: (message: string) => void },
): Promise<readonly FallenClaim[]> {
  try {
    const fallen = await fallenBy(documentIds, parts)
    for (const each of fallen) await fact(context, 'claim.fallen', each)
    return fallen
  } catch (error) {
    // The documents are changed all the same.
    onNotice(`What answers quote of the changed documents was not looked up: ${asError(error).message}`)
    return []
  }
}

/** Lets one process at a time keep a folder current; for another that comes meanwhile it throws `ThreadBusy`. */
export function inTurn(leases: Storage['leases']) {
  return async <T>(folder: string, work: () => Promise<T>): Promise<T> => {
    const name = `folder-${createHash('sha256').update(folder).digest('hex')}`
    await leases.acquire(name, name)
    return work().finally(() => leases.release(name, name))
  }
}

/** Ids of the documents that could be read, each once. */
export function idsOf({ documents }: AddReport): readonly string[] {
  return [...new Set(documents.flatMap(({ documentId }) => (documentId ? [documentId] : [])))]
}

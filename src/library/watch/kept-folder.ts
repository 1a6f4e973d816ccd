import type { Settings } from '../../config.ts'
import { PathNotFound, ThreadBusy } from '../../errors.ts'
import { type Context, describeError, fact, silentContext } from '../../events/index.ts'
import { addFiles, checkCount, isTextlessPicture, reportOf } from '../ingestion/ingest.ts'
import type { FileStamp } from '../ingestion/read-bytes.ts'
import { removeGone } from '../ingestion/sync.ts'
import type { AddOptions, AddReport } from '../port/library.ts'
import type { PassageIndex, SourceRecord } from '../port/passage-index.ts'
import { sourcesBelow } from '../port/source-location.ts'
import { type ChangeCounts, changes, type FolderChanges, type WatchedFolder } from '../port/watch.ts'
import { type Due, dueIn, type FolderLook, lookAt } from './folder-look.ts'

export interface KeptFolderParts {
  readonly index: PassageIndex
  readonly settings: Settings['library']
  readonly context?: () => Context
  /** Looks up what falls with the documents that were replaced or removed, and makes vectors. */
  readonly complete: (report: AddReport) => Promise<AddReport>
  /** Does the work while nobody else, in any process, works for this folder. Throws `ThreadBusy`. */
  readonly alone: <T>(folder: string, work: () => Promise<T>) => Promise<T>
}

/** A folder and its documents, which one look after the other makes the same. */
export class KeptFolder {
  readonly #parts: KeptFolderParts
  readonly #options: AddOptions
  #before: FolderLook | null = null
  /** Files that could not be read, as they were then. By location. */
  readonly #failed = new Map<string, FileStamp>()
  status: WatchedFolder
  /** False while another look is needed soon: something is written, or on its way, or the folder is not there. */
  isSettled = false

  constructor(folder: string, options: AddOptions, parts: KeptFolderParts) {
    this.#parts = parts
    this.#options = options
    this.status = { folder, lookedAt: null, changedAt: null, counts: countsOf(nothing), problem: null }
  }

  /** Looks at the folder and does what is due; empty where that is nothing to tell. Throws nothing but the signal's reason. */
  async look(watching: FolderChanges['problem']): Promise<readonly FolderChanges[]> {
    try {
      return await this.#tell(await this.#reconcile(), watching)
    } catch (error) {
      this.#options.signal?.throwIfAborted()
      this.isSettled = false
      // Who has the turn does it.
      if (error instanceof ThreadBusy) return []
      this.#before = null
      const { code, message } = describeError(error)
      return this.#tell(nothing, { code, message })
    }
  }

  /** Throws `PathNotFound` for a folder without files that had some, as where a drive is away. */
  async #reconcile(): Promise<AddReport> {
    const { index, settings, alone } = this.#parts
    const look = await lookAt(this.status.folder, settings)
    const before = this.#before
    this.#before = look
    checkCount(look.files.size, settings)
    return alone(look.root, async () => {
      const known = sourcesBelow(look.root, await index.sources())
      if (look.files.size === 0 && known.length > 0)
        throw new PathNotFound(`There are no files in ${JSON.stringify(this.status.folder)}. Its documents are kept`)
      return this.#apply(look.root, known, dueIn(look, before, known, this.#failed))
    })
  }

  async #apply(root: string, known: readonly SourceRecord[], { read, gone, isSettled }: Due) {
    const { index, settings, context, complete } = this.#parts
    this.isSettled = isSettled
    if (read.size + gone.length === 0) return nothing
    const work = { ...this.#options, index, settings, ...(context && { context: context() }), seen: read }
    const rows = await addFiles([...read.keys()], work)
    for (const { status, path } of rows) {
      const file = read.get(path)
      if (file && status === 'failed') this.#failed.set(file.location, file)
    }
    // What has moved on before it could be read may be what seems to be gone.
    const isMissed = rows.length < read.size
    this.isSettled &&= !isMissed
    const { documents, removed } = await removeGone([root], index, known, rows, isMissed ? [] : gone)
    const paths = new Set(known.map(({ source }) => source))
    const changed = documents.flatMap((row) => {
      if (isTextlessPicture(row)) return []
      if (row.status !== 'unchanged') return [row]
      // A copy of what is there already is new under its name; a file that was only touched is not told.
      return paths.has(row.path) ? [] : [{ ...row, status: 'added' as const }]
    })
    return complete(reportOf(changed, removed))
  }

  async #tell(report: AddReport, problem: FolderChanges['problem']): Promise<readonly FolderChanges[]> {
    const { folder, counts: before, problem: known } = this.status
    const at = new Date().toISOString()
    const counts = countsOf(report)
    const isChanged = changes.some((name) => counts[name] > 0)
    const change = isChanged && { changedAt: at, counts: countsOf(report, before) }
    this.status = { ...this.status, lookedAt: at, problem, ...change }
    if (!isChanged && known?.message === problem?.message) return []
    await fact(this.#parts.context?.() ?? silentContext(), 'folder.changed', { folder, counts, problem })
    return [{ folder, at, counts, problem, ...report }]
  }
}

const nothing = reportOf([], [])

/** How many files a report tells as what, and those before. */
function countsOf({ documents, totals, fallen = [] }: AddReport, before?: ChangeCounts): ChangeCounts {
  const { added, updated, removed, failed } = totals
  const renamed = documents.filter(({ renamedFrom }) => renamedFrom !== undefined).length
  const counts = { added, changed: updated - renamed, renamed, removed, failed, fallen: fallen.length }
  for (const name of changes) counts[name] += before?.[name] ?? 0
  return counts
}

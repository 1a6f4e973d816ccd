import type { Settings } from '../../config.ts'
import { PathNotFound } from '../../errors.ts'
import { type Context, describeError, fact, silentContext } from '../../events/index.ts'
import { addFiles, checkCount, reportOf } from '../ingestion/ingest.ts'
import type { FileStamp } from '../ingestion/read-bytes.ts'
import { isGone, unlinkGone } from '../ingestion/sync.ts'
import type { AddedDocument, AddOptions, AddReport } from '../port/library.ts'
import type { PassageIndex, SourceRecord } from '../port/passage-index.ts'
import { locationIn } from '../port/sources-in.ts'
import { type ChangeCounts, changes, type FolderChanges, type WatchedFolder } from '../port/watch.ts'
import { type Due, dueIn, type FolderLook, isSame, lookAt, stampAt, stampOf } from './folder-look.ts'

export interface KeptFolderParts {
  readonly index: PassageIndex
  readonly settings: Settings['library']
  readonly context?: () => Context
  /** Looks up what falls with the documents that were replaced or removed, and makes vectors. */
  readonly complete: (report: AddReport) => Promise<AddReport>
  /** Does the work while nobody else, in any process, does it for this folder; null if somebody does. */
  readonly alone: <T>(folder: string, work: () => Promise<T>) => Promise<T | null>
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
    const counts = countsOf(reportOf([], []))
    this.status = { folder, lookedAt: null, changedAt: null, counts, problem: null }
  }

  /** Looks at the folder and does what is due; empty where that is nothing to tell. Throws nothing but the signal's reason. */
  async look(watching: FolderChanges['problem']): Promise<readonly FolderChanges[]> {
    try {
      const look = await lookAt(this.status.folder)
      const report = await this.#reconcile(look)
      this.#before = look
      return await this.#tell(report ?? reportOf([], []), watching)
    } catch (error) {
      this.#options.signal?.throwIfAborted()
      this.#before = null
      this.isSettled = false
      const { code, message } = describeError(error)
      return this.#tell(reportOf([], []), { code, message })
    }
  }

  /** Throws `PathNotFound` for a folder without files that had some, as where a drive is away. */
  async #reconcile(look: FolderLook): Promise<AddReport | null> {
    const { index, settings, alone } = this.#parts
    checkCount(look.files.size, settings)
    const due = async () => dueIn(look, this.#before, { sources: await index.sources(), failed: this.#failed })
    const { read, gone, known, isSettled } = await due()
    if (look.files.size === 0 && known.length > 0)
      throw new PathNotFound(`There are no files in ${JSON.stringify(this.status.folder)}. Its documents are kept`)
    this.isSettled = isSettled
    if (read.size + gone.length === 0) return null
    // Who had the turn before may have done it.
    const report = await alone(look.root, async () => this.#apply(await due()))
    this.isSettled &&= report !== null
    return report
  }

  async #apply({ read, gone, known }: Due): Promise<AddReport> {
    const { index, settings, context, complete } = this.#parts
    const work = { ...this.#options, index, settings, ...(context && { context: context() }), seen: read }
    const rows = await addFiles([...read.keys()], work)
    const missed = await this.#missedOf(rows, read)
    this.isSettled &&= missed.size === 0
    const lost: SourceRecord[] = []
    for (const each of gone) {
      // What has moved on before it could be read under its new name is not lost.
      const isMissed = [...missed.values()].some((file) => isSame(file, stampOf(each)))
      if (!isMissed && (await isGone(locationIn(each)))) lost.push(each)
    }
    const { documents, removed } = await unlinkGone(
      lost,
      index,
      known,
      rows.filter(({ path }) => !missed.has(path)),
    )
    const paths = new Set(known.map(({ source }) => source))
    // A copy of what is there already is new under its name; a file that was only touched is not told.
    const changed = documents.flatMap((row) => {
      if (row.status !== 'unchanged') return [row]
      return paths.has(row.path) ? [] : [{ ...row, status: 'added' as const }]
    })
    return complete(reportOf(changed, removed))
  }

  /** Files that could not be read since they are other ones by now; those that are the same are remembered as failed. */
  async #missedOf(rows: readonly AddedDocument[], read: Due['read']): Promise<ReadonlyMap<string, FileStamp>> {
    const missed = new Map<string, FileStamp>()
    for (const { status, path } of rows) {
      const file = status === 'failed' ? read.get(path) : undefined
      if (!file) continue
      if (isSame(await stampAt(file.location), file)) this.#failed.set(file.location, file)
      else missed.set(path, file)
    }
    return missed
  }

  async #tell(report: AddReport, problem: FolderChanges['problem']): Promise<readonly FolderChanges[]> {
    const { folder, counts: before, problem: known } = this.status
    const at = new Date().toISOString()
    const counts = countsOf(report)
    const isChanged = changes.some((name) => counts[name] > 0)
    this.status = { ...this.status, lookedAt: at, problem }
    if (isChanged) this.status = { ...this.status, changedAt: at, counts: countsOf(report, before) }
    else if (known?.message === problem?.message) return []
    await fact(this.#parts.context?.() ?? silentContext(), 'folder.changed', { folder, counts, problem })
    return [{ folder, at, counts, problem, ...report }]
  }
}

/** How many files a report tells as what, and those before. */
function countsOf({ documents, totals, fallen = [] }: AddReport, before?: ChangeCounts): ChangeCounts {
  const { added, updated, removed, failed } = totals
  const renamed = documents.filter(({ renamedFrom }) => renamedFrom !== undefined).length
  const counts = { added, changed: updated - renamed, renamed, removed, failed, fallen: fallen.length }
  for (const name of changes) counts[name] += before?.[name] ?? 0
  return counts
}

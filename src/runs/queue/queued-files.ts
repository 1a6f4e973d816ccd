import { setTimeout as wait } from 'node:timers/promises'
import type { Settings } from '../../config.ts'
import { asError, NotReady, QuaeroError, StorageUnavailable, WorkersLost } from '../../errors.ts'
import {
  type AddDocumentsOptions,
  type AddedDocument,
  type AddReport,
  addDocuments,
  failedDocument,
  type OpenedFile,
  type PassageIndex,
} from '../../library/index.ts'
import type { ClaimedFile, FileQueue } from '../../storage/index.ts'
import { isHopeless, type KindOfWork } from './worker.ts'

interface QueuedFilesParts {
  readonly files: FileQueue
  readonly index: PassageIndex
  readonly settings: Settings['library']
  /** Adds it to the library in this process. */
  readonly addOpenedFile: AddOpenedFile
}

export type AddOpenedFile = (
  file: OpenedFile,
  options: Pick<AddDocumentsOptions, 'signal' | 'onBatch'>,
) => Promise<AddedDocument>

export interface AddFileOptions {
  /** Users take turns, however many files each of them has added. */
  readonly userId?: string | null
  /** Called once the file is stored for the workers. From then on it is added whatever becomes of this process. */
  readonly onStored?: () => void
  /** Called when a worker has begun, and as pages are stored. */
  readonly onProgress?: (done: Pick<AddedDocument, 'pages' | 'passages'>) => void
}

/** A file that a worker could not add so often, for a reason that the worker survived, is given up. */
const mostFailures = 3

/** How often who waits for a file looks at the queue, in case nobody tells of news. */
const lookEveryMs = 1000

/** Hands files to the workers, and reads those that others have handed over. */
export class QueuedFiles implements KindOfWork {
  /** One reader of files leaves the machine to questions. */
  readonly atOnce = 1
  readonly #parts: QueuedFilesParts
  readonly #stopped = new AbortController()

  constructor(parts: QueuedFilesParts) {
    this.#parts = parts
  }

  add(path: string, { userId = null, onStored, onProgress }: AddFileOptions = {}): Promise<AddReport> {
    const { files, index, settings } = this.#parts
    // Nothing that waits for the outcome keeps the bytes in memory.
    const handOver = (file: OpenedFile) =>
      files.submit(file, userId).then((fileId) => {
        onStored?.()
        return this.#outcome(fileId, onProgress)
      })
    return addDocuments([path], { index, settings, handOver })
  }

  /** Takes a file back that has not ended: it is not added. */
  withdraw(path: string): Promise<void> {
    const reason = { code: 'removed', message: 'It was removed before it was read' }
    return this.#parts.files.withdraw(path, failedDocument(path, reason))
  }

  readonly take = async () => {
    const file = await this.#parts.files.claim()
    return file && (() => this.#workOn(file))
  }

  /** What is read goes to other workers; who waits here for a file waits no longer. */
  stop(): void {
    this.#stopped.abort(new NotReady('Quaero was closed. The file is being added all the same; look for it later.'))
  }

  async #outcome(fileId: string, onProgress: AddFileOptions['onProgress']): Promise<AddedDocument> {
    const { files } = this.#parts
    const { signal } = this.#stopped
    let told = new AbortController()
    const stop = files.watch(fileId, () => told.abort())
    try {
      for (;;) {
        signal.throwIfAborted()
        const found = await files.find(fileId)
        if (!found) throw new StorageUnavailable('The file is gone from the queue. Look whether it was added.')
        if (found.document) return asAdded(found.document)
        if (found.state === 'reading') onProgress?.({ pages: found.pages, passages: found.passages })
        await wait(lookEveryMs, undefined, { signal: AbortSignal.any([signal, told.signal]) }).catch(() => {})
        if (told.signal.aborted) told = new AbortController()
      }
    } finally {
      stop()
    }
  }

  async #workOn(file: ClaimedFile): Promise<void> {
    const { signal } = this.#stopped
    const document = await this.#read(file).catch(async (error: unknown) => {
      const hasFailed = !signal.aborted
      if (hasFailed && (error instanceof WorkersLost || file.failures + 1 >= mostFailures))
        return failedDocument(file.source, failureOf(error))
      await file.release({ hasFailed })
      if (hasFailed) throw error
      return null
    })
    if (document) await file.end(document)
  }

  async #read(file: ClaimedFile): Promise<AddedDocument> {
    const { workers, forMs } = file.lost
    if (isHopeless(file.lost)) {
      const minutes = Math.round(forMs / 60_000)
      throw new WorkersLost(
        `${workers} workers in a row ended while they read this file, and none got further with it for ${minutes} minutes, so that it is given up. Look for the cause in their logs, then add it again.`,
      )
    }
    const { signal } = this.#stopped
    return this.#parts.addOpenedFile(await file.open(), { signal, onBatch: (done) => file.progress(done) })
  }
}

/** The code of what nobody foresaw. */
const unforeseen = 'unexpected'

function failureOf(error: unknown): NonNullable<AddedDocument['error']> {
  return { code: error instanceof QuaeroError ? error.code : unforeseen, message: asError(error).message }
}

/** What the worker reported. What it threw for another reason than the file is thrown here, as `library.add` throws it. */
function asAdded(document: AddedDocument): AddedDocument {
  const { code, message } = document.error ?? {}
  if (code === 'storage_unavailable') throw new StorageUnavailable(message)
  if (code === unforeseen) throw new Error(message)
  return document
}

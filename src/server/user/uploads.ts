import { createHash } from 'node:crypto'
import { readdir, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, sep } from 'node:path'
import { type AddReport, DocumentNotFound, type Quaero, type Queue } from '../../index.ts'
import { problemOf } from '../access/refusals.ts'
import { Turns } from '../access/slots.ts'
import type { Library } from './libraries.ts'
import { report as shown } from './outward.ts'
import { removeFile, sizeOf, UploadFolder } from './upload-folder.ts'

type AddedDocument = AddReport['documents'][number]

/** How far a file is that a user has sent. */
export interface UploadStatus {
  readonly uploadId: string
  /** Where it is kept; the name of the file in what leaves the server. */
  readonly path: string
  readonly state: 'waiting' | 'reading' | 'added' | 'failed'
  /** What is stored of it so far. */
  readonly pages: number
  readonly passages: number
  /** Why it failed. */
  readonly error: AddedDocument['error']
}

/** A file that is stored and is read, or was not long ago. */
export interface Upload {
  readonly status: UploadStatus
  /** What became of it. A failure that nobody waits for is in the status all the same. */
  readonly report: Promise<AddReport>
  /** Resolves once it cannot be lost: in the queue, or read. Never rejects. */
  readonly isSafe: Promise<unknown>
}

export interface Reading {
  readonly quaero: Pick<Quaero, 'library'>
  readonly user: { readonly name: string | null }
  /** Whose workers read it; null: this process does. */
  readonly queue: Pick<Queue, 'addFile'> | null
}

interface Silence {
  /** An upload of which nothing comes for so long is given up. */
  readonly silenceMs: number
}

export interface Kept {
  readonly size: number
  /** Of an encrypted file, which is read here, so that no queue keeps it. */
  readonly password?: string | undefined
}

interface KnownUpload extends Upload {
  status: UploadStatus
}

/** The files of all users that this server has stored and that are read, each for an hour after it has ended. */
export class Uploads {
  readonly #known = new Map<string, KnownUpload>()
  readonly #turns = new Turns()
  readonly #recovered = new WeakSet<Quaero>()
  /** Folders with parts that will be looked at again. */
  readonly #looksLater = new Set<string>()

  /** Has a file read that is stored at this path. What cannot be read is not kept, unless it was there before. */
  begin(path: string, reading: Reading & Kept & { readonly isNew: boolean }): Upload {
    const known = this.#known.get(path)
    if (known && !hasEnded(known)) return known
    let markStored = () => {}
    const stored = new Promise<void>((resolve) => {
      markStored = resolve
    })
    const report = this.#read(path, { ...reading, onStored: markStored })
      .then((whole) => alone(whole, path))
      .then((whole) => (reading.isNew ? withoutFailed(whole, path) : whole))
    const status: UploadStatus = { uploadId: idOf(path), path, state: 'waiting', pages: 0, passages: 0, error: null }
    const ended = report.then(
      (whole) => this.#end(path, endOf(shown(whole).documents[0])),
      (error: unknown) => {
        const { code, message } = problemOf(error)
        this.#end(path, { state: 'failed', error: { code, message } })
      },
    )
    const upload = { status, report, isSafe: Promise.race([stored, ended]) }
    this.#makeRoom(new UploadFolder(dirname(dirname(path))))
    this.#known.set(path, upload)
    return upload
  }

  /** The one in this folder that has not ended; null if there is none. Files with the same bytes have one folder. */
  underWay(folder: string): Upload | null {
    const all = [...this.#known.values()]
    return all.find((each) => dirname(each.status.path) === folder && !hasEnded(each)) ?? null
  }

  /** Those below a folder, in the order in which they came. */
  of({ path: folder }: UploadFolder): readonly UploadStatus[] {
    return [...this.#known.values()].flatMap(({ status }) => (dirname(dirname(status.path)) === folder ? [status] : []))
  }

  /** Does so for all users who have files in a library, when it is first used. */
  recoverIn({ quaero, dataDir, hold }: Library, { queue, silenceMs }: Pick<Reading, 'queue'> & Silence): void {
    if (dataDir === null || this.#recovered.has(quaero)) return
    this.#recovered.add(quaero)
    const release = hold()
    const all = async () => {
      const uploads = join(dataDir, 'uploads')
      for (const name of await readdir(uploads).catch(() => []))
        await this.recover(new UploadFolder(join(uploads, name)), {
          quaero,
          queue,
          silenceMs,
          user: { name: name === '_' ? null : name },
        })
    }
    // What cannot be recovered now is so at the next start.
    void all().then(release, release)
  }

  /**
   * Reads the stored files of a user that have no document: the server that took them was killed before they were read.
   * Removes the parts of files that are no longer being sent.
   */
  async recover(folder: UploadFolder, { silenceMs, ...reading }: Reading & Silence): Promise<void> {
    await this.#removeParts(folder, 2 * silenceMs)
    for (const path of await folder.files()) {
      if (this.#known.has(path) || (await isDocument(reading.quaero, basename(dirname(path))))) continue
      const size = await sizeOf(path)
      if (size !== null) this.begin(path, { ...reading, isNew: true, size })
    }
  }

  /** Removes the parts of which nothing has come for so long; another server may have the others sent, so they are looked at later. */
  async #removeParts(folder: UploadFolder, patienceMs: number): Promise<void> {
    this.#looksLater.delete(folder.path)
    for (const part of await folder.parts()) {
      const written = await stat(part).catch(() => null)
      if (!written) continue
      if (Date.now() - written.mtimeMs > patienceMs) await rm(part, { force: true })
      else if (!this.#looksLater.has(folder.path)) {
        this.#looksLater.add(folder.path)
        setTimeout(() => void this.#removeParts(folder, patienceMs).catch(() => {}), patienceMs).unref()
      }
    }
  }

  #read(
    path: string,
    { quaero, user, queue, size, password, onStored }: Reading & Kept & { readonly onStored: () => void },
  ): Promise<AddReport> {
    const onProgress: AddFileOptions['onProgress'] = ({ pages, passages }) =>
      this.#change(path, { state: 'reading', pages, passages })
    if (queue && password === undefined) return queue.addFile(path, { userId: user.name, onStored, onProgress })
    // In few processes, and no small file behind a large one.
    const lane = `${user.name ?? ''} ${size > largestSmall}`
    return this.#turns.take(lane, () => {
      this.#change(path, { state: 'reading' })
      return quaero.library.add([path], password === undefined ? {} : { passwords: [password] })
    })
  }

  #change(path: string, changed: Partial<UploadStatus>): void {
    const upload = this.#known.get(path)
    if (upload) upload.status = { ...upload.status, ...changed }
  }

  #end(path: string, changed: Partial<UploadStatus>): void {
    this.#change(path, changed)
    setTimeout(() => this.#forget(path), keptForMs).unref()
  }

  #forget(path: string): void {
    const upload = this.#known.get(path)
    if (upload && hasEnded(upload)) this.#known.delete(path)
  }

  /** Forgets the oldest of a user that have ended, where there are very many. */
  #makeRoom(folder: UploadFolder): void {
    const ended = this.of(folder).filter((status) => hasEnded({ status }))
    for (const { path } of ended.slice(0, -mostEnded)) this.#known.delete(path)
  }
}

type AddFileOptions = NonNullable<Parameters<Queue['addFile']>[1]>

const keptForMs = 3_600_000
const mostEnded = 200
/** Bytes. */
const largestSmall = 1_000_000

function hasEnded({ status: { state } }: Pick<Upload, 'status'>): boolean {
  return state === 'added' || state === 'failed'
}

function endOf(document: AddedDocument | undefined): Partial<UploadStatus> {
  if (!document) return {}
  const { status, pages, passages, error } = document
  return { state: status === 'failed' ? 'failed' : 'added', pages, passages, error }
}

/** Of the user's name, the document's id and the name of the file, so that it outlives the server. */
function idOf(path: string): string {
  return createHash('sha256').update(path.split(sep).slice(-3).join('/')).digest('hex').slice(0, 32)
}

/** A file of a kind that is skipped in a folder has failed where it is the only one. */
function alone(report: AddReport, path: string): AddReport {
  if (report.documents.length > 0) return report
  const error = { code: 'unsupported_format', message: 'Files of this kind cannot be read.' }
  return { ...report, documents: [{ path, documentId: null, status: 'failed', pages: 0, passages: 0, error }] }
}

/** The report, after the file is removed if it failed. */
async function withoutFailed(report: AddReport, path: string): Promise<AddReport> {
  if (report.documents.some(({ status }) => status !== 'failed')) return report
  await removeFile(path)
  return report
}

function isDocument(quaero: Reading['quaero'], documentId: string): Promise<boolean> {
  return quaero.library.document(documentId).then(
    () => true,
    (error: unknown) => !(error instanceof DocumentNotFound),
  )
}

import { createHash, randomUUID } from 'node:crypto'
import { createWriteStream, existsSync } from 'node:fs'
import { mkdir, readdir, rename, rm, rmdir, stat } from 'node:fs/promises'
import { basename, dirname, join, sep } from 'node:path'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import {
  type AddReport,
  DocumentNotFound,
  type DocumentRecord,
  type LibrarySearchOptions,
  type MetadataChange,
  type PageText,
  type Passage,
  type Quaero,
  type Queue,
  type SearchHit,
} from '../../index.ts'
import { NotYours, UploadRefused } from '../access/refusals.ts'
import type { User } from '../access/users.ts'
import type { Outward } from './outward.ts'
import { bytesIn, filesBelow, filesIn } from './stored-uploads.ts'
import type { Turns } from './turns.ts'

export interface UploadLimits {
  readonly filesPerUser: number
  readonly bytesPerFile: number
  readonly bytesPerUser: number
  /** An upload of which nothing comes for so long is given up: the next ones of its user wait for it. */
  readonly silenceMs: number
}

export interface UserDocumentsParts {
  readonly quaero: Quaero
  readonly user: User
  readonly outward: Outward
  /** Where uploads are kept, a folder for each user; null where nothing is. */
  readonly uploads: string | null
  readonly limits: UploadLimits
  /** Uploads of one user are taken one after the other, so that they are counted, and read here in few processes. */
  readonly turns: Turns
  /** Whose workers read the uploads; null: they are read here. */
  readonly queue: Pick<Queue, 'addFile' | 'withdrawFile'> | null
}

/** The library as one user may use it: all read it, and each may change and remove what they added. */
export class UserDocuments {
  readonly #parts: UserDocumentsParts
  readonly #folder: string | null

  constructor(parts: UserDocumentsParts) {
    this.#parts = parts
    this.#folder = parts.uploads === null ? null : join(parts.uploads, parts.user.name ?? '_')
  }

  async list() {
    const records = await this.#parts.quaero.library.list()
    return records.map((record) => this.#shown(record))
  }

  async document(documentId: string) {
    return this.#shown(await this.#parts.quaero.library.document(documentId))
  }

  /** The file itself, for a reader of this server; null where it has moved or comes from the web. */
  async file(documentId: string): Promise<string | null> {
    const { source, format } = await this.#parts.quaero.library.document(documentId)
    if (format === 'web') return null
    const digest = await sha256(source).catch(() => null)
    return digest?.startsWith(documentId) ? source : null
  }

  text(documentId: string, page: number): Promise<PageText> {
    return this.#parts.quaero.library.text(documentId, page)
  }

  rectangles(documentId: string, page: number, span: { readonly start: number; readonly end: number }) {
    return this.#parts.quaero.library.rectangles(documentId, page, span)
  }

  async search(query: string, options: LibrarySearchOptions): Promise<readonly SearchHit[]> {
    return this.#parts.outward(await this.#parts.quaero.library.search(query, options))
  }

  passages(
    passageId: string,
    options: { readonly before: number; readonly after: number },
  ): Promise<readonly Passage[]> {
    return this.#parts.quaero.library.passages(passageId, options)
  }

  /** Changes title, authors or year. Throws `NotYours` unless this user added the document first. */
  async set(documentId: string, change: MetadataChange) {
    const record = await this.#parts.quaero.library.document(documentId)
    if (!this.#isEditable(record)) throw new NotYours('This document was added by somebody else, who can change it.')
    await this.#parts.quaero.library.set(documentId, change)
    return this.document(documentId)
  }

  /** Removes the user's copy of a document; the document goes with the last copy of anybody. Throws `NotYours`. */
  async remove(named: string): Promise<void> {
    const { documentId } = await this.#parts.quaero.library.document(named)
    return this.#parts.turns.take(documentId, () => this.#remove(documentId))
  }

  async #remove(documentId: string): Promise<void> {
    const { library } = this.#parts.quaero
    const { document, sources } = await library.show(documentId)
    if (!this.#isRemovable(document)) throw new NotYours('This document was added by somebody else, who can remove it.')
    const folder = this.#copiesOf(document)
    for (const path of folder === null ? [] : await filesIn(folder)) await this.#parts.queue?.withdrawFile(path)
    const isShared = this.#parts.user.name !== null && !sources.every((source) => this.#isUpload(source))
    if (isShared && folder !== null) {
      for (const name of await readdir(folder)) await rm(join(folder, name), { force: true })
      await library.add([folder], { sync: true })
    } else await library.remove(document.documentId)
    if (folder !== null) await rm(folder, { recursive: true, force: true })
  }

  /**
   * Stores a file and adds it to the library. What cannot be read stands in the report, and is not kept. A user's next
   * file is taken once this one is read, or is in the queue.
   */
  async add(name: string, bytes: ReadableStream<Uint8Array>): Promise<AddReport> {
    const folder = this.#folder
    if (folder === null) throw new UploadRefused('This server keeps nothing on disk, so it takes no uploads.')
    const { report } = await this.#parts.turns.take(folder, () => this.#addTo(folder, fileNameOf(name), bytes))
    return report
  }

  async #addTo(folder: string, name: string, bytes: ReadableStream<Uint8Array>): Promise<UnderWay> {
    // Files lie in folders of their own: what lies beside these is on its way.
    const part = join(folder, randomUUID())
    const room = await this.#roomIn(folder)
    try {
      const digest = await this.#store(bytes, part, room)
      const documentId = digest.slice(0, 16)
      // Nobody removes the document until it is in the library, or in the queue.
      return await this.#parts.turns.take(documentId, () => this.#keep(part, join(folder, documentId, name)))
    } finally {
      await rm(part, { force: true })
    }
  }

  async #keep(part: string, path: string): Promise<UnderWay> {
    const { quaero, queue, user } = this.#parts
    const isNew = !existsSync(path)
    await mkdir(dirname(path), { recursive: true })
    await rename(part, path)
    return new Promise((resolve, reject) => {
      const onStored = () => resolve({ report })
      const added = queue ? queue.addFile(path, { userId: user.name, onStored }) : quaero.library.add([path])
      const report = added.then((whole) => this.#keptAs(read(whole, path), { path, isNew }))
      report.then(onStored, reject)
    })
  }

  /** What failed is not kept. */
  async #keptAs(report: AddReport, { path, isNew }: { readonly path: string; readonly isNew: boolean }) {
    const isKept = report.documents.some(({ status }) => status !== 'failed')
    if (!isKept && isNew) await this.#removeFile(path)
    return this.#parts.outward(report)
  }

  /** Removes a file, and its folder unless the same content lies there under another name. */
  async #removeFile(path: string): Promise<void> {
    await rm(path, { force: true })
    await rmdir(dirname(path)).catch(() => {})
  }

  /** How many bytes the next file may have. Throws `UploadRefused` if there may be none. */
  async #roomIn(folder: string): Promise<number> {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const entries = await readdir(folder, { withFileTypes: true })
    const unfinished = entries.filter((entry) => entry.isFile())
    await Promise.all(unfinished.map(({ name }) => rm(join(folder, name), { force: true })))
    const refusal = await this.#fullness(folder)
    if (refusal) await this.#removeLost(folder)
    const still = refusal && (await this.#fullness(folder))
    if (still) throw still
    const { bytesPerUser, bytesPerFile } = this.#parts.limits
    return Math.min(bytesPerUser - (await bytesIn(folder)), bytesPerFile)
  }

  /** Why there may be no further file; null if there may be one. */
  async #fullness(folder: string): Promise<UploadRefused | null> {
    const { filesPerUser, bytesPerUser } = this.#parts.limits
    if ((await filesBelow(folder)).length >= filesPerUser)
      return new UploadRefused(`You have ${filesPerUser} files here, which is the most. Remove some first.`)
    if ((await bytesIn(folder)) >= bytesPerUser)
      return new UploadRefused(`Your files have ${bytesPerUser} bytes, which is the most. Remove some first.`)
    return null
  }

  /** Removes old files of which there is no document: nobody was left to remove them when they could not be added. */
  async #removeLost(folder: string): Promise<void> {
    for (const documentId of await readdir(folder)) {
      const place = join(folder, documentId)
      // A report that comes meanwhile may remove it.
      const changed = await stat(place).catch(() => null)
      if (!changed || Date.now() - changed.mtimeMs < lostAfterMs) continue
      const isThere = await this.#parts.quaero.library.document(documentId).then(
        () => true,
        (error: unknown) => !(error instanceof DocumentNotFound),
      )
      if (!isThere) await rm(place, { recursive: true, force: true })
    }
  }

  /** Writes the bytes to disk as they come; returns their SHA-256. */
  async #store(bytes: ReadableStream<Uint8Array>, path: string, room: number): Promise<string> {
    const hash = createHash('sha256')
    let size = 0
    const stalled = new UploadRefused('The rest of the file did not come. Send it again.')
    const silence = setTimeout(() => counted.destroy(stalled), this.#parts.limits.silenceMs)
    const counted = new Transform({
      transform(chunk: Buffer, _, done) {
        silence.refresh()
        size += chunk.length
        hash.update(chunk)
        if (size > room) done(new UploadRefused(`This file may have at most ${room} bytes.`))
        else done(null, chunk)
      },
    })
    await pipeline(Readable.fromWeb(bytes), counted, createWriteStream(path, { mode: 0o600 }))
      .catch((error: NodeJS.ErrnoException) => {
        throw cut.has(error.code ?? '')
          ? new UploadRefused('The file did not arrive as a whole. Send it again.')
          : error
      })
      .finally(() => clearTimeout(silence))
    return hash.digest('hex')
  }

  #isEditable({ source }: DocumentRecord): boolean {
    return this.#parts.user.name === null || this.#isUpload(source)
  }

  #isRemovable(record: DocumentRecord): boolean {
    const folder = this.#copiesOf(record)
    return this.#isEditable(record) || (folder !== null && existsSync(folder))
  }

  /** Where uploads of this document lie. */
  #copiesOf({ documentId }: DocumentRecord): string | null {
    return this.#folder === null ? null : join(this.#folder, documentId)
  }

  #isUpload(source: string): boolean {
    return this.#folder !== null && source.startsWith(this.#folder + sep)
  }

  #shown(record: DocumentRecord) {
    const [editable, removable] = [this.#isEditable(record), this.#isRemovable(record)]
    return { ...this.#parts.outward(record), authors: [...record.authors], editable, removable }
  }
}

interface UnderWay {
  readonly report: Promise<AddReport>
}

/** A file that waits longer for a worker is added all the same, and only not kept. */
const lostAfterMs = 24 * 3_600_000

/** Codes of a connection that ended too early. */
const cut: ReadonlySet<string> = new Set(['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE', 'ABORT_ERR'])

/** A file of a kind that is skipped in a folder has failed where it is the only one. */
function read(report: AddReport, path: string): AddReport {
  if (report.documents.length > 0) return report
  const error = { code: 'unsupported_format', message: 'Files of this kind cannot be read.' }
  return { ...report, documents: [{ path, documentId: null, status: 'failed', pages: 0, passages: 0, error }] }
}

async function sha256(file: string): Promise<string> {
  const hash = createHash('sha256')
  const { createReadStream } = await import('node:fs')
  for await (const chunk of createReadStream(file)) hash.update(chunk)
  return hash.digest('hex')
}

/** File systems take 255. */
const mostBytesOfName = 200

/** The last part of a name, without what a file system or a terminal might take for more than a name. */
function fileNameOf(name: string): string {
  const plain = basename(name.replaceAll('\\', '/'))
    .replace(/[\p{Cc}\p{Cf}<>:"|?*]/gu, '')
    .trim()
  const characters = [...plain].slice(-120)
  while (Buffer.byteLength(characters.join('')) > mostBytesOfName) characters.shift()
  const safe = characters.join('').replace(/^\.{1,120}/, '')
  if (safe === '') throw new UploadRefused('The file needs a name.')
  return safe
}

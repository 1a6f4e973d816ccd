import { createHash, randomUUID } from 'node:crypto'
import { createWriteStream, existsSync } from 'node:fs'
import { type FileHandle, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join, sep } from 'node:path'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import {
  type DocumentRecord,
  type LibrarySearchOptions,
  type MetadataChange,
  NotReady,
  type Quaero,
  type Queue,
  type SearchHit,
} from '../../index.ts'
import { NotYours, UploadRefused } from '../access/refusals.ts'
import type { Turns } from '../access/slots.ts'
import type { User } from '../access/users.ts'
import type { Outward } from './outward.ts'
import { bytesIn, fileNameOf, filesBelow, filesIn, openIfUnchanged } from './stored-uploads.ts'
import type { Upload, UploadStatus, Uploads } from './uploads.ts'

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
  /** Uploads of one user are taken one after the other, so that they are counted. */
  readonly turns: Turns
  readonly underWay: Uploads
  /** Whose workers read the uploads; null: they are read here. */
  readonly queue: Pick<Queue, 'addFile' | 'withdrawFile'> | null
  /** Aborted once the server stops: what is on its way then is given up. */
  readonly stopping?: AbortSignal | undefined
}

/** The library as one user may use it: all read it, and each may change and remove what they added. */
export class UserDocuments {
  readonly #parts: UserDocumentsParts
  readonly #folder: string | null

  constructor(parts: UserDocumentsParts) {
    this.#parts = parts
    this.#folder = parts.uploads === null ? null : join(parts.uploads, parts.user.name ?? '_')
  }

  /** What all may read as it is stored. */
  get library(): Pick<Quaero['library'], 'text' | 'printedPages' | 'tables' | 'rectangles' | 'passages'> {
    return this.#parts.quaero.library
  }

  /** By title; all, or a part of them. */
  async list(part: { readonly limit?: number; readonly offset?: number } = {}) {
    const records = await this.#parts.quaero.library.list(part)
    return records.map((record) => this.#shown(record))
  }

  async document(documentId: string) {
    return this.#shown(await this.#parts.quaero.library.document(documentId))
  }

  /**
   * The file itself, open, for a reader of this server, who closes it; null where all copies have moved or changed, where it
   * comes from the web, and once the reader has left.
   */
  async file(named: string, left: AbortSignal): Promise<OpenFile | null> {
    const { library } = this.#parts.quaero
    const { documentId, format } = await library.document(named)
    for (const path of format === 'web' ? [] : await library.files(documentId)) {
      const file = await openIfUnchanged(path, documentId, left)
      if (file) return { name: basename(path), file }
    }
    return null
  }

  async search(query: string, options: LibrarySearchOptions): Promise<readonly SearchHit[]> {
    return this.#parts.outward.hits(await this.#parts.quaero.library.search(query, options))
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
    // What is not in the queue yet cannot be taken back from it.
    if (folder !== null) await this.#parts.underWay.underWay(folder)?.isSafe
    for (const path of folder === null ? [] : await filesIn(folder)) await this.#parts.queue?.withdrawFile(path)
    const isShared = this.#parts.user.name !== null && !sources.every((source) => this.#isUpload(source))
    if (isShared && folder !== null) {
      for (const name of await readdir(folder)) await rm(join(folder, name), { force: true })
      await library.add([folder], { sync: true })
    } else await library.remove(document.documentId)
    if (folder !== null) await rm(folder, { recursive: true, force: true })
  }

  /**
   * Stores a file, and has it read; resolves once it is stored. What cannot be read stands in the report, and is not kept. A
   * file with the bytes of one that is read at the time is that one, whatever its name. An encrypted one is read here, so
   * that no queue keeps its password. `declaredBytes` are those that the sender says it has.
   */
  async add(
    name: string,
    bytes: ReadableStream<Uint8Array>,
    { password, declaredBytes = 0 }: { readonly password?: string | undefined; readonly declaredBytes?: number } = {},
  ): Promise<Upload> {
    const folder = this.#folder
    if (folder === null) throw new UploadRefused('This server keeps nothing on disk, so it takes no uploads.')
    const { bytesPerFile } = this.#parts.limits
    if (declaredBytes > bytesPerFile) throw new UploadRefused(`This file may have at most ${bytesPerFile} bytes.`)
    const upload = await this.#parts.turns.take(folder, () =>
      this.#addTo(folder, fileNameOf(name), { bytes, password }),
    )
    return { ...upload, report: upload.report.then((report) => this.#parts.outward.report(report)) }
  }

  /** The user's files that this server has taken and that are read, or were within an hour. */
  uploads(): readonly (Omit<UploadStatus, 'path'> & { readonly name: string })[] {
    const all = this.#folder === null ? [] : this.#parts.underWay.of(this.#folder)
    return all.map(({ path, ...status }) => ({ ...status, name: basename(path) }))
  }

  async #addTo(folder: string, name: string, { bytes, password }: Sent): Promise<Upload> {
    const room = await this.#roomIn(folder)
    // Files lie in folders of their own: what lies beside these is on its way.
    const part = join(folder, randomUUID())
    try {
      const { digest, size } = await this.#store(bytes, part, room)
      const path = join(folder, digest.slice(0, 16), name)
      return await this.#parts.turns.take(digest.slice(0, 16), () => this.#keep(part, { path, size, password }))
    } finally {
      await rm(part, { force: true })
    }
  }

  async #keep(part: string, { path, size, password }: Kept): Promise<Upload> {
    const { underWay } = this.#parts
    const same = underWay.underWay(dirname(path))
    if (same) return same
    const isNew = !existsSync(path)
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    await rename(part, path)
    return underWay.begin(path, { ...this.#parts, isNew, size, password })
  }

  /** How many bytes the next file may have. Throws `UploadRefused` if there may be none. */
  async #roomIn(folder: string): Promise<number> {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const refusal = await this.#fullness(folder)
    if (refusal) {
      const { underWay, limits } = this.#parts
      // Some may be of a server that was killed. Once they are read or removed there may be room.
      void underWay.recover(folder, { ...this.#parts, silenceMs: limits.silenceMs }).catch(() => {})
      throw refusal
    }
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

  /** Writes the bytes to disk as they come; returns their SHA-256 and how many they are. */
  async #store(bytes: ReadableStream<Uint8Array>, path: string, room: number) {
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
    const { stopping } = this.#parts
    await pipeline(Readable.fromWeb(bytes), counted, createWriteStream(path, { mode: 0o600 }), {
      ...(stopping && { signal: stopping }),
    })
      .catch((error: NodeJS.ErrnoException) => {
        if (stopping?.aborted) throw new NotReady('The server is stopping. Send the file again later.')
        throw cut.has(error.code ?? '')
          ? new UploadRefused('The file did not arrive as a whole. Send it again.')
          : error
      })
      .finally(() => clearTimeout(silence))
    return { digest: hash.digest('hex'), size }
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
    return { ...this.#parts.outward.document(record), authors: [...record.authors], editable, removable }
  }
}

interface OpenFile {
  readonly name: string
  readonly file: FileHandle
}

/** A file as it comes. */
interface Sent {
  readonly bytes: ReadableStream<Uint8Array>
  readonly password: string | undefined
}

interface Kept extends Pick<Sent, 'password'> {
  readonly path: string
  readonly size: number
}

/** Codes of a connection that ended too early. */
const cut: ReadonlySet<string> = new Set(['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE', 'ABORT_ERR'])

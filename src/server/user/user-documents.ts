import { existsSync } from 'node:fs'
import { type FileHandle, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type {
  AddReport,
  DocumentRecord,
  LibrarySearchOptions,
  MetadataChange,
  Quaero,
  Queue,
  SearchHit,
} from '../../index.ts'
import { type TagChange, tagFrom } from '../../library/index.ts'
import { NotYours, UploadRefused, withoutFolders } from '../access/refusals.ts'
import { checkedFilter, type Rights } from '../access/rights.ts'
import type { Turns } from '../access/slots.ts'
import type { User } from '../access/users.ts'
import type { Outward } from './outward.ts'
import { fileNameOf, filesIn, openIfUnchanged, UploadFolder, type UploadLimits } from './upload-folder.ts'
import type { Kept, Upload, UploadStatus, Uploads } from './uploads.ts'

export interface UserDocumentsParts {
  readonly quaero: Quaero
  readonly user: User
  readonly rights: Rights
  /** Ids of documents that are not there for the user. */
  readonly hidden: ReadonlySet<string>
  /** The library without them. */
  readonly library: Quaero['library']
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
  /** Told how many sentences of answers no longer stand, since a document was removed. */
  readonly countFallen?: (sentences: number) => void
}

/**
 * The library as one user may use it: what they may not read is not there, and each may change and remove what they added, and
 * change what they may write.
 */
export class UserDocuments {
  readonly #parts: UserDocumentsParts
  readonly #folder: UploadFolder | null

  constructor(parts: UserDocumentsParts) {
    this.#parts = parts
    this.#folder = parts.uploads === null ? null : new UploadFolder(join(parts.uploads, parts.user.name ?? '_'))
  }

  /** What all may read as it is stored. */
  get library(): Pick<Quaero['library'], 'text' | 'printedPages' | 'tables' | 'rectangles' | 'passages'> {
    return this.#parts.library
  }

  /** By title; all, or a part of them, or those that a filter means. */
  async list(options: Parameters<Quaero['library']['list']>[0] = {}) {
    const records = await this.#parts.library.list(checkedFilter(options))
    return records.map((record) => this.#shown(record))
  }

  /** The folders that this server keeps current, by their names. */
  folders() {
    return this.#parts.quaero.library.watched().map(({ folder, problem, ...rest }) => {
      const name = basename(resolve(folder))
      const message = withoutFolders(problem?.message.replace(JSON.stringify(folder), JSON.stringify(name)) ?? '')
      return { name, ...rest, problem: problem && { ...problem, message } }
    })
  }

  async document(documentId: string) {
    return this.#shown(await this.#parts.library.document(documentId))
  }

  /** The same with what the document says of itself, and what to ask about it. */
  async details(documentId: string) {
    const { document, summary, questions, recognised } = await this.#parts.library.show(documentId)
    return { ...this.#shown(document), summary, questions, recognised }
  }

  /**
   * The file itself, open, for a reader of this server, who closes it; null where all copies have moved or changed, where it
   * comes from the web, and once the reader has left.
   */
  async file(named: string, left: AbortSignal): Promise<OpenFile | null> {
    const { library } = this.#parts
    const { documentId, format } = await library.document(named)
    for (const path of format === 'web' ? [] : await library.files(documentId)) {
      const file = await openIfUnchanged(path, documentId, left)
      if (file) return { name: basename(path), file }
    }
    return null
  }

  async search(query: string, options: LibrarySearchOptions): Promise<readonly SearchHit[]> {
    return this.#parts.outward.hits(await this.#parts.library.search(query, checkedFilter(options)))
  }

  /** Changes title, authors, year or tags. Throws `NotYours` for what this user may not change. */
  async set(named: string, { tags, ...change }: MetadataChange) {
    const record = await this.#parts.library.document(named)
    const { documentId } = record
    if (!this.#isEditable(record)) throw new NotYours('This document was added by somebody else, who can change it.')
    const wanted = tags?.map(tagFrom)
    if (wanted) await this.#tag(record, { add: wanted, remove: record.tags.filter((tag) => !wanted.includes(tag)) })
    if (Object.keys(change).length > 0) await this.#parts.quaero.library.set(documentId, change)
    return this.document(documentId)
  }

  async #tag({ documentId, tags: known }: Tagged, change: TagChange): Promise<void> {
    const { add = [], remove = [] } = change
    const changed = [...add.map(tagFrom).filter((tag) => !known.includes(tag)), ...remove]
    const refused = changed.find((tag) => !this.#parts.rights.mayTag(tag))
    if (refused !== undefined) throw new NotYours(`You may not write in the collection "${refused}".`)
    if (!this.#parts.hidden.has(documentId)) await this.#parts.quaero.library.tag(documentId, change)
  }

  /** Removes the user's copy of a document; the document goes with the last copy of anybody. Throws `NotYours`. */
  async remove(named: string): Promise<void> {
    const { documentId } = await this.#parts.library.document(named)
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
      const { fallen = [] } = await library.add([folder], { sync: true })
      this.#parts.countFallen?.(fallen.length)
    } else this.#parts.countFallen?.((await library.remove(document.documentId)).length)
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
    { password, declaredBytes = 0, tags = [] }: UploadOptions = {},
  ): Promise<Upload> {
    const { limits, turns, stopping, outward, hidden } = this.#parts
    const folder = this.#folder
    if (folder === null) throw new UploadRefused('This server keeps nothing on disk, so it takes no uploads.')
    if (declaredBytes > limits.bytesPerFile)
      throw new UploadRefused(`This file may have at most ${limits.bytesPerFile} bytes.`)
    const { silenceMs } = limits
    const upload = await turns.take(folder.path, async () => {
      const safeName = fileNameOf(name)
      const room = await this.#roomIn(folder)
      return folder.receive(bytes, { room, silenceMs, stopping }, ({ part, digest, size }) => {
        const documentId = digest.slice(0, 16)
        const path = join(folder.copiesOf(documentId), safeName)
        return turns.take(documentId, async () => {
          this.#checkName(path)
          // Nobody sees it without its tags.
          if (tags.length > 0) await this.#tagUpload(documentId, tags)
          const isNew = !existsSync(dirname(path)) || this.#parts.underWay.underWay(dirname(path)) !== null
          const kept = await this.#keep(part, { path, size, password })
          return isNew && hidden.has(documentId) ? { ...kept, report: kept.report.then(asNew) } : kept
        })
      })
    })
    return { ...upload, report: upload.report.then((report) => outward.report(report)) }
  }

  /** A name is chosen, and with it what rules make of it. */
  #checkName(path: string): void {
    const { ruled, mayTag } = this.#parts.rights
    const refused = ruled(path).find((tag) => !mayTag(tag))
    if (refused !== undefined)
      throw new NotYours(`A file of this name goes into the collection "${refused}", in which you may not write.`)
  }

  async #tagUpload(documentId: string, add: readonly string[]): Promise<void> {
    const known = await this.#parts.library.document(documentId).catch(() => null)
    if (known && !this.#isEditable(known))
      throw new NotYours('Somebody else has added this document, and gives it its tags.')
    await this.#tag(known ?? { documentId, tags: [] }, { add, ahead: known === null })
  }

  /** The user's files that this server has taken and that are read, or were within an hour. */
  uploads(): readonly (Omit<UploadStatus, 'path'> & { readonly name: string })[] {
    const all = this.#folder === null ? [] : this.#parts.underWay.of(this.#folder)
    return all.map(({ path, ...status }) => ({ ...status, name: basename(path) }))
  }

  async #keep(part: string, { path, ...sent }: Kept & { readonly path: string }): Promise<Upload> {
    const { underWay } = this.#parts
    const same = underWay.underWay(dirname(path))
    if (same) return same
    const isNew = !existsSync(path)
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    await rename(part, path)
    return underWay.begin(path, { ...this.#parts, ...sent, isNew })
  }

  async #roomIn(folder: UploadFolder): Promise<number> {
    const { underWay, limits } = this.#parts
    return folder.room(limits).catch((refusal: unknown) => {
      // Some may be of a server that was killed. Once they are read or removed there may be room.
      void underWay.recover(folder, { ...this.#parts, silenceMs: limits.silenceMs }).catch(() => {})
      throw refusal
    })
  }

  #isEditable({ source, tags }: DocumentRecord): boolean {
    return this.#parts.user.name === null || this.#isUpload(source) || this.#parts.rights.mayChange(tags)
  }

  #isRemovable(record: DocumentRecord): boolean {
    const folder = this.#copiesOf(record)
    const isOwn = this.#parts.user.name === null || this.#isUpload(record.source)
    return isOwn || (folder !== null && existsSync(folder))
  }

  /** Where uploads of this document lie. */
  #copiesOf({ documentId }: DocumentRecord): string | null {
    return this.#folder?.copiesOf(documentId) ?? null
  }

  #isUpload(source: string): boolean {
    return this.#folder?.has(source) ?? false
  }

  #shown(record: DocumentRecord) {
    const [editable, removable] = [this.#isEditable(record), this.#isRemovable(record)]
    return {
      ...this.#parts.outward.document(record),
      authors: [...record.authors],
      tags: [...record.tags],
      editable,
      removable,
    }
  }
}

/** The report of a file whose document is there, and hidden from its sender. */
function asNew({ documents, ...rest }: AddReport): AddReport {
  return {
    ...rest,
    documents: documents.map((each) => (each.status === 'unchanged' ? { ...each, status: 'added' } : each)),
  }
}

type Tagged = Pick<DocumentRecord, 'documentId' | 'tags'>

interface UploadOptions {
  readonly password?: string | undefined
  readonly declaredBytes?: number
  readonly tags?: readonly string[]
}

interface OpenFile {
  readonly name: string
  readonly file: FileHandle
}

import { subtle } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Settings } from '../../config.ts'
import { DocumentUnreadable, UsageError } from '../../errors.ts'
import { type Context, silentContext, span } from '../../events/index.ts'
import { tagFrom, tagsByRule } from '../filter/tags.ts'
import type { DocumentBatch } from '../port/document.ts'
import type { AddedDocument, AddOptions, AddReport, RemovedDocument } from '../port/library.ts'
import type { IncomingDocument, OpenedFile, PassageIndex, SourceRecord } from '../port/passage-index.ts'
import { locationIn } from '../port/source-location.ts'
import { isPicture } from '../readers/read-document.ts'
import { findFiles } from './find-files.ts'
import { fileSystem, readAsSeen, readBytes, type SeenFile } from './read-bytes.ts'
import { checkSize, createFileReader, type FileContent, type FileReader, type FileToRead } from './read-file.ts'
import { recogniseText, scanRemedy } from './scans/recognise-text.ts'
import { locationOf, removeGone } from './sync.ts'

export interface AddDocumentsOptions extends AddOptions {
  readonly index: PassageIndex
  readonly settings: Settings['library']
  /** Where the `ingest` spans are reported; nowhere by default. */
  readonly context?: Context
  /** Files as they were seen, by path: one that has changed since is left out. The file system is asked where they are not. */
  readonly seen?: ReadonlyMap<string, SeenFile>
  /** Files with other bytes than before go there, in place of being read here. */
  readonly handOver?: (file: OpenedFile) => Promise<AddedDocument>
  /**
   * Awaited after each batch of a document, and at least once before it is complete: what it throws leaves nothing of the
   * document. Nobody else completes the same document meanwhile.
   */
  readonly onBatch?: (done: DocumentProgress) => Promise<void>
}

/** How much of a document is stored. */
export type DocumentProgress = Pick<AddedDocument, 'pages' | 'passages'>

/**
 * Reads files and folders into the index. A file that fails is reported and does not affect the others; files that an
 * interrupted call has stored are not read again. Throws `PathNotFound` before anything is read, `UsageError` for too
 * many files, and the signal's reason.
 */
export async function addDocuments(paths: readonly string[], options: AddDocumentsOptions): Promise<AddReport> {
  const { index, settings } = options
  const { files, skipped } = await findFiles(paths, settings)
  checkCount(files.length, settings)
  const known = options.sync ? await index.sources() : []
  const added = await addFiles(files, options)
  const { documents, removed } = options.sync
    ? await removeGone(paths, index, known, added)
    : { documents: added, removed: [] }
  const isBeside = (row: AddedDocument) => isTextlessPicture(row) && !paths.includes(row.path)
  return reportOf(
    documents.filter((row) => !isBeside(row)),
    removed,
    [...skipped, ...documents.filter(isBeside).map(({ path }) => path)],
  )
}

/** A logo or a photograph, which is no failure in a folder of papers. */
export function isTextlessPicture({ path, error }: AddedDocument): boolean {
  return error?.code === 'no_text_layer' && isPicture(path)
}

/** The same for files that were found before; what is said of each, and nothing of one that is not as it was seen. */
export async function addFiles(files: readonly string[], options: AddDocumentsOptions): Promise<AddedDocument[]> {
  const reader = createFileReader(options.settings)
  try {
    const damaged = new Set(options.repair ? await options.index.damaged?.() : [])
    return await addAll(files, { ...options, reader, damaged, storing: new Map() })
  } finally {
    reader.close()
  }
}

/** Adds a file that was opened before, perhaps by another process. Throws the signal's reason, and what `onBatch` throws. */
export async function addOpenedFile(file: OpenedFile, options: AddDocumentsOptions): Promise<AddedDocument> {
  const reader = createFileReader(options.settings)
  const work = { ...options, reader, damaged: new Set<string>(), storing: new Map() }
  try {
    return await orFailed(file.source, async () => addBytes(file, await options.index.source(file.source), work))
  } finally {
    reader.close()
  }
}

/** A document's id: the first 16 hexadecimal digits of the SHA-256 of its bytes. */
export async function documentIdOf(bytes: Uint8Array): Promise<string> {
  // In a thread of its own, since hashing a large file would block the event loop.
  const digest = await subtle.digest('SHA-256', bytes)
  return Buffer.from(digest).toString('hex').slice(0, 16)
}

/** Throws `UsageError`. */
export function checkCount(files: number, settings: Settings['library']): void {
  if (files <= settings.maxFiles) return
  throw new UsageError(
    `${files} files are more than the ${settings.maxFiles} that one call may add. Add them in parts, or raise library.maxFiles`,
  )
}

interface Work extends AddDocumentsOptions {
  readonly reader: FileReader
  /** Documents that are read again although they are stored. */
  readonly damaged: Set<string>
  /** Documents that are being stored, by id, so that two copies of a file are stored once. */
  readonly storing: Map<string, Promise<unknown>>
}

async function addAll(files: readonly string[], work: Work): Promise<AddedDocument[]> {
  const documents: (AddedDocument | null)[] = []
  let next = 0
  let done = 0
  const worker = async (): Promise<void> => {
    for (let at = next++; at < files.length; at = next++) {
      work.signal?.throwIfAborted()
      const path = files[at]
      if (path === undefined) return
      const document = await orFailed(path, () => addFile(path, work)).catch((error: unknown) => {
        // The other workers finish their file and stop.
        next = files.length
        throw error
      })
      documents[at] = document
      done += 1
      if (document) work.onProgress?.({ done, total: files.length, path, document })
    }
  }
  const workers = Array.from({ length: Math.min(work.settings.readers, files.length) }, worker)
  const failed = (await Promise.allSettled(workers)).find((outcome) => outcome.status === 'rejected')
  if (failed) throw failed.reason
  return documents.filter((document) => document !== null)
}

async function orFailed<T>(path: string, add: () => Promise<T>): Promise<T | AddedDocument> {
  try {
    return await add()
  } catch (error) {
    if (!(error instanceof DocumentUnreadable)) throw error
    return failedDocument(path, error)
  }
}

/** How a file is reported that could not be added. */
export function failedDocument(path: string, { code, message }: NonNullable<AddedDocument['error']>): AddedDocument {
  return { path, documentId: null, status: 'failed', pages: 0, passages: 0, error: { code, message } }
}

async function addFile(path: string, work: Work): Promise<AddedDocument | null> {
  const known = await work.index.source(path)
  // Before the bytes are read: if the file changes in between, the next call sees another time and reads it again.
  const seen = work.seen?.get(path)
  const { size, mtimeMs } = seen ?? (await fileSystem(path, () => stat(path)))
  const place = { source: path, location: seen?.location ?? (await locationOf(path)), modifiedMs: mtimeMs }
  if (known?.size === size && known.modifiedMs === mtimeMs && !work.damaged.has(known.documentId)) {
    const linked = await linkStored({ ...place, documentId: known.documentId, size }, known, work)
    if (linked) return linked
  }
  checkSize(size, work.settings)
  const bytes = await (seen ? readAsSeen(path, seen) : readBytes(path))
  if (!bytes) return null
  const file = { ...place, bytes }
  return work.handOver ? work.handOver(file) : addBytes(file, known, work)
}

async function addBytes(
  { bytes, ...place }: OpenedFile,
  known: SourceRecord | null,
  work: Work,
): Promise<AddedDocument> {
  const documentId = await documentIdOf(bytes)
  const source: SourceRecord = { ...place, documentId, size: bytes.length }
  return oneAtATime(documentId, work, async () => {
    if (work.damaged.delete(documentId)) {
      await forget(documentId, work.index)
      return replacing(known, await store(bytes, source, 'updated', work))
    }
    const stored = await linkStored(source, known, work)
    return stored ?? replacing(known, await store(bytes, source, known ? 'updated' : 'added', work))
  })
}

/** Says which document stood under the path before, if that one was updated. */
function replacing(known: SourceRecord | null, added: AddedDocument): AddedDocument {
  return known && added.status === 'updated' ? { ...added, replaces: known.documentId } : added
}

/** Removes a document that is read again; what a person stated of it stays. */
async function forget(documentId: string, index: PassageIndex): Promise<void> {
  for (const source of await index.sources()) {
    if (source.documentId === documentId) await index.unlinkSource(source.source)
  }
}

async function oneAtATime<T>(documentId: string, { storing }: Work, action: () => Promise<T>): Promise<T> {
  const before = storing.get(documentId) ?? Promise.resolve()
  const turn = before.then(action, action)
  storing.set(documentId, turn)
  try {
    return await turn
  } finally {
    if (storing.get(documentId) === turn) storing.delete(documentId)
  }
}

/** Content that is in the index already, under this path or another, is not read again. */
async function linkStored(source: SourceRecord, known: SourceRecord | null, work: Work): Promise<AddedDocument | null> {
  const record = await work.index.document(source.documentId)
  const tags = [...(work.tags ?? []).map(tagFrom), ...tagsByRule(locationIn(source), work.settings.tags)]
  const add = tags.filter((tag) => !record?.tags.includes(tag))
  // Before it is stored: nobody sees it without them.
  if (add.length > 0) await work.index.tag([source.documentId], { add })
  if (!record) return null
  if (!isDeepStrictEqual(known, source)) await work.index.linkSource(source)
  const { documentId, pages, passages } = record
  const found = { path: source.source, documentId, pages, passages, error: null }
  return replacing(known, { ...found, status: known && known.documentId !== documentId ? 'updated' : 'unchanged' })
}

async function store(
  bytes: Uint8Array,
  source: SourceRecord,
  status: 'added' | 'updated',
  work: Work,
): Promise<AddedDocument> {
  const { documentId, source: path } = source
  const outcome = await span(work.context ?? silentContext(), 'ingest', { source: path }, async () => {
    const { index } = work
    const { isNew, program } = await readOrRecognise({ path, bytes, documentId }, work, (content) =>
      index.putInBatches(incomingDocument({ ...content, batches: told(content.batches, work) }, source), source),
    )
    const { pages = 0, passages = 0 } = (await index.document(documentId)) ?? {}
    // Another process may have stored the same content meanwhile.
    const found = { documentId, status: isNew ? status : ('unchanged' as const), pages, passages }
    return { ...found, ...(program !== null && { recognisedBy: program }) }
  })
  return { path, ...outcome, error: null }
}

/** A scan or a picture is read from the text that a program finds in it, if one is installed. */
async function readOrRecognise(
  file: Pick<FileToRead, 'path' | 'bytes' | 'documentId'>,
  { reader, passwords, signal, settings }: Work,
  put: (content: FileContent) => Promise<boolean>,
): Promise<{ readonly isNew: boolean; readonly program: string | null }> {
  try {
    return { isNew: await reader.read({ ...file, passwords, signal }, put), program: null }
  } catch (error) {
    if (!(error instanceof DocumentUnreadable) || error.code !== 'no_text_layer') throw error
    const found = await recogniseText(file.bytes, { signal, settings })
    if (!found) throw new DocumentUnreadable('no_text_layer', `${error.message}. ${scanRemedy(settings)}`)
    const { bytes, program, form: recognised } = found
    const isNew = await reader.read({ ...file, bytes, signal, recognised }, put).catch((cause: unknown) => {
      const isEmpty = cause instanceof DocumentUnreadable && cause.code === 'no_text_layer'
      throw isEmpty ? new DocumentUnreadable('no_text_layer', `${program} found no text in it`) : cause
    })
    return { isNew, program }
  }
}

async function* told(batches: AsyncIterable<DocumentBatch>, { onBatch }: Work): AsyncGenerator<DocumentBatch> {
  let [pages, passages] = [0, 0]
  for await (const batch of batches) {
    yield batch
    pages = batch.pages.at(-1)?.number ?? pages
    passages += batch.passages.length
    await onBatch?.({ pages, passages })
  }
}

function incomingDocument(content: FileContent, { documentId, source }: SourceRecord): IncomingDocument {
  const { format, title, authors, year, batches } = content
  return {
    record: {
      documentId,
      title: title?.value ?? null,
      authors: authors?.value ?? [],
      year: year?.value ?? null,
      source,
      format,
    },
    from: {
      ...(title && { title: title.from }),
      ...(authors && { authors: authors.from }),
      ...(year && { year: year.from }),
    },
    batches,
  }
}

/** Documents and removed ones, with their totals. */
export function reportOf(
  documents: readonly AddedDocument[],
  removed: readonly RemovedDocument[],
  skipped: readonly string[] = [],
): AddReport {
  const count = (status: AddedDocument['status']) => documents.filter((each) => each.status === status).length
  const sum = (of: 'pages' | 'passages'): number => documents.reduce((total, document) => total + document[of], 0)
  const totals = {
    added: count('added'),
    unchanged: count('unchanged'),
    updated: count('updated'),
    failed: count('failed'),
    removed: removed.length,
    skipped: skipped.length,
    pages: sum('pages'),
    passages: sum('passages'),
  }
  return { documents, totals, skipped, removed }
}

import { lstat, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import type { AddedDocument, RemovedDocument } from '../port/library.ts'
import type { PassageIndex, SourceRecord } from '../port/passage-index.ts'

/** What became of a library when the files that are gone were taken out of it. */
export interface Synced {
  /** The rows as given; one under which a document goes on says what it was called before. */
  readonly documents: readonly AddedDocument[]
  readonly removed: readonly RemovedDocument[]
}

export interface SyncOptions {
  readonly index: PassageIndex
  readonly known: readonly SourceRecord[]
  readonly documents: readonly AddedDocument[]
}

/** Where a file lies: its folder's real path and its own name. */
export async function locationOf(path: string): Promise<string> {
  const folder = await realpath(dirname(path)).catch(() => resolve(dirname(path)))
  return join(folder, basename(path))
}

/**
 * Takes files out of the library that once lay below these folders and are gone, and their documents with them unless
 * another file holds the same content. `known` are the sources from before these `documents` were added. A file that
 * cannot be looked at (no permission, a drive that fails) is not gone.
 */
export async function removeGone(paths: readonly string[], { index, known, documents }: SyncOptions): Promise<Synced> {
  const before = new Set(known.map(({ source }) => source))
  const rows = [...documents]
  const removed: RemovedDocument[] = []
  for (const { source, documentId } of await goneFrom(await foldersOf(paths), known)) {
    if (await index.unlinkSource(source)) removed.push({ path: source, documentId })
    const at = rows.findIndex((row) => row.documentId === documentId && !before.has(row.path) && !row.renamedFrom)
    const row = rows[at]
    if (row) rows[at] = { ...row, status: row.status === 'unchanged' ? 'updated' : row.status, renamedFrom: source }
  }
  return { documents: rows, removed }
}

async function foldersOf(paths: readonly string[]): Promise<string[]> {
  const folders: string[] = []
  for (const path of paths) if ((await stat(path)).isDirectory()) folders.push(await realpath(path))
  return folders
}

async function goneFrom(folders: readonly string[], sources: readonly SourceRecord[]): Promise<SourceRecord[]> {
  const gone: SourceRecord[] = []
  for (const record of sources) {
    const location = record.location ?? resolve(record.source)
    const isBelow = folders.some((folder) => location.startsWith(folder.endsWith(sep) ? folder : folder + sep))
    if (isBelow && (await isGone(location))) gone.push(record)
  }
  return gone
}

async function isGone(path: string): Promise<boolean> {
  try {
    await lstat(path)
    return false
  } catch (error) {
    return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
  }
}

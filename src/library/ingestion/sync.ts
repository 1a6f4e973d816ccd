import { lstat, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { AddedDocument, AddReport, RemovedDocument } from '../port/library.ts'
import type { PassageIndex, SourceRecord } from '../port/passage-index.ts'
import { locationIn, sourcesBelow } from '../port/source-location.ts'

/** A file's location: its folder's real path and its own name. */
export async function locationOf(path: string): Promise<string> {
  const folder = await realpath(dirname(path)).catch(() => resolve(dirname(path)))
  return join(folder, basename(path))
}

/**
 * Removes deleted files below these folders from the library, with their documents unless another file has the same
 * content. `known` are the sources from before these `documents` were added; the row of a renamed one gets its old
 * name. A file that cannot be accessed (no permission, a failing drive) is kept. Of `among` alone, if it is given.
 */
export async function removeGone(
  paths: readonly string[],
  index: PassageIndex,
  known: readonly SourceRecord[],
  documents: readonly AddedDocument[],
  among = known,
): Promise<Pick<AddReport, 'documents' | 'removed'>> {
  const before = new Set(known.map(({ source }) => source))
  const rows = [...documents]
  const removed: RemovedDocument[] = []
  for (const { source, documentId } of await goneFrom(await foldersOf(paths), among)) {
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
  for (const record of new Set(folders.flatMap((folder) => sourcesBelow(folder, sources)))) {
    if (await isGone(locationIn(record))) gone.push(record)
  }
  return gone
}

/** False for a file that cannot be looked at; true where a folder stands in its place. */
async function isGone(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isDirectory()
  } catch (error) {
    return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
  }
}

import { realpath } from 'node:fs/promises'
import { findFiles } from '../ingestion/find-files.ts'
import { type FileStamp, isSame, type SeenFile, stampAt } from '../ingestion/read-bytes.ts'
import { locationOf } from '../ingestion/sync.ts'
import type { SourceRecord } from '../port/passage-index.ts'
import { locationIn } from '../port/source-location.ts'

/** The files of a folder at one moment. */
export interface FolderLook {
  /** Its real path. */
  readonly root: string
  /** By location. */
  readonly files: ReadonlyMap<string, SeenFile & { readonly path: string }>
}

/** Throws `PathNotFound`. */
export async function lookAt(folder: string, settings: { readonly pictures: boolean }): Promise<FolderLook> {
  const found = await findFiles([folder], settings)
  const files = new Map<string, SeenFile & { readonly path: string }>()
  for (const path of found.files) {
    const stamp = await stampAt(path)
    const location = await locationOf(path)
    // What goes while it is looked at is not there.
    if (stamp) files.set(location, { path, location, size: stamp.size, mtimeMs: stamp.mtimeMs })
  }
  return { root: await realpath(folder), files }
}

/** What a look asks for. */
export interface Due {
  /** Files to read, by the paths that the library knows them under. */
  readonly read: ReadonlyMap<string, SeenFile>
  readonly gone: readonly SourceRecord[]
  /** Whether the look before has seen the same. */
  readonly isSettled: boolean
}

/**
 * Compares a look with the sources that the library has of the folder. What differs is due if the look before has seen the same: so
 * nothing half written is read, and no file counts as removed that is on its way to another name. `failed` are files that were
 * read in vain, by location.
 */
export function dueIn(
  look: FolderLook,
  before: FolderLook | null,
  known: readonly SourceRecord[],
  failed: ReadonlyMap<string, FileStamp>,
): Due {
  const differing = new Map<string, SeenFile>()
  const unknown = new Map(look.files)
  for (const each of known) {
    const file = look.files.get(locationIn(each))
    unknown.delete(locationIn(each))
    if (file && !isSame(stampOf(each), file)) differing.set(each.source, file)
  }
  for (const file of unknown.values()) differing.set(file.path, file)
  const moving = [...notIn(before, look), ...notIn(look, before)]
  const isDue = (file: SeenFile) =>
    isSame(before?.files.get(file.location), file) && !isSame(failed.get(file.location), file)
  const isGone = (each: SourceRecord) =>
    !look.files.has(locationIn(each)) &&
    before?.files.has(locationIn(each)) === false &&
    !moving.some((file) => isSame(stampOf(each), file))
  return {
    read: new Map([...differing].filter(([, file]) => isDue(file))),
    gone: known.filter(isGone),
    isSettled: before !== null && moving.length === 0,
  }
}

/** The files of a look that the other has not seen the same. */
function notIn(other: FolderLook | null, look: FolderLook | null): readonly SeenFile[] {
  return [...(look?.files.values() ?? [])].filter((file) => !isSame(other?.files.get(file.location), file))
}

function stampOf({ size, modifiedMs }: SourceRecord): FileStamp {
  return { size, mtimeMs: modifiedMs }
}

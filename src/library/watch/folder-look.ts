import { lstat, realpath, stat } from 'node:fs/promises'
import { findFiles } from '../ingestion/find-files.ts'
import type { FileStamp, SeenFile } from '../ingestion/read-bytes.ts'
import { locationOf } from '../ingestion/sync.ts'
import type { SourceRecord } from '../port/passage-index.ts'
import { locationIn, sourcesIn } from '../port/sources-in.ts'

/** The files of a folder at one moment. */
export interface FolderLook {
  /** Its real path. */
  readonly root: string
  /** By location. */
  readonly files: ReadonlyMap<string, SeenFile & { readonly path: string }>
}

/** Throws `PathNotFound`. */
export async function lookAt(folder: string): Promise<FolderLook> {
  const found = await findFiles([folder])
  const files = new Map<string, SeenFile & { readonly path: string }>()
  for (const path of found.files) {
    const stamp = await stampAt(path)
    const location = await locationOf(path)
    // What goes while it is looked at is not there.
    if (stamp) files.set(location, { path, location, ...stamp })
  }
  return { root: await realpath(folder), files }
}

/** Of the file at a path, or of a link without a target; null if there is none. */
export async function stampAt(path: string): Promise<FileStamp | null> {
  const file = await stat(path).catch(() => lstat(path).catch(() => null))
  return file && { size: file.size, mtimeMs: file.mtimeMs }
}

/** What a look asks for. */
export interface Due {
  /** Files to read, by the paths that the library knows them under. */
  readonly read: ReadonlyMap<string, SeenFile>
  readonly gone: readonly SourceRecord[]
  /** What the library has of this folder. */
  readonly known: readonly SourceRecord[]
  /** False if something has not been the same for long enough. */
  readonly isSettled: boolean
}

/**
 * Compares a look with the library. What differs is due if the look before has seen the same: so nothing half written is
 * read, and no file counts as removed that is on its way to another name. `failed` are files that were read in vain.
 */
export function dueIn(
  look: FolderLook,
  before: FolderLook | null,
  { sources, failed }: { readonly sources: readonly SourceRecord[]; readonly failed: ReadonlyMap<string, FileStamp> },
): Due {
  const known = sourcesIn(look.root, sources)
  const at = ({ location }: SeenFile) => byLocation.get(location) ?? []
  const byLocation = new Map<string, SourceRecord[]>()
  for (const each of known) byLocation.set(locationIn(each), [...(byLocation.get(locationIn(each)) ?? []), each])
  const isCurrent = (file: SeenFile) => at(file).length > 0 && at(file).every((each) => isSame(file, stampOf(each)))
  const files = [...look.files.values()]
  const differing = files.filter((file) => !isCurrent(file) && !isSame(failed.get(file.location), file))
  const isStill = (file: SeenFile) => isSame(before?.files.get(file.location), file)
  const moving = differing.filter((file) => !isStill(file))
  const read = differing.filter(isStill).flatMap((file) => {
    const paths = at(file).map(({ source }) => source)
    return (paths.length > 0 ? paths : [file.path]).map((path) => [path, file] as const)
  })
  const missing = known.filter((each) => !look.files.has(locationIn(each)))
  const wasMissing = (each: SourceRecord) => before?.files.has(locationIn(each)) === false
  // Of what the look before saw elsewhere and this one has missed, a third one will tell.
  const passing = [...(before?.files.values() ?? [])].filter(({ location }) => !look.files.has(location))
  const isMoving = (each: SourceRecord) => [...moving, ...passing].some((file) => isSame(file, stampOf(each)))
  const gone = missing.filter((each) => wasMissing(each) && !isMoving(each))
  return { read: new Map(read), gone, known, isSettled: moving.length === 0 && gone.length === missing.length }
}

export function isSame(one: FileStamp | null | undefined, other: FileStamp): boolean {
  return one?.size === other.size && one.mtimeMs === other.mtimeMs
}

export function stampOf({ size, modifiedMs }: SourceRecord): FileStamp {
  return { size, mtimeMs: modifiedMs }
}

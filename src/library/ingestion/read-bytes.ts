import { lstat, readFile, stat } from 'node:fs/promises'
import { DocumentUnreadable } from '../../errors.ts'

/** What tells one state of a file from another. */
export interface FileStamp {
  readonly size: number
  readonly mtimeMs: number
}

/** A file as it was seen, at its absolute path. */
export interface SeenFile extends FileStamp {
  readonly location: string
}

/** Of the file at a path, or of a link without a target; null if there is none. */
export async function stampAt(path: string): Promise<FileStamp | null> {
  return stat(path).catch(() => lstat(path).catch(() => null))
}

export function isSame(one: FileStamp | null | undefined, other: FileStamp): boolean {
  return one?.size === other.size && one.mtimeMs === other.mtimeMs
}

/** The bytes of a file. Throws `DocumentUnreadable`. */
export function readBytes(path: string): Promise<Uint8Array> {
  return fileSystem(path, () => readFile(path))
}

/** The same, or null if the file is another one by now than was seen. */
export async function readAsSeen(path: string, seen: SeenFile): Promise<Uint8Array | null> {
  const reading = fileSystem(path, () => readFile(seen.location))
  // Asked when it is read, so that nothing was written meanwhile.
  await reading.catch(() => {})
  return isSame(await stampAt(seen.location), seen) ? reading : null
}

/** Does what asks the file system for a file. Throws `DocumentUnreadable`. */
export async function fileSystem<T>(path: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action()
  } catch (cause) {
    const reason = cause instanceof Error && 'code' in cause ? cause.code : cause
    const isLink = reason === 'ENOENT' && (await lstat(path).catch(() => null)) !== null
    const isUnnameable = reason === 'ENOENT' && path.includes('\ufffd')
    const problem = isUnnameable
      ? 'Its name is not UTF-8, so that it cannot be opened: rename it'
      : isLink
        ? 'The target of this link does not exist'
        : `The file system refuses to read it (${reason})`
    throw new DocumentUnreadable('unreadable', `${problem}: ${path}`, { cause })
  }
}

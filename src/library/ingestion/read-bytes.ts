import { lstat, open, readFile } from 'node:fs/promises'
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

/** The bytes of a file. With `seen`, those of the file as it was seen: one that is written meanwhile is refused. Throws `DocumentUnreadable`. */
export async function readBytes(path: string, seen?: SeenFile): Promise<Uint8Array> {
  const bytes = await fileSystem(path, () => (seen ? readAsSeen(seen) : readFile(path)))
  if (bytes) return bytes
  throw new DocumentUnreadable('unreadable', `It was changed while it was read: ${path}`)
}

async function readAsSeen(seen: SeenFile): Promise<Uint8Array | null> {
  const file = await open(seen.location)
  const isAsSeen = async () => {
    const { size, mtimeMs } = await file.stat()
    return size === seen.size && mtimeMs === seen.mtimeMs
  }
  try {
    // Asked of the open file: a network drive tells its present size only then.
    if (!(await isAsSeen())) return null
    const bytes = await file.readFile()
    return bytes.length === seen.size && (await isAsSeen()) ? bytes : null
  } finally {
    await file.close()
  }
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

import type { Dirent, Stats } from 'node:fs'
import { lstat, readdir, realpath, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { PathNotFound } from '../../errors.ts'
import { isPicture, isReadable } from '../readers/read-document.ts'

export interface FoundFiles {
  /** Readable files: in the order given, within a folder by name. */
  readonly files: readonly string[]
  /** Other files, and links that lead out of their folder. */
  readonly skipped: readonly string[]
}

/** Expands folders, without hidden files, and without pictures if so set. Throws `PathNotFound` if a path does not exist. */
export async function findFiles(paths: readonly string[], { pictures } = { pictures: true }): Promise<FoundFiles> {
  const files = new Set<string>()
  const skipped = new Set<string>()
  const isRead = (path: string) => isReadable(path) && (pictures || !isPicture(path))
  for (const path of paths) {
    const status = await statOf(path)
    if (status.isDirectory()) await walk(path, { root: await realpath(path), seen: new Set(), files, skipped, isRead })
    else (status.isFile() && isReadable(path) ? files : skipped).add(path)
  }
  return { files: [...files], skipped: [...skipped] }
}

async function statOf(path: string): Promise<Stats> {
  try {
    return await stat(path)
  } catch (cause) {
    const isLink = (await lstat(path).catch(() => null))?.isSymbolicLink() ?? false
    const isRefused = cause instanceof Error && 'code' in cause && cause.code === 'EACCES'
    const missing = isLink ? 'is a link whose target does not exist' : 'does not exist'
    const why = isRefused ? 'may not be read' : missing
    throw new PathNotFound(`${JSON.stringify(path)} ${why}. Check the path and the folder you are in`, { cause })
  }
}

interface Walk {
  readonly root: string
  /** Real paths of folders, since links may be circular. */
  readonly seen: Set<string>
  readonly isRead: (path: string) => boolean
  readonly files: Set<string>
  readonly skipped: Set<string>
}

async function walk(folder: string, state: Walk): Promise<void> {
  // A folder may go while it is looked at.
  const real = await realpath(folder).catch(() => null)
  if (real === null || state.seen.has(real)) return
  state.seen.add(real)
  for (const entry of await entriesOf(folder, state)) {
    const path = join(folder, entry.name)
    const kind = entry.isSymbolicLink() ? await targetKind(path, state.root) : kindOf(entry)
    if (kind === 'folder') await walk(path, state)
    else (kind === 'file' && state.isRead(path) ? state.files : state.skipped).add(path)
  }
}

async function entriesOf(folder: string, state: Walk): Promise<Dirent[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    return entries.filter((entry) => !entry.name.startsWith('.')).sort((one, other) => (one.name < other.name ? -1 : 1))
  } catch {
    // A folder that cannot be listed is reported as skipped.
    state.skipped.add(folder)
    return []
  }
}

type Kind = 'file' | 'folder' | 'other'

function kindOf(entry: Dirent | Stats): Kind {
  if (entry.isDirectory()) return 'folder'
  return entry.isFile() ? 'file' : 'other'
}

/** The kind of a link's target within the folder that was added; a link without a target is a file that fails. */
async function targetKind(path: string, root: string): Promise<Kind> {
  try {
    const target = await realpath(path)
    return target === root || target.startsWith(root + sep) ? kindOf(await stat(path)) : 'other'
  } catch {
    return 'file'
  }
}

import { chmod, lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** Modes of what is kept for one account alone: folders and files. Windows has none. */
export const privateFolder = 0o700
export const privateFile = 0o600

/** What this program keeps in a data folder; whatever else lies there is the person's own. */
const kept =
  /^(?:quaero\.db(?:-wal|-shm|-journal)?|readers\.json|server\.json|server-token|sessions|uploads|users|evals|live)$/

/**
 * Closes a data folder, and what was kept there before, to other accounts. What belongs to another account, or lies where
 * there are no modes, stays as it is.
 */
export async function closeDataFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const names = await namesIn(folder)
  // A folder may be named by a link; within it, links are not followed.
  if (names.length > 0) await chmod(folder, privateFolder).catch(() => {})
  for (const name of names) if (kept.test(name)) await close(join(folder, name))
}

/** All within a folder that was closed before was made so. */
async function close(path: string): Promise<void> {
  const found = await lstat(path).catch(() => null)
  if (!found || (found.mode & 0o077) === 0) return
  if (found.isFile()) await chmod(path, privateFile).catch(() => {})
  if (!found.isDirectory()) return
  await chmod(path, privateFolder).catch(() => {})
  for (const name of await namesIn(path)) await close(join(path, name))
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch(() => [])
}

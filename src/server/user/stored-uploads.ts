import { createHash } from 'node:crypto'
import { type FileHandle, open, readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { UsageError } from '../../index.ts'

/** The files of a folder; none where it was removed meanwhile. */
export async function filesIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => [])
  return names.map((name) => join(folder, name))
}

/** The files of a user, each in a folder that is named after its content. */
export async function filesBelow(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => [])
  return (await Promise.all(names.map((name) => filesIn(join(folder, name))))).flat()
}

/** Files of a user that are on their way: they lie beside the folders of the others. */
export async function partsIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  return entries.flatMap((entry) => (entry.isFile() ? [join(folder, entry.name)] : []))
}

/** How many bytes all of them have together. */
export async function bytesIn(folder: string): Promise<number> {
  const sizes = [...(await filesBelow(folder)), ...(await partsIn(folder))].map((path) =>
    stat(path).then(
      ({ size }) => size,
      () => 0,
    ),
  )
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}

/**
 * Opens a file if the SHA-256 of its bytes begins with these hexadecimal digits; null if not, if it cannot be read, or if
 * `signal` is aborted meanwhile. Who removes the file later does not take it from who has it open.
 */
export async function openIfUnchanged(path: string, digest: string, signal: AbortSignal): Promise<FileHandle | null> {
  const file = await open(path).catch(() => null)
  if (file === null) return null
  const hash = createHash('sha256')
  try {
    for await (const chunk of file.createReadStream({ start: 0, autoClose: false })) {
      hash.update(chunk)
      if (signal.aborted) break
    }
    if (hash.digest('hex').startsWith(digest)) return file
  } catch {
    // It cannot be read.
  }
  await file.close()
  return null
}

/** File systems take 255. */
const mostBytesOfName = 200

/** The last part of a name, without what a file system or a terminal might take for more than a name. Throws `UsageError`. */
export function fileNameOf(name: string): string {
  const plain = basename(name.replaceAll('\\', '/'))
    .replace(/[\p{Cc}\p{Cf}<>:"|?*]/gu, '')
    .trim()
  const characters = [...plain].slice(-120)
  while (Buffer.byteLength(characters.join('')) > mostBytesOfName) characters.shift()
  const safe = characters.join('').replace(/^\.{1,120}/, '')
  if (safe === '') throw new UsageError('The file needs a name: one with letters or digits, not only signs.')
  return safe
}

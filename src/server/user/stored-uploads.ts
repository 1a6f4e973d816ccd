import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

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

/** How many bytes they have together. */
export async function bytesIn(folder: string): Promise<number> {
  const sizes = (await filesBelow(folder)).map((path) =>
    stat(path).then(
      ({ size }) => size,
      () => 0,
    ),
  )
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}

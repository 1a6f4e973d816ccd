import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createQuaero } from '../../src/index.ts'
import { cacheFolder } from './fetch.ts'
import type { ForeignDocument } from './material.ts'

const SOURCE = join(import.meta.dirname, '..', '..', 'src')
/** What decides how a document is read. A library that an earlier version stored still opens. */
const READING = ['library/readers', 'library/ingestion', 'library/language', 'library/passages']

/**
 * The data folder of a library with the documents, a copy that the caller removes: what is asked is not kept. Reading takes
 * minutes, so the library itself is kept, and made again when a document or the code that reads and stores them changes.
 */
export async function copyOfLibrary(
  documents: readonly Pick<ForeignDocument, 'id' | 'sha256'>[],
  files: ReadonlyMap<string, string>,
): Promise<string> {
  const kept = join(cacheFolder(), `library-${await keyOf(documents, files)}`)
  if (!existsSync(kept)) await readInto(kept, [...files.values()])
  const dataDir = await mkdtemp(join(tmpdir(), 'quaero-foreign-'))
  await cp(kept, dataDir, { recursive: true })
  return dataDir
}

async function readInto(folder: string, files: readonly string[]): Promise<void> {
  const started = performance.now()
  // Another benchmark may be reading the same.
  const unfinished = await mkdtemp(`${folder}.unfinished-`)
  const quaero = await createQuaero({ dataDir: unfinished, model: 'extractive' })
  const { documents, totals } = await quaero.library.add(files)
  await quaero.close()
  const failed = documents.filter(({ status }) => status === 'failed')
  for (const document of failed) console.log(JSON.stringify(document))
  // A figure over the others would say nothing.
  if (failed.length > 0) throw new Error(`${failed.length} documents could not be read, so nothing is asked`)
  const seconds = ((performance.now() - started) / 1000).toFixed(0)
  console.log(`read ${totals.added} documents, ${totals.pages} pages, ${totals.passages} passages in ${seconds} s\n`)
  await rename(unfinished, folder).catch(async (error: unknown) => {
    if (!existsSync(folder)) throw error
    await rm(unfinished, { recursive: true })
  })
}

async function keyOf(
  documents: readonly Pick<ForeignDocument, 'id' | 'sha256'>[],
  files: ReadonlyMap<string, string>,
): Promise<string> {
  const hash = createHash('sha256')
  for (const { id, sha256 } of documents) hash.update(`${files.get(id)} ${sha256}\n`)
  for (const folder of READING) {
    const entries = await readdir(join(SOURCE, folder), { recursive: true, withFileTypes: true })
    const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
    for (const path of paths.sort()) hash.update(await readFile(path))
  }
  return hash.digest('hex').slice(0, 16)
}

import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { dataFolder, MissingData } from '../question-sets.ts'
import type { ForeignDocument } from './material.ts'

const run = promisify(execFile)

/** Where documents and libraries are kept: `QUAERO_FOREIGN`, or a folder that git ignores. */
export function cacheFolder(): string {
  return resolve(process.env.QUAERO_FOREIGN ?? 'node_modules/.cache/foreign')
}

/**
 * The file of each document, by its id. What is not in the cache is downloaded with `apt-get download` and checked.
 * Throws `MissingData`.
 */
export async function fetchDocuments(documents: readonly ForeignDocument[]): Promise<ReadonlyMap<string, string>> {
  const folder = join(cacheFolder(), 'documents')
  await mkdir(folder, { recursive: true })
  const files = new Map(documents.map((document) => [document.id, fileOf(document, folder)]))
  const missing = new Map<string, ForeignDocument[]>()
  for (const document of documents) {
    const name = document.package
    if (name !== null && !(await isGood(files.get(document.id) ?? '', document))) {
      missing.set(name, [...(missing.get(name) ?? []), document])
    }
  }
  const failures: string[] = []
  for (const [name, wanted] of missing) {
    failures.push(...(await fetchPackage(name, wanted, files).catch((error) => [`${name} (${firstLine(error)})`])))
  }
  for (const document of documents.filter((each) => each.package === null)) {
    if (!(await isGood(files.get(document.id) ?? '', document))) failures.push(fileOf(document, folder))
  }
  if (failures.length > 0) {
    throw new MissingData(
      `Missing: ${failures.join(', ')}. Needs apt-get with the sources of Debian 12, and a network.`,
    )
  }
  return files
}

function fileOf({ id, format, path, package: name }: ForeignDocument, folder: string): string {
  return name === null ? resolve(dataFolder(), path) : join(folder, `${id}.${format}`)
}

async function isGood(file: string, { sha256 }: ForeignDocument): Promise<boolean> {
  return existsSync(file) && hashOf(await readFile(file)) === sha256
}

/** Downloads one package and keeps the files wanted of it. Returns those that are missing or not the same. */
async function fetchPackage(
  name: string,
  wanted: readonly ForeignDocument[],
  files: ReadonlyMap<string, string>,
): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'quaero-foreign-'))
  try {
    await download(name, wanted[0]?.version ?? '', folder)
    const archive = (await readdir(folder)).find((file) => file.endsWith('.deb')) ?? ''
    await run('dpkg-deb', ['-x', archive, 'files'], { cwd: folder })
    const failures: string[] = []
    for (const document of wanted) {
      const bytes = await unpacked(join(folder, 'files', document.path)).catch(() => null)
      if (bytes && hashOf(bytes) === document.sha256) await writeFile(files.get(document.id) ?? '', bytes)
      else failures.push(`${document.id} as in ${name} ${document.version}`)
    }
    return failures
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** The version that was read, or the one offered now: its file may be the same. */
async function download(name: string, version: string, folder: string): Promise<void> {
  const options = { cwd: folder, timeout: 300_000 }
  await run('apt-get', ['download', `${name}=${version}`], options).catch(() =>
    run('apt-get', ['download', name], options),
  )
}

async function unpacked(path: string): Promise<Buffer> {
  const bytes = await readFile(path)
  return path.endsWith('.gz') ? gunzipSync(bytes) : bytes
}

function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? ''
}

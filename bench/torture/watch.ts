import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import type { FolderChanges } from '../../src/index.ts'
import { openSqliteStorage } from '../../src/storage/sqlite/sqlite-storage.ts'
import { endingWithUs } from '../../tests/fixtures/stop-after-us.ts'
import type { Finding, TortureOptions } from './finding.ts'
import { command, randomFrom, tidy, workshop } from './processes.ts'
import { idOf, Meddler } from './watch/meddler.ts'

const files = 2000
/** With nothing told for so long, all is done. */
const quietMs = 30_000
const restMs = 60_000
/** Percent of one processor. */
const mostAtRest = 0.5

/** A folder of 2,000 files is watched while `runs` things happen to it; in the end its library is that of a fresh one. */
export async function watchFindings({ runs, seed }: TortureOptions): Promise<readonly Finding[]> {
  const { place } = await workshop({})
  const folder = join(place, 'watched')
  const meddler = new Meddler(folder, randomFrom(seed))
  try {
    await meddler.begin(files)
    const watched = watch(folder, join(place, 'kept'))
    await watched.untilQuiet()
    const first = watched.batches.length
    console.error(`${watched.told()} files are kept current; ${runs} things happen now, seed ${seed}`)
    const happened = await meddler.meddle(runs)
    await watched.untilQuiet()
    const rest = await processorAtRest(watched.child)
    watched.child.kill('SIGINT')
    await watched.ended
    const fresh = join(place, 'fresh')
    execFileSync(process.execPath, [command, 'add', folder, '--data-dir', fresh, '--quiet'], { stdio: 'ignore' })
    const [kept, anew] = [await contentsOf(join(place, 'kept')), await contentsOf(fresh)]
    const differing = differences(kept, anew)
    const half = watched.batches.flatMap(({ documents }) =>
      documents.filter(({ documentId }) => documentId !== null && !meddler.versions.has(documentId)),
    )
    const again = readAgain(watched.batches, meddler.copied)
    const failed = watched.batches.flatMap(({ documents }) => documents.filter(({ status }) => status === 'failed'))
    return [
      { what: 'happened', found: happened, ok: true },
      { what: 'batches', found: `${watched.batches.length - first}: ${sums(watched.batches.slice(first))}`, ok: true },
      {
        what: 'library against a fresh one',
        found: `${kept.size} and ${anew.size} documents, ${differing.length} differ (files, hash, pages, passages)`,
        ok: differing.length === 0 && anew.size > 0,
        details: differing.slice(0, 10),
      },
      {
        what: 'documents read half',
        found: `${half.length}`,
        ok: half.length === 0,
        details: half.map(({ path }) => path),
      },
      { what: 'renamed files read again', found: `${again.length}`, ok: again.length === 0, details: again },
      { what: 'failed', found: `${failed.length}`, ok: failed.length === 0, details: failed.map(({ path }) => path) },
      { what: 'processor at rest', found: `${rest.toFixed(2)} % over ${restMs / 1000} s`, ok: rest <= mostAtRest },
    ]
  } finally {
    await tidy(place)
  }
}

/** `quaero add --watch --json` in a process of its own, and the batches that it prints. */
function watch(folder: string, dataDir: string) {
  const args = [command, 'add', folder, '--watch', '--json', '--quiet', '--data-dir', dataDir]
  const child = endingWithUs(spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] }))
  const batches: FolderChanges[] = []
  let heardAt = Date.now()
  createInterface({ input: child.stdout }).on('line', (line) => {
    batches.push(JSON.parse(line))
    heardAt = Date.now()
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const told = () => batches.reduce((sum, { counts }) => sum + counts.added, 0)
  return {
    child,
    batches,
    ended,
    told,
    async untilQuiet() {
      heardAt = Date.now()
      while (told() < files || Date.now() - heardAt < quietMs) {
        if (child.exitCode !== null) throw new Error(`It ended with ${child.exitCode}.`)
        await wait(500)
      }
    },
  }
}

/** Percent of one processor that the process uses while nothing happens. */
async function processorAtRest({ pid }: ChildProcess): Promise<number> {
  // In hundredths of a second: the 14th and the 15th field, where the second one may hold spaces.
  const used = () => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
    return Number(fields[11]) + Number(fields[12])
  }
  const before = used()
  await wait(restMs)
  return ((used() - before) * 10 * 100) / restMs
}

/** Each document with its files, its pages and its passages, as one text. */
async function contentsOf(dataDir: string): Promise<ReadonlyMap<string, string>> {
  const storage = await openSqliteStorage({ path: join(dataDir, 'quaero.db') })
  try {
    const { library } = storage
    const sources = await library.sources()
    const contents = new Map<string, string>()
    for (const { documentId, title, pages } of await library.documents()) {
      const own = sources
        .filter((each) => each.documentId === documentId)
        .toSorted((a, b) => (a.source < b.source ? -1 : 1))
      for (const { source } of own)
        if (idOf(await readFile(source)) !== documentId) contents.set(`${documentId} ${source}`, 'another hash')
      const passages = await library.passagesOf(documentId)
      contents.set(documentId, JSON.stringify([own, title, pages, await library.page(documentId, 1), passages]))
    }
    return contents
  } finally {
    await storage.close()
  }
}

function differences(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): readonly string[] {
  const all = new Set([...one.keys(), ...other.keys()])
  return [...all]
    .filter((id) => one.get(id) !== other.get(id))
    .map((id) => `${one.get(id)?.slice(0, 300)}\n      ${other.get(id)?.slice(0, 300)}`)
}

/** Documents that were removed and added again: a rename that was not seen as one. */
function readAgain(batches: readonly FolderChanges[], copied: ReadonlySet<string>): readonly string[] {
  const removed = new Set<string>()
  const again: string[] = []
  for (const { documents, removed: gone } of batches) {
    for (const { documentId, path } of documents) if (documentId && removed.has(documentId)) again.push(path)
    for (const { documentId } of gone) if (!copied.has(documentId)) removed.add(documentId)
  }
  return again
}

function sums(batches: readonly FolderChanges[]): string {
  const names = ['added', 'changed', 'renamed', 'removed', 'failed'] as const
  return names.map((name) => `${batches.reduce((sum, { counts }) => sum + counts[name], 0)} ${name}`).join(', ')
}

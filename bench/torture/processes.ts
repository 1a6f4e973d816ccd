import { type ChildProcess, execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { endingWithUs } from '../../tests/fixtures/stop-after-us.ts'

export const root = join(import.meta.dirname, '..', '..')
const programs = join(import.meta.dirname, 'processes')
export const command = join(root, 'dist', 'cli', 'main.js')

/** What a process under test is told to do; the programs in `processes` say what each word means. */
export interface Job {
  /** One of the programs; `work.mjs` if absent. */
  readonly program?: string
  readonly do: string
  readonly folder: string
  readonly endpoint: string
  readonly [more: string]: unknown
}

/** What is done to the process's writes; `sqlite-writes.mjs` says what each means. */
export interface Meddling {
  readonly kill?: number
  readonly after?: boolean
  readonly completed?: number
  readonly fail?: number
  readonly code?: 'SQLITE_FULL' | 'SQLITE_IOERR'
  readonly onwards?: boolean
  readonly journal?: string
  readonly tell?: boolean
}

export interface Worked {
  /** What the process handed back; undefined if it did not come to that. */
  readonly report: unknown
  /** Runs that it acknowledged. */
  readonly created: readonly string[]
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stderr: string
  /** Longest time for which its event loop was kept from a timer. Milliseconds. */
  readonly gapMs: number
}

/** Runs a job in a process of its own, to its end. `started` is handed the process. */
export async function work(job: Job, writes: Meddling = {}, started?: (child: ChildProcess) => void): Promise<Worked> {
  const child = fork(join(programs, job.program ?? 'work.mjs'), [JSON.stringify(job)], {
    execArgv: ['--import', join(programs, 'sqlite-writes.mjs')],
    env: { PATH: process.env.PATH, TORTURE_WRITES: JSON.stringify(writes) },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  endingWithUs(child)
  const created: string[] = []
  let report: unknown
  let [stderr, gapMs] = ['', 0]
  child.on('message', (message: { readonly created?: string; readonly report?: unknown; readonly gapMs?: number }) => {
    if (message.created) created.push(message.created)
    if ('report' in message) report = message.report
    gapMs = message.gapMs ?? gapMs
  })
  child.stderr?.setEncoding('utf8').on('data', (piece: string) => {
    stderr += piece
  })
  started?.(child)
  const [code, signal] = await once(child, 'close')
  return { report, created, code, signal, stderr, gapMs }
}

/** An endpoint in a process of its own that keeps a journal of what it is asked. */
export interface Endpoint {
  readonly url: string
  readonly journal: (id: number) => Promise<readonly Call[]>
  /** Lets the n-th call of a case stop in the middle of its reply; resolves when it has. */
  readonly stall: (id: number, at: number) => Promise<{ readonly stalled: Promise<void> }>
  /** Calls `told` when the n-th call of a case has its whole reply. */
  readonly onEnded: (id: number, at: number, told: () => void) => void
  readonly close: () => void
}

export interface Call {
  /** Of the whole request. */
  readonly hash: string
  readonly speaker: string
  readonly answered: boolean
  /** When its last byte was sent. Milliseconds of a clock that all processes of the machine share; null before. */
  readonly endedAt: number | null
}

/** Tools that the endpoint calls in each round, side by side, where they are offered. */
const rounds = [
  [
    ['pdf_retrieval', { query: 'Marble corpus pages' }],
    ['append_line', { text: 'one' }],
    ['append_line', { text: 'two' }],
  ],
  [
    ['append_line', { text: 'three' }],
    ['pdf_retrieval', { query: 'Halden filter pages removed' }],
  ],
]

/** `delayMs` is how long each reply takes to begin, `pieceMs` each of its pieces; 0: it comes as a whole. */
export async function startEndpoint({ delayMs = 0, pieceMs = 0, opening = '' } = {}): Promise<Endpoint> {
  const story = JSON.stringify({ delayMs, pieceMs, rounds, sentences: 2, words: 8, opening, pieceCharacters: 40 })
  const child = endingWithUs(fork(join(root, 'bench', 'endpoint.mjs'), [story], { execArgv: [] }))
  const [url] = (await once(child, 'message')) as [string]
  return {
    url,
    journal: async (id) => (await (await fetch(`${url}/journal/${id}`)).json()) as readonly Call[],
    async stall(id, at) {
      await fetch(`${url}/stall/${id}?at=${at}`)
      const stalled = new Promise<void>((resolve) => {
        child.on('message', (message: { readonly stalled?: string }) => {
          if (message.stalled === String(id)) resolve()
        })
      })
      return { stalled }
    },
    onEnded(id, at, told) {
      const listen = (message: { readonly ended?: string; readonly call?: number }) => {
        if (message.ended !== String(id) || message.call !== at) return
        child.off('message', listen)
        told()
      }
      child.on('message', listen)
    },
    close: () => child.disconnect(),
  }
}

export const papers = {
  'marble.md':
    '# The Marble corpus\n\n## Size\n\nThe Marble corpus holds 81.1 million pages. It was released in 2021 by the Lund group.\n',
  'halden.md':
    '# The Halden filter\n\n## Results\n\nThe Halden filter removed 15.2 million pages. It kept 48 % of the input.\n',
}

/** A place for everything that is left behind, and in it a data directory whose library holds two documents, or others. */
export async function workshop(
  files: Readonly<Record<string, string>> = papers,
): Promise<{ readonly place: string; readonly library: string }> {
  execFileSync(process.execPath, [join(root, 'scripts', 'build-if-stale.mjs')], { stdio: 'inherit' })
  const place = await mkdtemp(join(tmpdir(), 'quaero-torture-'))
  const [papersFolder, library] = [join(place, 'papers'), join(place, 'library')]
  for (const folder of [papersFolder, library]) await mkdir(folder)
  for (const [name, text] of Object.entries(files)) await writeFile(join(papersFolder, name), text)
  execFileSync(process.execPath, [command, 'add', papersFolder, '--data-dir', library], { stdio: 'ignore' })
  return { place, library }
}

export function tidy(place: string): Promise<void> {
  return rm(place, { recursive: true, force: true })
}

/** Copies a data directory that no process has open; what a killed process left beside the database comes along. */
export async function copyData(from: string, to: string): Promise<string> {
  await mkdir(to, { recursive: true })
  for (const name of ['quaero.db', 'quaero.db-wal', 'effects.txt']) {
    await copyFile(join(from, name), join(to, name)).catch(() => {})
  }
  return to
}

/** Does the work for each item, so many at a time; results in the order of the items. */
export async function inLanes<T, R>(items: readonly T[], lanes: number, each: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  const queue = items.entries()
  const lane = async () => {
    for (const [index, item] of queue) results[index] = await each(item)
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return results
}

/** Numbers between 0 and 1, the same for the same seed (mulberry32, by Tommy Ettinger). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

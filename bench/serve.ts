import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { z } from 'zod'
import { createQuaero, loadConfig, type Quaero } from '../src/index.ts'
import { serve } from '../src/server/serve.ts'
import { endingWithUs } from '../tests/fixtures/stop-after-us.ts'
import { isInstalled, withServer } from './langgraph-dev.ts'
import { median, quantile } from './processes.ts'

/** What the process of clients reports of a round. */
interface Round {
  readonly seconds: number
  readonly times: readonly number[]
}

/** Who is asked: the engine in this process; its server, by the API and by LangGraph's protocol; LangGraph's own server. */
type Side = 'engine' | 'HTTP' | 'LangGraph over HTTP' | "LangGraph's server"
type Served = Exclude<Side, 'engine'>

/** Where a side is asked by HTTP, and how. */
type Places = Readonly<Partial<Record<Served, { readonly url: string; readonly protocol: 'api' | 'langgraph' }>>>

const count = z.coerce.number().int().min(1)
const counts = z.object({ turns: count, users: count, streams: count, rounds: count })

/**
 * What HTTP costs over the engine in the same process: the time of a turn and of its first text, asked in turn of the engine
 * and over a socket; turns a second of many users at once; memory of an open stream. Beside them the same graph served by
 * LangGraph's development server, if it is installed (see langgraph-dev.ts). The model is an endpoint that answers at once.
 * Arguments: `--turns 30 --users 100 --streams 200 --rounds 5`.
 */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      turns: { type: 'string', default: '30' },
      users: { type: 'string', default: '100' },
      streams: { type: 'string', default: '200' },
      rounds: { type: 'string', default: '5' },
    },
  })
  const { turns, users, streams, rounds } = counts.parse(values)
  const folder = await mkdtemp(join(tmpdir(), 'quaero-serve-'))
  const endpoints = [await started(0), await started(600_000)] as const
  const clients = endingWithUs(fork(join(import.meta.dirname, 'serve', 'clients.mjs')))
  try {
    console.log(`Load of the machine before: ${loadavg()[0]?.toFixed(1)}`)
    const busy = await opened(join(folder, 'busy'), endpoints[0].url, users)
    const measured = async (places: Places) => {
      await compare(busy.quaero, places, clients, turns)
      await crowd(busy.quaero, places, clients, { users, rounds })
    }
    const { url } = busy
    const own: Places = { HTTP: { url, protocol: 'api' }, 'LangGraph over HTTP': { url, protocol: 'langgraph' } }
    if (isInstalled()) {
      const home = join(folder, 'official')
      await filled(home)
      const env = {
        PATH: process.env.PATH,
        HOME: home,
        QUAERO_HOME: home,
        QUAERO_MODEL: 'openai:scripted',
        QUAERO_SECOND_READING: 'never',
        OPENAI_BASE_URL: endpoints[0].url,
        OPENAI_API_KEY: 'none',
      }
      const root = join(import.meta.dirname, '..')
      await withServer(root, env, (at) =>
        measured({ ...own, "LangGraph's server": { url: at, protocol: 'langgraph' } }),
      )
    } else {
      console.log("LangGraph's server is not installed: npm install --prefix bench/langgraph-dev")
      await measured(own)
    }
    await busy.close()
    const waiting = await opened(join(folder, 'waiting'), endpoints[1].url, users)
    await idle(waiting, clients, streams)
    await waiting.close()
    console.log(`Load of the machine after: ${loadavg()[0]?.toFixed(1)}`)
  } finally {
    for (const child of [clients, ...endpoints.map((each) => each.child)]) if (child.connected) child.disconnect()
    await rm(folder, { recursive: true, force: true })
  }
}

/** A data folder with the sample papers. */
async function filled(dataDir: string): Promise<void> {
  const quaero = await createQuaero({ dataDir, model: 'extractive' })
  await quaero.library.add([join(import.meta.dirname, '..', 'examples', 'papers')])
  await quaero.close()
}

interface Opened {
  readonly quaero: Quaero
  readonly url: string
  readonly close: () => Promise<void>
}

/** An endpoint that searches once, and takes its time for each reply. */
async function started(delayMs: number) {
  const story = JSON.stringify({ delayMs, rounds: [[[null, { query: 'checkpoint growth over the turns' }]]] })
  const child = endingWithUs(fork(join(import.meta.dirname, 'endpoint.mjs'), [story]))
  const said: unknown[] = await once(child, 'message')
  return { child, url: `${said[0]}/v1` }
}

async function opened(dataDir: string, baseUrl: string, users: number): Promise<Opened> {
  const most = 10 * users
  const config = loadConfig({
    overrides: {
      endpoint: { baseUrl },
      // The endpoint does not judge.
      answer: { secondReading: 'never' },
      server: { runsPerUser: most, runs: most, requestsPerUser: 10_000, requests: 10_000 },
    },
  })
  const quaero = await createQuaero({ config, dataDir, model: 'openai:scripted' })
  await quaero.library.add([join(import.meta.dirname, '..', 'examples', 'papers')])
  const tokens = join(dataDir, 'tokens')
  await writeFile(
    tokens,
    Array.from({ length: users }, (_, user) => `user-${user} token-of-user-number-${user}`).join('\n'),
  )
  const openAt = () => Promise.reject(new Error('No library of their own is opened here'))
  const { settings } = config
  const server = await serve({ quaero, openAt, version: '0', settings, dataDir, port: 0, host: '127.0.0.1', tokens })
  return { quaero, url: server.url, close: () => server.close(() => quaero.close()) }
}

/** Has the clients do something, and waits for their report. Throws if they end. */
async function told<T>(clients: ChildProcess, order: object): Promise<T> {
  const told = new AbortController()
  const { signal } = told
  const ended = once(clients, 'exit', { signal }).then(() => {
    throw new Error('The process of the clients ended.')
  })
  const reported = once(clients, 'message', { signal })
  clients.send(order)
  try {
    const [report] = await Promise.race([reported, ended])
    return report as T
  } finally {
    ended.catch(() => {})
    told.abort()
  }
}

const question = (turn: number | string) => `How does the store grow until turn ${turn}?`

/** Milliseconds until the first text of an answer, and until its end. */
type Times = readonly [first: number, whole: number]

async function timed(quaero: Quaero, turn: number): Promise<Times> {
  const began = performance.now()
  let first = Number.NaN
  for await (const { type, payload } of quaero.stream(question(turn), { threadId: `engine-${turn}` })) {
    if (type === 'message.delta' && payload.scope === 'thread' && Number.isNaN(first)) first = performance.now() - began
  }
  return [first, performance.now() - began]
}

async function compare(quaero: Quaero, places: Places, clients: ChildProcess, turns: number): Promise<void> {
  const measured = new Map<Side, Times[]>()
  const keep = (side: Side, times: Times) => measured.set(side, [...(measured.get(side) ?? []), times])
  for (let turn = -3; turn < turns; turn += 1) {
    const engine = await timed(quaero, turn + 3)
    // The first ones warm all sides.
    if (turn >= 0) keep('engine', engine)
    for (const [side, place] of entries(places)) {
      const times = await told<Times>(clients, { kind: 'turn', ...place, question: question(turn + 3) })
      if (turn >= 0) keep(side, times)
    }
  }
  const engine = measured.get('engine') ?? []
  for (const [label, at] of [
    ['First text', 0],
    ['Whole turn', 1],
  ] as const) {
    console.log(head(`${label}, ${turns} turns one at a time`, ['p50 ms', 'p95 ms', '− engine', ': engine']))
    for (const [side, all] of measured) {
      const times = all.map((each) => each[at])
      const pairs = times.map((time, turn) => [time, engine[turn]?.[at] ?? Number.NaN] as const)
      const [more, ratio] = [
        median(pairs.map(([time, base]) => time - base)),
        median(pairs.map(([time, base]) => time / base)),
      ]
      console.log(row(side, [quantile(times, 0.5), quantile(times, 0.95), more, ratio]))
    }
  }
}

/** Everybody asks at once, on a thread of their own; each side in every round, so that all have the same machine. */
async function crowd(
  quaero: Quaero,
  places: Places,
  clients: ChildProcess,
  { users, rounds }: { readonly users: number; readonly rounds: number },
): Promise<void> {
  const rates = new Map<Side, number[]>()
  const times = new Map<Side, readonly number[]>()
  const keep = (side: Side, { seconds, times: each }: Round) => {
    rates.set(side, [...(rates.get(side) ?? []), users / seconds])
    times.set(side, each)
  }
  for (let round = 1; round <= rounds; round += 1) {
    keep('engine', await crowdOfEngine(quaero, users, round))
    for (const [side, place] of entries(places)) {
      keep(side, await told<Round>(clients, { kind: 'crowd', ...place, users, question: question(round) }))
    }
  }
  const engine = rates.get('engine') ?? []
  console.log(head(`${users} users at once, median of ${rounds} rounds`, ['turns a s', ': engine', 'p50 ms', 'p95 ms']))
  for (const [side, all] of rates) {
    const ratio = median(all.map((rate, round) => rate / (engine[round] ?? Number.NaN)))
    const last = times.get(side) ?? []
    console.log(row(side, [median(all), ratio, quantile(last, 0.5), quantile(last, 0.95)]))
  }
}

async function crowdOfEngine(quaero: Quaero, users: number, round: number): Promise<Round> {
  const began = performance.now()
  const one = async (user: number) => {
    const from = performance.now()
    for await (const _ of quaero.stream(question(round), { threadId: `crowd-${round}-${user}` }));
    return performance.now() - from
  }
  const times = await Promise.all(Array.from({ length: users }, (_, user) => one(user)))
  return { seconds: (performance.now() - began) / 1000, times }
}

function entries(places: Places): readonly (readonly [Served, NonNullable<Places[Served]>])[] {
  // The keys are those of the type.
  return Object.entries(places) as [Served, NonNullable<Places[Served]>][]
}

/** Streams of a run that waits for its model: what the process holds more while they are open. */
async function idle({ quaero, url }: Opened, clients: ChildProcess, streams: number): Promise<void> {
  const run = quaero.stream(question(1), { threadId: 'user-0_idle', onLeave: 'continue' })[Symbol.asyncIterator]()
  const { value } = await run.next()
  await told(clients, { kind: 'streams', url, runId: value.runId, streams: 10 })
  const before = memory()
  await told(clients, { kind: 'streams', url, runId: value.runId, streams })
  const { rss, heapUsed } = memory()
  const kilobytes = (bytes: number) => bytes / 1024 / streams
  console.log(head(`${streams} open streams`, ['heap KB', 'rss KB']))
  console.log(row('each', [kilobytes(heapUsed - before.heapUsed), kilobytes(rss - before.rss)]))
}

/** What is in use once garbage has been collected. */
function memory(): NodeJS.MemoryUsage {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage()
}

function head(label: string, columns: readonly string[]): string {
  return `\n${label.padEnd(40)}${columns.map((column) => column.padStart(9)).join(' ')}`
}

function row(label: string, figures: readonly number[]): string {
  return `${label.padEnd(40)}${figures.map((figure) => figure.toFixed(figure < 10 ? 2 : 1).padStart(9)).join(' ')}`
}

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createQuaero, loadConfig, type Quaero } from '../src/index.ts'
import { serve } from '../src/server/serve.ts'
import { median, quantile } from './processes.ts'

/** What the process of clients reports of a round. */
interface Round {
  readonly seconds: number
  readonly times: readonly number[]
}

/**
 * What HTTP costs over the engine in the same process: the time of a turn and of its first text, asked in turn of the engine
 * and over a socket; turns a second of many users at once; memory of an open stream. The model is an endpoint that
 * answers at once. Arguments: `--turns 30 --users 100 --streams 200`.
 */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      turns: { type: 'string', default: '30' },
      users: { type: 'string', default: '100' },
      streams: { type: 'string', default: '200' },
    },
  })
  const [turns, users, streams] = [values.turns, values.users, values.streams].map(Number) as [number, number, number]
  const folder = await mkdtemp(join(tmpdir(), 'quaero-serve-'))
  const endpoints = [await started(['1', '0']), await started(['1', '600000'])] as const
  const clients = fork(join(import.meta.dirname, 'serve', 'clients.mjs'))
  try {
    const busy = await opened(join(folder, 'busy'), endpoints[0].url, users)
    await compare(busy, clients, turns)
    await crowd(busy, clients, users)
    await busy.close()
    const waiting = await opened(join(folder, 'waiting'), endpoints[1].url, users)
    await idle(waiting, clients, streams)
    await waiting.close()
  } finally {
    for (const child of [clients, ...endpoints.map((each) => each.child)]) child.disconnect()
    await rm(folder, { recursive: true, force: true })
  }
}

interface Opened {
  readonly quaero: Quaero
  readonly url: string
  readonly close: () => Promise<void>
}

/** An endpoint that searches once, and takes its time for each reply. */
async function started(words: readonly string[]) {
  const child = fork(join(import.meta.dirname, 'overhead', 'endpoint.mjs'), words)
  const said: unknown[] = await once(child, 'message')
  return { child, url: String(said[0]) }
}

async function opened(dataDir: string, baseUrl: string, users: number): Promise<Opened> {
  const most = 10 * users
  const config = loadConfig({
    overrides: {
      endpoint: { baseUrl },
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

/** Has the clients do something, and waits for their report. */
async function told<T>(clients: ChildProcess, order: object): Promise<T> {
  const reported = once(clients, 'message')
  clients.send(order)
  const [report] = await reported
  return report as T
}

const question = (turn: number) => `How does the store grow until turn ${turn}?`

/** Milliseconds until the first text of an answer, and until its end. */
async function timed(quaero: Quaero, turn: number): Promise<readonly [first: number, whole: number]> {
  const began = performance.now()
  let first = Number.NaN
  for await (const { type, payload } of quaero.stream(question(turn), { threadId: `engine-${turn}` })) {
    if (type === 'message.delta' && payload.scope === 'thread' && Number.isNaN(first)) first = performance.now() - began
  }
  return [first, performance.now() - began]
}

async function compare({ quaero, url }: Opened, clients: ChildProcess, turns: number): Promise<void> {
  const measured: { readonly engine: (readonly [number, number])[]; readonly http: (readonly [number, number])[] } = {
    engine: [],
    http: [],
  }
  for (let turn = -3; turn < turns; turn += 1) {
    const engine = await timed(quaero, turn + 3)
    const http = await told<readonly [number, number]>(clients, { kind: 'turn', url, question: question(turn + 3) })
    // The first ones warm both sides.
    if (turn < 0) continue
    measured.engine.push(engine)
    measured.http.push(http)
  }
  console.log(`${`${turns} turns, one at a time`.padEnd(38)}   p50 ms    p95 ms`)
  for (const [label, at] of [
    ['first text', 0],
    ['whole turn', 1],
  ] as const) {
    for (const side of ['engine', 'http'] as const) {
      const times = measured[side].map((each) => each[at])
      console.log(row(`${label}, ${side}`, [quantile(times, 0.5), quantile(times, 0.95)]))
    }
    const more = measured.http.map((each, turn) => each[at] - (measured.engine[turn]?.[at] ?? Number.NaN))
    console.log(row(`${label}, HTTP over the engine`, [quantile(more, 0.5), quantile(more, 0.95)]))
  }
}

async function crowd({ quaero, url }: Opened, clients: ChildProcess, users: number): Promise<void> {
  const rates: { readonly engine: number[]; readonly http: number[] } = { engine: [], http: [] }
  let http: Round = { seconds: 0, times: [] }
  for (const round of [1, 2, 3]) {
    const began = performance.now()
    await Promise.all(
      Array.from({ length: users }, (_, user) => quaero.ask(question(user), { threadId: `crowd-${round}-${user}` })),
    )
    rates.engine.push((1000 * users) / (performance.now() - began))
    http = await told<Round>(clients, { kind: 'crowd', url, users, question: question(round) })
    rates.http.push(users / http.seconds)
  }
  console.log(`\n${users} users at once, median of 3 rounds`)
  console.log(row('turns a second, engine', [median(rates.engine)]))
  console.log(row('turns a second, HTTP', [median(rates.http)]))
  console.log(row('a turn over HTTP, p50 and p95 ms', [quantile(http.times, 0.5), quantile(http.times, 0.95)]))
}

/** Streams of a run that waits for its model: what the process holds more while they are open. */
async function idle({ quaero, url }: Opened, clients: ChildProcess, streams: number): Promise<void> {
  const run = quaero.stream(question(1), { threadId: 'user-0_idle', onLeave: 'continue' })[Symbol.asyncIterator]()
  const { value } = await run.next()
  await told(clients, { kind: 'streams', url, runId: value.runId, streams: 10 })
  const before = process.memoryUsage()
  await told(clients, { kind: 'streams', url, runId: value.runId, streams })
  const { rss, heapUsed } = process.memoryUsage()
  const kilobytes = (bytes: number) => bytes / 1024 / streams
  console.log(`\n${streams} open streams, kilobytes each`)
  console.log(row('heap, resident', [kilobytes(heapUsed - before.heapUsed), kilobytes(rss - before.rss)]))
}

function row(label: string, figures: readonly number[]): string {
  return `${label.padEnd(38)}${figures.map((figure) => figure.toFixed(1).padStart(9)).join(' ')}`
}

/** What a server costs while nothing happens: followers that have left, runs that wait for a worker, and lists. */
import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { administer } from '../../tests/fixtures/storage/postgres-server.ts'
import { quantile } from '../processes.ts'
import { inLanes } from '../torture/processes.ts'
import type { Fleet } from './fleet.ts'

const seconds = 10
/** A session of PostgreSQL that is idle reports the transactions that it has counted after ten seconds. */
const untilCountedMs = 12_000
const followers = 500
const waiting = 200
const documents = 5000
/** Requests at the same time. */
const lanes = 20

export async function atRest(fleet: Fleet): Promise<void> {
  const server = await fleet.startServer()
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(`${server.origin}${path}`, { ...init, headers: { ...server.headers, ...init.headers } })
  const events = { accept: 'text/event-stream' }
  const submit = async (number: number) => {
    const left = new AbortController()
    const body = JSON.stringify({ question: `How many pages does the Marble corpus hold? (case-${number})` })
    const headers = { ...events, 'content-type': 'application/json' }
    const response = await ask('/api/ask', { method: 'POST', body, headers, signal: left.signal })
    await response.body?.getReader().read()
    left.abort()
    return response.headers.get('content-location') ?? ''
  }
  const rate = async (what: string) => {
    await wait(untilCountedMs)
    const [before, cpu] = [await commits(fleet.url), cpuMs(server.pid)]
    await wait(1000 * seconds)
    const [after, used] = [await commits(fleet.url), cpuMs(server.pid) - cpu]
    console.log(
      `${what}: ${((after - before) / seconds).toFixed(1)} transactions/s, ${used / seconds} ms of processor/s`,
    )
  }
  await rate('nothing is asked')
  const place = await submit(0)
  await inLanes(upTo(followers), lanes, async () => {
    const left = new AbortController()
    const response = await ask(`${place}/events`, { headers: events, signal: left.signal })
    await response.body?.getReader().read()
    left.abort()
  })
  await rate(`1 run waits, ${followers} followers of it have left`)
  await inLanes(upTo(waiting - 1), lanes, submit)
  await rate(`${waiting} runs wait, and nobody reads`)
  await administer(
    fleet.url,
    `INSERT INTO quaero.documents (document_id, title, authors, source, format, reader)
     SELECT lpad(to_hex(n), 16, '0'), 'Report ' || n, '[]', '/reports/' || n, 'markdown', '{}' FROM generate_series(1, ${documents}) AS n`,
  )
  for (const path of ['/api/runs?limit=1', '/api/threads?limit=1', '/api/documents?limit=1']) {
    const times: number[] = []
    const cpu = cpuMs(server.pid)
    for (let n = 0; n < 20; n += 1) {
      const from = performance.now()
      await (await ask(path)).text()
      times.push(performance.now() - from)
    }
    const used = (cpuMs(server.pid) - cpu) / 20
    console.log(`${path}: p50 ${quantile(times, 0.5).toFixed(1)} ms, ${used.toFixed(1)} ms of processor`)
  }
}

function upTo(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index + 1)
}

/** Transactions of the database, but for those of this measurement. */
async function commits(url: string): Promise<number> {
  const [row] = await administer(
    url,
    'SELECT xact_commit::int AS n FROM pg_stat_database WHERE datname = current_database()',
  )
  return (row as { readonly n: number }).n
}

/** Of a process of Linux: its time on processors. Its clock ticks 100 times a second. */
function cpuMs(pid: number): number {
  const [, rest = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
  const fields = rest.split(' ')
  return 10 * (Number(fields[11]) + Number(fields[12]))
}

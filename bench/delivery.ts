/**
 * How long an event is on its way from the call that appends it in one process to a follower in another, on SQLite and on
 * PostgreSQL: to a follower that has joined the run's lines, and to one that has only the log. Beside it the append alone.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Follower } from '../src/runs/follow/follower.ts'
import type { Storage } from '../src/storage/storage.ts'
import { endingWithUs } from '../tests/fixtures/stop-after-us.ts'
import { newPostgresServer, postgresMissing } from '../tests/fixtures/storage/postgres-server.ts'
import { openStorage } from './delivery/storages.ts'
import { quantile } from './processes.ts'

const events = 300
const pauseMs = 20

/** Prints p50 and p95 of each way. */
export async function run(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'quaero-delivery-'))
  await chmod(folder, 0o755)
  try {
    console.log(`An event's way to a follower in another process, ${events} events, one each ${pauseMs} ms or later`)
    for (const way of ['lines', 'log'] as const) {
      await report(`SQLite, ${way}`, join(folder, `${way}.db`), way)
    }
    await onPostgres(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function onPostgres(folder: string): Promise<void> {
  if (postgresMissing !== null) return console.log(`  ${postgresMissing}`)
  for (const way of ['lines', 'log'] as const) {
    const server = newPostgresServer(join(folder, way))
    await server.start()
    try {
      await report(`PostgreSQL, ${way}`, server.url('postgres'), way)
    } finally {
      await server.stop('immediate')
    }
  }
}

async function report(name: string, address: string, way: 'lines' | 'log'): Promise<void> {
  const { ways, appends } = await timesOf(address, way)
  const shares = (times: readonly number[]) =>
    [0.5, 0.95].map((share) => `p${share * 100} ${quantile(times, share).toFixed(1).padStart(6)} ms`).join('  ')
  console.log(`  ${name.padEnd(17)} ${shares(ways)}   append alone ${shares(appends)}`)
}

interface Times {
  readonly ways: readonly number[]
  readonly appends: readonly number[]
}

/** Milliseconds. The clock of the processes is one: `performance.timeOrigin` is of the machine's. */
async function timesOf(address: string, way: 'lines' | 'log'): Promise<Times> {
  const child = fork(join(import.meta.dirname, 'delivery', 'appender.ts'), [address, `${events}`, `${pauseMs}`], {
    execArgv: ['--import', 'tsx'],
  })
  endingWithUs(child)
  const exit = once(child, 'exit')
  await once(child, 'message')
  const appended = once(child, 'message')
  const storage = await openStorage(address)
  const follower = new Follower({ storage: way === 'log' ? withoutLines(storage) : storage, runner })
  const ways: number[] = []
  for await (const line of follower.follow('r1')) {
    const now = performance.timeOrigin + performance.now()
    if (line.type === 'run.started') child.send('go')
    if (line.type === 'notice' && line.payload.code === 'sent') ways.push(now - Number(line.payload.message))
  }
  await storage.close()
  const [appends] = await appended
  await exit
  return { ways, appends }
}

const runner = { attemptAt: () => undefined }

/** As where no line comes from the other process. */
function withoutLines(storage: Storage): Storage {
  const { live: _, ...rest } = storage
  return rest
}

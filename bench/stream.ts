import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { type Event, type EventType, event, type Payloads } from '../src/events/index.ts'
import { createQuaero } from '../src/quaero.ts'
import { openSqliteStorage } from '../src/storage/sqlite/sqlite-storage.ts'
import { comparison } from './comparison.ts'
import { median } from './processes.ts'

/**
 * What it costs to watch a run: the time to the first piece of text against bare LangGraph, the status of a long run
 * against that of a short one, and the SQL statements of a turn early and late in a thread. Argument: turns of each side.
 */
export async function run(args: readonly string[]): Promise<void> {
  await comparison('stream')(args)
  await measureStatus()
  await countStatements()
}

/** The status of a run with 100,000 events against that of one with 100, by turns. Between them both have a tail. */
async function measureStatus(): Promise<void> {
  const storage = await openSqliteStorage({ path: ':memory:' })
  const lengths = [137, 100_037]
  for (const [index, length] of lengths.entries()) await writeRun(storage.events.append, `r${index}`, length)
  const times = lengths.map(() => [] as number[])
  for (let round = 0; round < 300; round += 1) {
    for (const [index, own] of times.entries()) {
      const began = performance.now()
      await storage.events.run(`r${index}`)
      own.push(performance.now() - began)
    }
  }
  await storage.close()
  const [short = 0, long = 0] = times.map(median)
  const ms = (value: number) => `${value.toFixed(3)} ms`
  console.log(`status of a run of ${lengths[0]} events ${ms(short)}, of ${lengths[1]} events ${ms(long)}`)
  console.log(`  ratio ${(long / short).toFixed(2)} (at most 1.5)`)
}

/** SQL statements of a whole turn at different places of one thread: the fewest of five turns around each. */
async function countStatements(turns = [4, 20, 200]): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'quaero-stream-'))
  try {
    const counts = await statementsOf(dataDir, turns)
    console.log(`SQL statements of a run: ${turns.map((turn, i) => `${counts[i]} at turn ${turn}`).join(', ')}`)
    if (new Set(counts).size > 1) throw new Error('Later turns take other numbers of statements than earlier ones')
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function statementsOf(dataDir: string, turns: readonly number[]): Promise<number[]> {
  const papers = join(import.meta.dirname, '..', 'examples', 'papers')
  // The session log is written beside the run, so that some of its statements would count for the next.
  const settings = { sessionLogs: { text: false, yaml: false } }
  const quaero = await createQuaero({ dataDir, model: 'extractive', documents: [papers], settings })
  const counter = countingStatements()
  const counts: number[] = []
  try {
    for (let turn = 1; turn <= Math.max(...turns) + around; turn += 1) {
      counter.reset()
      await quaero.ask('How does the store grow over the turns?', { threadId: 't' })
      counts.push(counter.count())
    }
  } finally {
    counter.stop()
    await quaero.close()
  }
  return turns.map((turn) => Math.min(...counts.slice(turn - 1 - around, turn + around)))
}

const around = 2

/** Counts every statement that is run but those around transactions, whose number is a matter of time. */
function countingStatements() {
  const probe = new Database(':memory:')
  const prototype = Object.getPrototypeOf(probe.prepare('SELECT 1')) as Record<string, (...args: unknown[]) => unknown>
  probe.close()
  const methods = ['run', 'get', 'all', 'iterate'] as const
  const originals = methods.map((name) => [name, prototype[name]] as const)
  let count = 0
  for (const [name, original] of originals) {
    if (!original) continue
    prototype[name] = function counted(this: { readonly source?: string }, ...args: unknown[]) {
      if (!/^(?:BEGIN|COMMIT|SAVEPOINT|RELEASE|ROLLBACK|PRAGMA)/i.test(this.source ?? '')) count += 1
      return original.apply(this, args)
    }
  }
  return {
    count: () => count,
    reset: () => {
      count = 0
    },
    stop: () => {
      for (const [name, original] of originals) if (original) prototype[name] = original
    },
  }
}

async function writeRun(append: (event: Event) => Promise<unknown>, runId: string, length: number): Promise<void> {
  const fact = <T extends EventType>(type: T, payload: Payloads[T]) =>
    event(type, payload, { correlationId: runId }) as unknown as Event
  await append(fact('run.created', { threadId: runId, turn: 1, question: '?', documents: null }))
  await append(fact('run.started', { attempt: 1, question: '?', model: 'm' }))
  for (let n = 2; n < length; n += 1) await append(fact('notice', { code: 'n', message: `event ${n}` }))
}

import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import type { Quaero } from '../src/index.ts'
import { administer } from '../tests/fixtures/storage/postgres-server.ts'
import { type Fleet, startFleet } from './fleet/fleet.ts'
import { atRest } from './fleet/rest.ts'
import { quantile } from './processes.ts'

const concurrency = 4

/**
 * What the queue on PostgreSQL carries: runs a second with 1, 2 and 4 workers against a model that takes 1 s; the share of
 * it that is left of an engine without a queue, against a model of 50 ms; how long a submission takes; how turn 1,000 of
 * a thread compares with turn 10. Arguments: `--runs 24 --turns 0` (0 leaves the long thread out). `--rest`
 * measures instead what a server costs while nothing happens.
 */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      runs: { type: 'string', default: '24' },
      turns: { type: 'string', default: '0' },
      rest: { type: 'boolean' },
    },
  })
  if (values.rest) return withFleet(0, 0, atRest)
  const runs = Number(values.runs)
  console.log(`${runs} runs each, ${concurrency} at a time in each process; load ${loadavg()[0]?.toFixed(1)}`)
  await scaling(runs)
  await sharePerQueue(runs)
  if (Number(values.turns) > 0) await longThread(Number(values.turns))
}

async function scaling(runs: number): Promise<void> {
  const rates: number[] = []
  for (const workers of [1, 2, 4]) {
    await withFleet(1000, workers, async ({ quaero }) => {
      // Enough for all slots, so that none is idle.
      const { seconds, submitMs } = await answerAll(quaero, runs * workers)
      rates.push((runs * workers) / seconds)
      const submits = `submit p50 ${format(quantile(submitMs, 0.5))} p95 ${format(quantile(submitMs, 0.95))}`
      console.log(`${workers} workers: ${rates.at(-1)?.toFixed(2)} runs/s  ${submits}`)
    })
  }
  const [one = 1, two = 0, four = 0] = rates
  console.log(`2 workers: ${(two / one).toFixed(2)} x (aim 1.9)   4 workers: ${(four / one).toFixed(2)} x (aim 3.2)`)
}

async function sharePerQueue(runs: number): Promise<void> {
  await withFleet(50, 1, async ({ quaero, open }) => {
    const queued = await answerAll(quaero, runs)
    const direct = await open({ queued: false })
    const alone = await answerAll(direct, runs, concurrency)
    await direct.close()
    const share = alone.seconds / queued.seconds
    console.log(`of no queue at all, with a model of 50 ms: ${share.toFixed(2)} (aim 0.9)`)
  })
}

async function longThread(turns: number): Promise<void> {
  await withFleet(0, 1, async ({ quaero, url }) => {
    const ms: number[] = []
    const size = async () => (await quaero.report()).bytes
    let at10 = 0
    for (let turn = 1; turn <= turns; turn += 1) {
      const from = performance.now()
      await quaero.ask(question(turn), { threadId: 'long' })
      ms.push(performance.now() - from)
      if (turn === 10) at10 = await size()
    }
    await administer(url, 'VACUUM')
    const [early, late] = [ms.slice(5, 15), ms.slice(-10)].map((each) => quantile(each, 0.5))
    console.log(`turn ${turns}: ${format(late ?? 0)}, turn 10: ${format(early ?? 0)}`)
    console.log(`bytes a turn: ${Math.round(((await size()) - at10) / (turns - 10))}`)
    await printTables(url, turns)
  })
}

/** The tables that grow with turns, with their indexes. */
async function printTables(url: string, turns: number): Promise<void> {
  const tables = await administer(
    url,
    `SELECT relname || ': ' || round(pg_table_size(relid)::numeric / ${turns}) || ' bytes a turn, and '
       || round(pg_indexes_size(relid)::numeric / ${turns}) || ' in indexes' AS line
     FROM pg_stat_user_tables WHERE schemaname = 'quaero' ORDER BY pg_total_relation_size(relid) DESC LIMIT 6`,
  )
  for (const { line } of tables as readonly { readonly line: string }[]) console.log(`  ${line}`)
}

async function withFleet(delayMs: number, workers: number, work: (fleet: Fleet) => Promise<void>): Promise<void> {
  const fleet = await startFleet({ delayMs })
  try {
    await Promise.all(Array.from({ length: workers }, () => fleet.startWorker(concurrency)))
    // What is loaded for the first question is behind us then.
    await answerAll(fleet.quaero, workers)
    await work(fleet)
  } finally {
    await fleet.close()
  }
}

/** Asks so many at a time, each on a thread of its own. */
async function answerAll(quaero: Quaero, runs: number, atATime = runs) {
  const submitMs: number[] = []
  const from = performance.now()
  const left = Array.from({ length: runs }, (_, number) => number + 1).values()
  const lane = async () => {
    for (const number of left) {
      const begun = performance.now()
      const stream = quaero.stream(question(number))[Symbol.asyncIterator]()
      await stream.next()
      submitMs.push(performance.now() - begun)
      while (!(await stream.next()).done);
    }
  }
  await Promise.all(Array.from({ length: atATime }, lane))
  return { seconds: (performance.now() - from) / 1000, submitMs }
}

function question(number: number): string {
  return `How many pages does the Marble corpus hold? (case-${number})`
}

function format(ms: number): string {
  return `${ms.toFixed(0)} ms`
}

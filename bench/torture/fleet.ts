/** Workers that are killed, frozen and cut off while they work on what is queued; then what became of each run and file. */
import type { ChildProcess } from 'node:child_process'
import { setTimeout as wait } from 'node:timers/promises'
import type { Quaero, StoredEvent } from '../../src/index.ts'
import { administer } from '../../tests/fixtures/storage/postgres-server.ts'
import { type Fleet, startFleet } from '../fleet/fleet.ts'
import type { Finding } from './finding.ts'
import { type AddedFiles, addFiles } from './fleet-files.ts'

interface FleetTorture {
  readonly runs: number
  readonly threads: number
  readonly workers: number
}

/** What happens to the workers while runs are under way. */
type Trouble = (given: {
  readonly fleet: Fleet
  readonly workers: Workers
  /** How long a run takes that nothing disturbs, or a file. */
  readonly workMs: number
  readonly isOver: AbortSignal
}) => Promise<string>

/** The findings of 200 runs, or `runs`, and of a fourth as many files, under kill -9, and of a fifth as many under all other troubles. */
export async function fleetFindings({ runs }: { readonly runs: number }): Promise<readonly Finding[]> {
  const size = { threads: Math.max(2, Math.round((runs * 30) / 200)), workers: 4 }
  return [
    ...(await underTrouble('kill -9', killOneByOne, { ...size, runs })),
    ...(await underTrouble('frozen, restarted, cut', freezeAndCut, { ...size, runs: Math.ceil(runs / 5) })),
  ]
}

const modelMs = 200
const concurrency = 4
const killEveryMs = 300

async function underTrouble(name: string, trouble: Trouble, size: FleetTorture): Promise<readonly Finding[]> {
  const fleet = await startFleet({ delayMs: modelMs })
  const over = new AbortController()
  const workers = new Workers(fleet, size.workers)
  try {
    await workers.start()
    const { calls: expected, ms } = await undisturbedRun(fleet)
    const fileMs = await timeOf(() => addFiles(fleet.quaero, 1, over.signal))
    const submitted = await submit(fleet, size)
    const troubled = trouble({ fleet, workers, workMs: Math.max(ms, fileMs), isOver: over.signal })
    const adding = addFiles(fleet.quaero, Math.ceil(size.runs / 4), over.signal)
    const followed = await Promise.all(submitted.map((thread) => follow(fleet.quaero, thread)))
    over.abort()
    const [happened, files] = [await troubled, await adding]
    return [
      { what: `${name}: what happened`, found: happened, ok: true },
      ...(await check(name, fleet, { submitted, gaps: followed.flat(), expected })),
      ofFiles(name, files),
    ]
  } finally {
    over.abort()
    workers.stop()
    await fleet.close()
  }
}

/** Workers that are started again whenever they end. */
class Workers {
  readonly #fleet: Fleet
  readonly #count: number
  /** Those that take runs, since when. */
  readonly ready = new Map<ChildProcess, number>()
  #isStopped = false

  constructor(fleet: Fleet, count: number) {
    this.#fleet = fleet
    this.#count = count
  }

  async start(): Promise<void> {
    await Promise.all(Array.from({ length: this.#count }, () => this.#startOne()))
  }

  stop(): void {
    this.#isStopped = true
  }

  async #startOne(): Promise<void> {
    const child = await this.#fleet.startWorker(concurrency)
    const again = () => {
      this.ready.delete(child)
      if (!this.#isStopped) void this.#startOne()
    }
    if (child.exitCode !== null || child.signalCode !== null) return again()
    this.ready.set(child, performance.now())
    child.once('exit', again)
  }
}

/**
 * Every 0.3 s the worker that was ready first is killed, once it has had as long as if all four were always ready. On a
 * machine where a run or a file takes longer than that, it has as long as that.
 */
const killOneByOne: Trouble = async ({ workers, workMs, isOver }) => {
  let kills = 0
  const lifeMs = Math.max(4 * killEveryMs, workMs)
  const from = performance.now()
  while (!isOver.aborted) {
    await wait(killEveryMs)
    const [oldest] = workers.ready
    if (!oldest || performance.now() - oldest[1] < lifeMs) continue
    workers.ready.delete(oldest[0])
    oldest[0].kill('SIGKILL')
    kills += 1
  }
  const seconds = (performance.now() - from) / 1000
  return `${kills} workers killed in ${seconds.toFixed(0)} s, each after at least ${(lifeMs / 1000).toFixed(1)} s`
}

/** One worker is frozen for 12 s, connections are cut, the server is restarted in the middle. */
const freezeAndCut: Trouble = async ({ fleet: { url, server }, workers, isOver }) => {
  const [frozen] = workers.ready.keys()
  const happened: string[] = []
  frozen?.kill('SIGSTOP')
  const from = performance.now()
  await wait(2000)
  if (!isOver.aborted) {
    await server.stop('fast')
    await wait(1000)
    await server.start()
    happened.push('server restarted')
  }
  while (performance.now() - from < 12_000) {
    await administer(url, cutOne).catch(() => {})
    await wait(500)
  }
  frozen?.kill('SIGCONT')
  return ['one worker frozen for 12 s', ...happened, 'connections cut every 0.5 s'].join(', ')
}

const cutOne = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid() ORDER BY random() LIMIT 1`

interface SubmittedRun {
  readonly runId: string
  readonly threadId: string
}

/** Submits all runs at once, those of a thread in order. */
async function submit(
  { quaero }: Fleet,
  { runs, threads }: FleetTorture,
): Promise<readonly (readonly SubmittedRun[])[]> {
  const ofThread = async (thread: number) => {
    const submitted: SubmittedRun[] = []
    for (let number = thread; number < runs; number += threads) {
      submitted.push(await submitOne(quaero, `thread-${thread}`, number + 1))
    }
    return submitted
  }
  return Promise.all(Array.from({ length: threads }, (_, thread) => ofThread(thread)))
}

async function submitOne(quaero: Quaero, threadId: string, number: number): Promise<SubmittedRun> {
  const options = { threadId, onLeave: 'continue' } as const
  for await (const { runId } of quaero.stream(
    `How many pages does the Marble corpus hold? (case-${number})`,
    options,
  )) {
    return { runId: runId ?? '', threadId }
  }
  throw new Error('A stream begins with the creation of its run.')
}

/** The model calls of a run that nothing disturbs, and how long it takes. */
async function undisturbedRun({ quaero }: Fleet) {
  const from = performance.now()
  const { runId } = await submitOne(quaero, 'undisturbed', 0)
  for await (const _ of quaero.follow(runId));
  return { calls: finishedCalls(await logOf(quaero, runId)), ms: performance.now() - from }
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now()
  await work()
  return performance.now() - from
}

/** Follows the runs of a thread one after the other; returns those whose stream had a gap, a repeat or no end. */
async function follow(quaero: Quaero, runs: readonly SubmittedRun[]): Promise<readonly string[]> {
  const wrong: string[] = []
  for (const { runId } of runs) {
    let [position, hasEnd] = [0, false]
    for await (const line of quaero.follow(runId)) {
      if (!('position' in line)) continue
      if (line.position !== position + 1) wrong.push(`${runId}: ${line.position} came after ${position}`)
      position = line.position
      hasEnd = line.type === 'run.completed'
    }
    if (!hasEnd) wrong.push(`${runId}: the stream ended before the run, at ${position}`)
  }
  return wrong
}

interface Outcome {
  readonly submitted: readonly (readonly SubmittedRun[])[]
  readonly gaps: readonly string[]
  /** Model calls of one run. */
  readonly expected: number
}

const zeros = {
  wrong: 'runs lost or wrong',
  doubled: 'runs that ended twice',
  unordered: 'runs that overlap or overtake on their thread',
  paidAgain: 'runs with a finished call that was paid again',
} as const

interface Problem {
  readonly zero: keyof typeof zeros
  readonly found: string
}

async function check(name: string, { quaero }: Fleet, outcome: Outcome): Promise<readonly Finding[]> {
  const ofThreads = outcome.submitted.map((thread) => problemsOfThread(quaero, thread, outcome.expected))
  const problems = (await Promise.all(ofThreads)).flat()
  const { discrepancies } = await quaero.verify()
  const finding = (what: string, found: readonly string[]): Finding => ({
    what: `${name}: ${what}`,
    found: `${found.length} of ${outcome.submitted.flat().length}`,
    ok: found.length === 0,
    details: found.slice(0, 10),
  })
  return [
    ...Object.entries(zeros).map(([zero, what]) =>
      finding(
        what,
        problems.filter((each) => each.zero === zero).map(({ found }) => found),
      ),
    ),
    finding('followed streams with a gap', outcome.gaps),
    finding(
      'discrepancies between log and state',
      discrepancies.map((each) => JSON.stringify(each)),
    ),
  ]
}

function ofFiles(name: string, { count, wrong, givenUp }: AddedFiles): Finding {
  return {
    what: `${name}: files lost, doubled or not whole`,
    found: `${wrong.length} of ${count} (given up, and added again: ${givenUp})`,
    ok: wrong.length === 0,
    details: wrong.slice(0, 10),
  }
}

/** `expected`: how many model calls each run has. */
async function problemsOfThread(quaero: Quaero, runs: readonly SubmittedRun[], expected: number) {
  const problems: Problem[] = []
  let endedBefore = ''
  for (const { runId } of runs) {
    const log = await logOf(quaero, runId)
    problems.push(...(await problemsOfRun(quaero, runId, { log, expected })))
    const started = log.find(({ type }) => type === 'run.started')?.timestamp ?? ''
    if (started < endedBefore) problems.push({ zero: 'unordered', found: `${runId}: ${started} < ${endedBefore}` })
    endedBefore = log.at(-1)?.timestamp ?? ''
  }
  return problems
}

async function problemsOfRun(
  quaero: Quaero,
  runId: string,
  { log, expected }: { readonly log: readonly StoredEvent[]; readonly expected: number },
): Promise<readonly Problem[]> {
  const { status, citations } = await quaero.runs.show(runId)
  const endings = log.filter(({ type }) => type === 'run.completed').length
  const calls = finishedCalls(log)
  const isRight = status === 'completed' && citations.length > 0
  return [
    ...(isRight ? [] : [{ zero: 'wrong', found: `${runId}: ${status}` } as const]),
    ...(endings <= 1 ? [] : [{ zero: 'doubled', found: runId } as const]),
    ...(calls <= expected ? [] : [{ zero: 'paidAgain', found: `${runId}: ${calls} in place of ${expected}` } as const]),
  ]
}

function finishedCalls(log: readonly StoredEvent[]): number {
  return log.filter(({ type }) => type === 'model.completed').length
}

async function logOf(quaero: Quaero, runId: string): Promise<readonly StoredEvent[]> {
  const log: StoredEvent[] = []
  for await (const event of quaero.runs.events(runId)) log.push(event)
  return log
}

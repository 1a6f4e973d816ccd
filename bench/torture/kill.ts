import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { quantile } from '../processes.ts'
import type { Finding, TortureOptions } from './finding.ts'
import { type Aftermath, checkAftermath, type Recovered, type Zero, zeros } from './kill-checks.ts'
import {
  copyData,
  type Endpoint,
  inLanes,
  type Job,
  type Meddling,
  randomFrom,
  startEndpoint,
  tidy,
  type Worked,
  work,
  workshop,
} from './processes.ts'
import { effectsIn, logIn } from './snapshot.ts'

export interface KillOptions {
  readonly runs: number
  readonly seed: number
  readonly lanes?: number
  /** Only points whose name fits, for instance `during the reply to call 2` or `completed call 3`. */
  readonly at?: RegExp
  /** Only the case with this number, counted from 1, as it is among all of them. */
  readonly only?: number
  /** What comes first after the kill; by default a new question in one case of five. */
  readonly first?: 'question' | 'resume'
  /** Told of each case as it is done. */
  readonly onCase?: (done: number, of: number) => void
}

export interface KillReport {
  readonly cases: readonly Case[]
  /** Kill points that there are, of which `cases` is a spread. */
  readonly points: number
  readonly violations: readonly { readonly zero: Zero; readonly found: readonly string[] }[]
  /** Calls and effects that were under way at a kill and were made again: the log did not say that they were finished. */
  readonly inFlight: { readonly calls: number; readonly effects: number }
  readonly resumeMs: readonly number[]
}

interface Scenario {
  readonly name: string
  readonly model: string
  readonly trust?: string
  /** What the data directory holds when the process starts that will be killed. */
  readonly before: 'library' | 'turn' | 'waiting'
  readonly does: 'ask' | 'resume'
}

const scenarios: readonly Scenario[] = [
  { name: 'no key', model: 'extractive', before: 'library', does: 'ask' },
  { name: 'no key, second turn', model: 'extractive', before: 'turn', does: 'ask' },
  { name: 'parallel tools', model: 'openai:scripted', before: 'library', does: 'ask' },
  { name: 'parallel tools, second turn', model: 'openai:scripted', before: 'turn', does: 'ask' },
  { name: 'until approval', model: 'openai:scripted', trust: 'careful', before: 'library', does: 'ask' },
  { name: 'after approval', model: 'openai:scripted', trust: 'careful', before: 'waiting', does: 'resume' },
]

/** Where a process is killed. */
interface Point {
  readonly scenario: Scenario
  readonly place: string
  readonly writes: Meddling
  /** Killed while the endpoint is answering the n-th call. */
  readonly onTheWire?: number
}

interface Case {
  readonly id: number
  readonly point: Point
  readonly aftermath: Aftermath
}

/** Kills processes at points spread over everything that a run writes, and sees what is left of the runs. */
export async function killRuns({
  runs,
  seed,
  lanes = 1,
  at = /^/,
  only,
  first,
  onCase = () => {},
}: KillOptions): Promise<KillReport> {
  const { place, library } = await workshop()
  const endpoint = await startEndpoint()
  try {
    const shop = new Shop(place, library, endpoint)
    const places = await inLanes(scenarios, lanes, (scenario) => shop.pointsOf(scenario))
    const points = places.flat().filter((point) => at.test(point.place))
    const all = spread(points, runs, randomFrom(seed)).map((point, index) => ({ point, id: index + 1 }))
    const chosen = only === undefined ? all : all.filter(({ id }) => id === only)
    let done = 0
    const cases = await inLanes(chosen, lanes, async ({ point, id }) => {
      const aftermath = await shop.killAt(point, id, randomFrom(seed + id), first)
      done += 1
      onCase(done, chosen.length)
      return { id, point, aftermath }
    })
    return reportOf(cases, points.length)
  } finally {
    endpoint.close()
    await tidy(place)
  }
}

/** Prepares data directories, and runs processes in copies of them. */
class Shop {
  readonly #place: string
  readonly #library: string
  readonly #endpoint: Endpoint
  readonly #turns = new Map<string, Promise<unknown>>()

  constructor(place: string, library: string, endpoint: Endpoint) {
    this.#place = place
    this.#library = library
    this.#endpoint = endpoint
  }

  /**
   * Every point at which the scenario can be killed: before and after each commit, as soon as the log says that a call is
   * finished, and in the middle of each reply.
   */
  async pointsOf(scenario: Scenario): Promise<readonly Point[]> {
    const journal = join(this.#place, `${scenario.name}.writes`)
    const { folder, runId } = await this.#prepare(scenario, 0)
    const { report, stderr } = await work(this.#job(scenario, folder, 0, runId), { journal })
    if (report === undefined) throw new Error(`"${scenario.name}" does not even work undisturbed: ${stderr}`)
    const written = (await readFile(journal, 'utf8')).trim().split('\n')
    const commits = written.flatMap((what, index) =>
      what.startsWith('COMMIT') ? [{ what: what.slice(7), at: index + 1 }] : [],
    )
    // Without an endpoint nothing is paid.
    const paid = scenario.model === 'extractive' ? [] : written
    const completed = paid.filter((what) => what === 'model.completed' || what === 'tool.completed').length
    const calls = scenario.model === 'extractive' ? 0 : scenario.does === 'ask' && scenario.trust ? 2 : 4
    return [
      ...commits.flatMap(({ what, at }) => [
        { scenario, place: `before ${what}`, writes: { kill: at } },
        { scenario, place: `after ${what}`, writes: { kill: at, after: true } },
      ]),
      ...Array.from({ length: completed }, (_, index) => ({
        scenario,
        place: `completed call ${index + 1}`,
        writes: { completed: index + 1 },
      })),
      ...Array.from({ length: scenario.does === 'resume' ? 0 : calls }, (_, index) => ({
        scenario,
        place: `during the reply to call ${index + 1}`,
        writes: {},
        onTheWire: index + 1,
      })),
    ]
  }

  /** Kills a process there, sometimes the one that resumes too, and lets another clear up. */
  async killAt(point: Point, id: number, random: () => number, chosen?: KillOptions['first']): Promise<Aftermath> {
    const { scenario, writes, onTheWire } = point
    const { folder, runId } = await this.#prepare(scenario, id)
    const killed = await this.#killed(this.#job(scenario, folder, id, runId), writes, id, onTheWire)
    const kills = [await this.#snapshot(killed, folder, id, scenario)]
    const first = chosen ?? (random() < 0.2 ? 'question' : 'resume')
    const recovery: Job = { ...this.#job(scenario, folder, id, null), do: 'recover', question: next(id), first }
    while (random() < 0.25 && kills.length < 3) {
      const again = await work(
        { ...recovery, question: first === 'question' ? another(id, kills.length) : null },
        { kill: 1 + Math.floor(random() * 60), after: random() < 0.5 },
      )
      kills.push(await this.#snapshot(again, folder, id, scenario))
    }
    const recovered = await work(recovery)
    const [journal, effects] = [await this.#endpoint.journal(id), await effectsIn(folder)]
    await tidy(folder)
    return checkAftermath({
      kills,
      recovered: recovered.report as Recovered | undefined,
      stderr: recovered.stderr,
      journal,
      effects,
    })
  }

  async #killed(job: Job, writes: Meddling, id: number, onTheWire?: number): Promise<Worked> {
    if (onTheWire === undefined) return work(job, writes)
    const { stalled } = await this.#endpoint.stall(id, onTheWire)
    return work(job, {}, (child) => void stalled.then(() => child.kill('SIGKILL')))
  }

  /** What can be known at the moment of a kill, without touching what the process left. */
  async #snapshot(worked: Worked, folder: string, id: number, { before }: Scenario) {
    const skip = before === 'turn' ? 1 : 0
    const log = await logIn(folder, join(this.#place, `snapshot-${id}`), { skip })
    return { worked, log, journal: await this.#endpoint.journal(id), effects: await effectsIn(folder) }
  }

  #job({ model, trust, does }: Scenario, folder: string, id: number, runId: string | null): Job {
    const thread = 'torture'
    return { do: does, folder, endpoint: this.#endpoint.url, model, trust, thread, runId, question: question(id) }
  }

  /** A data directory for the case, as it is before the process starts that will be killed. */
  async #prepare(scenario: Scenario, id: number): Promise<Prepared> {
    const folder = join(this.#place, `${id}-${scenario.name}`)
    const { before } = scenario
    if (before === 'turn') return { folder: await copyData(await this.#afterOneTurn(scenario), folder), runId: null }
    await copyData(this.#library, folder)
    if (before === 'library') return { folder, runId: null }
    const { report } = await work({ ...this.#job(scenario, folder, id, null), do: 'ask' })
    return { folder, runId: (report as { readonly runId: string }).runId }
  }

  #afterOneTurn(scenario: Scenario): Promise<string> {
    const { name } = scenario
    const known = this.#turns.get(name)
    const folder = join(this.#place, `first turn, ${name}`)
    const asked = known ?? copyData(this.#library, folder).then(() => work(this.#job(scenario, folder, 0, null)))
    this.#turns.set(name, asked)
    return asked.then(() => folder)
  }
}

interface Prepared {
  readonly folder: string
  readonly runId: string | null
}

function question(id: number): string {
  return `How many pages does the Marble corpus hold? (case-${id})`
}

function next(id: number): string {
  return `How many pages did the Halden filter remove? (case-${id})`
}

/** Asked by a process that is killed while it clears up. */
function another(id: number, kill: number): string {
  return `How many pages did the Halden filter keep? (case-${id}, kill ${kill})`
}

/** So many of the points, evenly spread, each moved a little by chance; some more than once where there are fewer. */
function spread(points: readonly Point[], count: number, random: () => number): readonly Point[] {
  if (points.length === 0) return []
  const stride = points.length / count
  return Array.from({ length: count }, (_, index) => points[Math.floor((index + random()) * stride)] as Point)
}

function reportOf(cases: readonly Case[], points: number): KillReport {
  const violationsOf = (zero: Zero) =>
    cases.flatMap(({ id, point, aftermath }) =>
      aftermath.violations[zero].map((what) => `case ${id} (${point.scenario.name}, ${point.place}): ${what}`),
    )
  const sum = (of: (aftermath: Aftermath) => number) => cases.reduce((total, each) => total + of(each.aftermath), 0)
  return {
    cases,
    points,
    violations: zeros.map((zero) => ({ zero, found: violationsOf(zero) })),
    inFlight: { calls: sum(({ callsAgain }) => callsAgain), effects: sum(({ effectsAgain }) => effectsAgain) },
    resumeMs: cases.flatMap(({ aftermath }) => aftermath.resumeMs ?? []),
  }
}

/** The same as a table. */
export async function killFindings({ runs, seed, lanes, at, only }: TortureOptions): Promise<readonly Finding[]> {
  const onCase = (done: number, of: number) => {
    if (done % 25 === 0) console.error(`${done} of ${of}`)
  }
  const chosen = { ...(at && { at: new RegExp(`^${at}`) }), ...(only && { only }) }
  const report = await killRuns({ runs, seed, lanes, onCase, ...chosen })
  const { cases, points, violations, inFlight, resumeMs } = report
  const killed = cases.filter(({ aftermath }) => aftermath.wasKilled).length
  const median = quantile(resumeMs, 0.5)
  return [
    { what: 'processes killed', found: `${killed} of ${cases.length}, at ${points} possible points`, ok: killed > 0 },
    ...violations.map(({ zero, found }) => ({
      what: zero,
      found: String(found.length),
      ok: found.length === 0,
      details: found,
    })),
    { what: 'calls under way at a kill, made again', found: String(inFlight.calls), ok: true },
    { what: 'effects under way at a kill, made again under the same key', found: String(inFlight.effects), ok: true },
    {
      what: 'resuming took (target: 2000 ms)',
      found: `${median.toFixed(0)} ms in the median, at most ${Math.max(...resumeMs).toFixed(0)} ms, of ${resumeMs.length}`,
      ok: median <= 2000,
    },
  ]
}

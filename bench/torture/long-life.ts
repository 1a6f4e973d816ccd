import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { endingWithUs } from '../../tests/fixtures/stop-after-us.ts'
import { quantile } from '../processes.ts'
import type { Finding, TortureOptions } from './finding.ts'
import { copyData, tidy, workshop } from './processes.ts'

interface Sample {
  readonly turn: number
  readonly rssMegabytes: number
  readonly heapMegabytes: number
  readonly handles: number
  readonly kilobytesStored: number
}

interface Life {
  readonly turns: readonly { readonly turn: number; readonly status: string; readonly cpuMs: number }[]
  readonly samples: readonly Sample[]
  readonly kills: number
  /** What the last process found, or how it ended. */
  readonly end: { readonly discrepancies: number; readonly integrity: string }
}

interface LifeOptions {
  readonly turns: number
  readonly threads: number
  /** Processes that are killed on the way, at even distances. */
  readonly kills: number
}

/** So many turns on the threads of a busy installation, then half as many on one thread. What each takes must not grow. */
export async function longLifeFindings({ runs }: Pick<TortureOptions, 'runs'>): Promise<readonly Finding[]> {
  const { place, library } = await workshop()
  try {
    const lives = {
      'many threads': { turns: runs, threads: Math.ceil(runs / 20), kills: 4 },
      'one thread': { turns: Math.ceil(runs / 2), threads: 1, kills: 0 },
    }
    const findings: Finding[] = []
    for (const [name, options] of Object.entries(lives)) {
      const folder = await copyData(library, join(place, name.replace(' ', '-')))
      findings.push(...findingsOf(name, await live(folder, options)))
    }
    return findings
  } finally {
    await tidy(place)
  }
}

/** What the processes told, one after the other. */
interface Told {
  readonly turns: Life['turns'][number][]
  readonly samples: Sample[]
}

async function live(folder: string, { turns, threads, kills }: LifeOptions): Promise<Life> {
  const told: Told = { turns: [], samples: [] }
  for (let killed = 0; ; killed += 1) {
    const from = (told.turns.at(-1)?.turn ?? -1) + 1
    const killAt = killed < kills ? Math.floor(((killed + 1) * turns) / (kills + 1)) : Number.POSITIVE_INFINITY
    const end = await liveOnce({ folder, files: join(folder, 'files'), from, turns, threads }, killAt, told)
    if (end) return { ...told, kills: killed, end }
  }
}

/** Resolves to null where the process was killed, in the middle of the turn after `killAt`. */
async function liveOnce(job: object, killAt: number, told: Told): Promise<Life['end'] | null> {
  const program = join(import.meta.dirname, 'processes', 'live.mjs')
  const child = fork(program, [JSON.stringify(job)], { execArgv: ['--expose-gc'], env: { PATH: process.env.PATH } })
  endingWithUs(child)
  let end: Life['end'] | null = null
  child.on('message', (message: Message) => {
    if ('end' in message) end = message.end
    else if ('sample' in message) told.samples.push({ turn: message.turn, ...message.sample })
    else {
      told.turns.push(message)
      if (message.turn >= killAt) setTimeout(() => child.kill('SIGKILL'), message.cpuMs / 2)
    }
  })
  const [code, signal] = await once(child, 'exit')
  console.error(`turn ${told.turns.at(-1)?.turn}: the process ended with ${code ?? signal}`)
  if (end === null && signal !== 'SIGKILL') throw new Error(`The process ended with ${code ?? signal}.`)
  return end
}

type Message =
  | Life['turns'][number]
  | { readonly turn: number; readonly sample: Omit<Sample, 'turn'> }
  | { readonly end: Life['end'] }

/** The last quarter takes at most so much more than the second; the first one fills caches. */
const mostGrowth = 1.3

function findingsOf(name: string, { turns, samples, kills, end }: Life): readonly Finding[] {
  const failed = turns.filter(({ status }) => status !== 'completed').length
  const last = turns.at(-1)?.turn ?? 0
  const quarter = <T extends { readonly turn: number }>(of: readonly T[], at: number) =>
    of.filter(({ turn }) => Math.min(3, Math.floor((4 * turn) / last)) === at)
  const growth = (what: string, unit: string, measure: (at: number) => number): Finding => {
    const [early, late] = [measure(1), measure(3)]
    const found = `${early.toFixed(1)} ${unit} in the second quarter, ${late.toFixed(1)} in the last`
    // With too few turns nothing was measured.
    return { what: `${name}: ${what}`, found, ok: early > 0 && late <= mostGrowth * early }
  }
  const most = (at: number, of: (sample: Sample) => number) => Math.max(...quarter(samples, at).map(of))
  const whole = end.discrepancies === 0 && end.integrity === 'ok'
  return [
    { what: `${name}: turns`, found: `${turns.length}, ${failed} not completed; ${kills} kills`, ok: failed === 0 },
    { what: `${name}: in the end`, found: `${end.discrepancies} discrepancies, integrity ${end.integrity}`, ok: whole },
    growth('processor time of a turn, median', 'ms', (at) =>
      quantile(
        quarter(turns, at).map(({ cpuMs }) => cpuMs),
        0.5,
      ),
    ),
    growth('memory, most', 'MB', (at) => most(at, ({ rssMegabytes }) => rssMegabytes)),
    growth('heap after collection, most', 'MB', (at) => most(at, ({ heapMegabytes }) => heapMegabytes)),
    growth('open files and sockets, most', '', (at) => most(at, ({ handles }) => handles)),
    growth('stored for each turn', 'KB', (at) => storedForEach(quarter(samples, at))),
  ]
}

function storedForEach(samples: readonly Sample[]): number {
  const [first, last] = [samples[0], samples.at(-1)]
  if (!first || !last || first.turn === last.turn) return 0
  return (last.kilobytesStored - first.kilobytesStored) / (last.turn - first.turn)
}

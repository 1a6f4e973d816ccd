import { join } from 'node:path'
import { quantile } from '../processes.ts'
import type { Finding } from './finding.ts'
import type { Recovered } from './kill-checks.ts'
import { copyData, type Job, tidy, work, workshop } from './processes.ts'

export interface CrowdOptions {
  /** In one process: so many questions at once, so often. */
  readonly atOnce: number
  readonly rounds: number
  /** In processes of their own: so many, each asking so often. */
  readonly processes: number
  readonly each: number
  /** Questions at once that wait for their turn. */
  readonly waiting: number
}

export interface Crowd {
  readonly name: string
  readonly answered: readonly { readonly name: string; readonly turn: number; readonly status: string }[]
  readonly refused: readonly { readonly name: string; readonly code: string; readonly ms: number }[]
  /** Messages of answered questions that are not there, or are there twice. */
  readonly wrongMessages: number
  /** Refused questions of which anything was stored. */
  readonly refusedButStored: number
  readonly discrepancies: number
  /** Answered in the order in which they were asked. */
  readonly inOrder: boolean
}

/** Many questions on one thread at once: in one process, in several, and willing to wait. */
export async function crowdThread(options: CrowdOptions): Promise<readonly Crowd[]> {
  const { place, library } = await workshop()
  const crowd = async (name: string, jobs: readonly Partial<Job>[]) => {
    const folder = await copyData(library, join(place, name))
    const job: Job = { do: 'crowd', folder, endpoint: '', model: 'extractive', thread: 'shared' }
    const worked = await Promise.all(jobs.map((each, index) => work({ ...job, ...each, name: `${name} ${index}` })))
    const { report } = await work({ ...job, do: 'recover', question: null })
    return crowdOf(
      name,
      worked.map((each) => each.report as Heard),
      report as Recovered,
    )
  }
  try {
    return [
      await crowd('one process', [{ rounds: options.rounds, at: options.atOnce }]),
      await crowd(
        'several processes',
        Array.from({ length: options.processes }, () => ({ rounds: options.each, at: 1 })),
      ),
      await crowd('whenBusy: wait', [{ rounds: 1, at: options.waiting, whenBusy: 'wait' }]),
      await crowd(
        'whenBusy: wait, several processes',
        Array.from({ length: options.processes }, () => ({ rounds: options.each, at: 1, whenBusy: 'wait' })),
      ),
    ]
  } finally {
    await tidy(place)
  }
}

type Heard = Pick<Crowd, 'answered' | 'refused'>

function crowdOf(name: string, heard: readonly Heard[], { runs, transcript, verification }: Recovered): Crowd {
  const answered = heard.flatMap((each) => each.answered)
  const refused = heard.flatMap((each) => each.refused)
  const expected = Array.from({ length: answered.length }, () => ['user', 'assistant']).flat()
  const said = transcript.map(({ role }) => role)
  return {
    name,
    answered,
    refused,
    wrongMessages:
      Math.abs(said.length - expected.length) + said.filter((role, index) => role !== expected[index]).length,
    refusedButStored: runs.length - answered.length,
    discrepancies: verification.discrepancies.length,
    inOrder: heard.every((each) =>
      each.answered.every(({ turn }, index, all) => index === 0 || turn > (all[index - 1]?.turn ?? 0)),
    ),
  }
}

export async function threadFindings(): Promise<readonly Finding[]> {
  const crowds = await crowdThread({ atOnce: 10, rounds: 100, processes: 3, each: 25, waiting: 30 })
  return crowds.flatMap((crowd) => {
    const { name, answered, refused, wrongMessages, refusedButStored, discrepancies, inOrder } = crowd
    const delays = refused.map(({ ms }) => ms)
    const untyped = refused.filter(({ code }) => code !== 'thread_busy').length
    const waits = name.startsWith('whenBusy')
    return [
      {
        what: `${name}: answered`,
        found: String(answered.length),
        ok: answered.every(({ status }) => status === 'completed'),
      },
      { what: `${name}: messages lost or doubled`, found: String(wrongMessages), ok: wrongMessages === 0 },
      {
        what: `${name}: refused questions of which something is stored`,
        found: String(refusedButStored),
        ok: refusedButStored === 0,
      },
      { what: `${name}: findings of doctor --verify`, found: String(discrepancies), ok: discrepancies === 0 },
      waits
        ? {
            what: `${name}: refused; in order`,
            found: `${refused.length}; ${inOrder}`,
            ok: refused.length === 0 && inOrder,
          }
        : {
            what: `${name}: refused with ThreadBusy (target: 50 ms)`,
            found:
              delays.length === 0
                ? '0'
                : `${delays.length}, after ${quantile(delays, 0.5).toFixed(1)} ms in the median, at most ${Math.max(...delays).toFixed(1)} ms`,
            ok: untyped === 0,
          },
    ]
  })
}

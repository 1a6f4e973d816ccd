/** Processes that are killed shortly after a reply has arrived, then resumed: which calls are paid twice. */
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Finding } from './finding.ts'
import { copyData, inLanes, randomFrom, startEndpoint, tidy, work, workshop } from './processes.ts'

/** A reply is stored so soon after its last byte that no kill after this costs it. */
const storedWithinMs = 10
const killWithinMs = 40
/** Calls of a run. */
const calls = 5

interface Case {
  readonly id: number
  /** After the reply to which call, and how long after its last byte it was killed. Milliseconds. */
  readonly after: number
  readonly ms: number
  /** Requests that were made again although their reply had been there long enough. */
  readonly paidTwice: number
  readonly ended: boolean
}

/** Kills `runs` processes, each at a random moment after a reply to the first run of its process. */
export async function paidFindings(options: {
  readonly runs: number
  readonly seed: number
  readonly lanes: number
}): Promise<readonly Finding[]> {
  const { place, library } = await workshop()
  const endpoint = await startEndpoint({ delayMs: 100, pieceMs: 2 })
  const random = randomFrom(options.seed)
  const moments = Array.from({ length: options.runs }, (_, index) => ({
    id: index + 1,
    after: 1 + Math.floor(random() * calls),
    ms: storedWithinMs + random() * (killWithinMs - storedWithinMs),
  }))
  try {
    const cases = await inLanes(moments, options.lanes, async ({ id, after, ms }): Promise<Case> => {
      const folder = await copyData(library, join(place, `paid-${id}`))
      const question = `How many pages does the Marble corpus hold? (case-${id})`
      const job = { folder, endpoint: endpoint.url, model: 'openai:scripted', thread: 't', question }
      let killedAt = Number.POSITIVE_INFINITY
      await work({ ...job, do: 'ask' }, {}, (child) => {
        endpoint.onEnded(id, after, () => {
          void wait(ms).then(() => {
            killedAt = performance.timeOrigin + performance.now()
            child.kill('SIGKILL')
          })
        })
      })
      const { report } = await work({ ...job, do: 'recover', question: null })
      const journal = await endpoint.journal(id)
      await tidy(folder)
      const there = journal.filter(({ endedAt }) => endedAt !== null && endedAt + storedWithinMs <= killedAt)
      const paidTwice = there.filter(({ hash }) => journal.filter((call) => call.hash === hash).length > 1).length
      return { id, after, ms, paidTwice, ended: isEnded(report) }
    })
    return findingsOf(cases)
  } finally {
    endpoint.close()
    await tidy(place)
  }
}

function isEnded(report: unknown): boolean {
  const { runs = [] } = (report ?? {}) as { readonly runs?: readonly { readonly status: string }[] }
  return runs.length > 0 && runs.every(({ status }) => status === 'completed')
}

function findingsOf(cases: readonly Case[]): readonly Finding[] {
  const [twice, lost] = [cases.filter(({ paidTwice }) => paidTwice > 0), cases.filter(({ ended }) => !ended)]
  const named = ({ id, after, ms }: Case) => `case ${id}: killed ${ms.toFixed(1)} ms after the reply to call ${after}`
  return [
    {
      what: `processes killed ${storedWithinMs} to ${killWithinMs} ms after the last byte of a reply: calls paid twice`,
      found: `${twice.length} of ${cases.length}`,
      ok: twice.length === 0,
      details: twice.map(named),
    },
    {
      what: 'runs that did not end once resumed',
      found: `${lost.length} of ${cases.length}`,
      ok: lost.length === 0,
      details: lost.map(named),
    },
  ]
}

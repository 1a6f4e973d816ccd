import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { RunResult } from '../../src/index.ts'
import type { Finding } from './finding.ts'
import { copyData, startEndpoint, tidy, work, workshop } from './processes.ts'

export interface Replayed {
  /** How many of each status there were. */
  readonly kinds: Readonly<Record<string, number>>
  readonly runs: number
  /** Runs whose replay is another result than the one that was given, apart from times. */
  readonly different: readonly string[]
  /** The same after export, and import into an empty data directory. */
  readonly differentElsewhere: readonly string[]
}

/** Makes so many finished runs, the last of them resumed after a kill, and replays them with the network off. */
export async function replayRuns(of: number): Promise<Replayed> {
  const { place, library } = await workshop()
  const endpoint = await startEndpoint()
  try {
    const folder = await copyData(library, join(place, 'history'))
    const job = { folder, endpoint: endpoint.url, program: 'history.mjs' }
    const made = await work({ ...job, do: 'make', of: of - 1 })
    if (made.report === undefined) throw new Error(made.stderr)
    const killed = {
      ...job,
      model: 'extractive',
      thread: 'killed',
      question: 'How many pages does the Marble corpus hold?',
    }
    await work({ ...killed, program: 'work.mjs', do: 'ask' }, { kill: 40 })
    const resumed = await work({ ...killed, program: 'work.mjs', do: 'recover', question: null })
    const results = [...(made.report as RunResult[]), ...(resumed.report as { readonly resumed: RunResult[] }).resumed]
    // Elsewhere are the same documents: quotes that are not there would not be verified.
    const into = await copyData(library, join(place, 'elsewhere'))
    const { report, stderr } = await work({ ...job, do: 'replay', into })
    if (report === undefined) throw new Error(stderr)
    const { here, there } = report as Readonly<Record<'here' | 'there', Readonly<Record<string, RunResult>>>>
    return {
      kinds: countBy(results.map(({ status }) => status)),
      runs: results.length,
      different: results.flatMap((result) => differenceOf(result, here[result.runId])),
      differentElsewhere: results.flatMap((result) => differenceOf(result, there[result.runId])),
    }
  } finally {
    endpoint.close()
    await tidy(place)
  }
}

function differenceOf(result: RunResult, replayed: RunResult | undefined): readonly string[] {
  if (replayed === undefined) return [`${result.runId} (${result.status}) is missing`]
  const timeless = ({ durationMs: _, imported: __, ...rest }: RunResult) => rest
  return isDeepStrictEqual(timeless(result), timeless(replayed)) ? [] : [`${result.runId} (${result.status}) differs`]
}

function countBy(names: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  return counts
}

export async function replayFindings(): Promise<readonly Finding[]> {
  const { kinds, runs, different, differentElsewhere } = await replayRuns(50)
  const words = Object.entries(kinds).map(([status, count]) => `${count} ${status}`)
  return [
    { what: 'finished runs', found: `${runs}: ${words.join(', ')}`, ok: runs === 50 },
    {
      what: 'replayed to another result, network off',
      found: String(different.length),
      ok: different.length === 0,
      details: different,
    },
    {
      what: 'likewise after export and import',
      found: String(differentElsewhere.length),
      ok: differentElsewhere.length === 0,
      details: differentElsewhere,
    },
  ]
}

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Finding } from './finding.ts'
import type { Recovered } from './kill-checks.ts'
import {
  copyData,
  inLanes,
  type Job,
  type Meddling,
  randomFrom,
  startEndpoint,
  tidy,
  work,
  workshop,
} from './processes.ts'

export interface FailedWrite {
  /** For instance `write 17 (COMMIT model.completed), SQLITE_FULL`. */
  readonly where: string
  /** The status or error code that the asking process ended with. */
  readonly outcome: string
  /** What is not as it should be, then and after another process has cleared up. */
  readonly problems: readonly string[]
}

/** For a spread of all writes of two runs: that one fails, or it and all later ones. What becomes of the run? */
export async function failWrites({
  runs,
  seed,
  lanes,
}: {
  readonly runs: number
  readonly seed: number
  readonly lanes: number
}): Promise<readonly FailedWrite[]> {
  const { place, library } = await workshop()
  const endpoint = await startEndpoint()
  const jobFor = (folder: string, model: string, id: number): Job => ({
    do: 'ask',
    folder,
    endpoint: endpoint.url,
    model,
    thread: 'torture',
    question: `How many pages does the Marble corpus hold? (case-${id})`,
  })
  try {
    const points: { readonly model: string; readonly what: string; readonly writes: Meddling }[] = []
    for (const model of ['extractive', 'openai:scripted']) {
      const journal = join(place, `${model}.writes`)
      await work(jobFor(await copyData(library, join(place, `dry-${model}`)), model, 0), { journal })
      const writes = (await readFile(journal, 'utf8')).trim().split('\n')
      for (const [index, what] of writes.entries()) {
        const code = index % 2 === 0 ? 'SQLITE_FULL' : 'SQLITE_IOERR'
        for (const onwards of [false, true]) points.push({ model, what, writes: { fail: index + 1, code, onwards } })
      }
    }
    const random = randomFrom(seed)
    const stride = Math.max(1, points.length / runs)
    const chosen = Array.from(
      { length: Math.min(runs, points.length) },
      (_, index) => points[Math.floor((index + random()) * stride)] ?? points[0],
    )
    return await inLanes([...chosen.entries()], lanes, async ([index, point]) => {
      const { model = 'extractive', what = '', writes = {} } = point ?? {}
      const folder = await copyData(library, join(place, `case-${index}`))
      const job = jobFor(folder, model, index + 1)
      const worked = await work(job, writes)
      const recovered = await work({
        ...job,
        do: 'recover',
        question: `How many pages did the Halden filter remove? (case-${index + 1})`,
      })
      await tidy(folder)
      const outcome = outcomeOf(worked.report)
      const report = recovered.report as Recovered | undefined
      return {
        where: `${model}, write ${writes.fail} (${what}), ${writes.code}${writes.onwards ? ' from there on' : ''}`,
        outcome,
        problems: [
          ...(worked.code === 0 ? [] : [`the process ended with ${worked.code}: ${worked.stderr.slice(-300)}`]),
          ...(documented.has(outcome) ? [] : [`the run ended with ${outcome}`]),
          ...problemsAfter(report, worked.created, recovered.stderr),
        ],
      }
    })
  } finally {
    endpoint.close()
    await tidy(place)
  }
}

/** How a run may end whose storage fails. */
const documented: ReadonlySet<string> = new Set(['completed', 'storage_unavailable'])

function outcomeOf(report: unknown): string {
  const { status, failed } = (report ?? {}) as {
    readonly status?: string
    readonly failed?: { readonly code?: string; readonly message?: string }
  }
  return failed?.code ?? failed?.message ?? status ?? 'nothing'
}

function problemsAfter(report: Recovered | undefined, created: readonly string[], stderr: string): readonly string[] {
  if (!report?.found) return [`clearing up failed: ${stderr.slice(-300)} ${JSON.stringify(report)}`]
  const { found, runs, transcript, verification, next } = report
  const known = new Set(found.map(({ runId }) => runId))
  const roles = transcript.map(({ role }) => role).join()
  return [
    ...created.filter((runId) => !known.has(runId)).map((runId) => `the question of ${runId} is lost`),
    ...runs
      .filter(({ status }) => status !== 'completed')
      .map(({ runId, status }) => `${runId} is ${status} in the end`),
    ...(roles === runs.flatMap(() => ['user', 'assistant']).join() ? [] : [`the transcript is ${roles}`]),
    ...verification.discrepancies.map(({ about, problem }) => `${about}: ${problem}`),
    ...(next?.status === 'completed' ? [] : ['the next question is not answered']),
  ]
}

export async function writeFindings(options: {
  readonly runs: number
  readonly seed: number
  readonly lanes: number
}): Promise<readonly Finding[]> {
  const cases = await failWrites(options)
  const bad = cases.filter(({ problems }) => problems.length > 0)
  const outcomes = new Map<string, number>()
  for (const { outcome } of cases) outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
  return [
    {
      what: 'writes that failed',
      found: `${cases.length}: ${[...outcomes].map(([outcome, count]) => `${count} ${outcome}`).join(', ')}`,
      ok: cases.length > 0,
    },
    {
      what: 'runs not ended as documented, or not made good afterwards',
      found: String(bad.length),
      ok: bad.length === 0,
      details: bad.map(({ where, problems }) => `${where}: ${problems.join('; ')}`),
    },
  ]
}

import type { RunResult, RunSummary, ThreadMessage, Verification } from '../../src/index.ts'
import type { Call, Worked } from './processes.ts'

/** What must never happen, as a table's rows. */
export const zeros = [
  'questions lost',
  'messages lost or doubled',
  'runs that resume does not finish',
  'finished model calls paid again',
  'finished tool effects repeated',
  'unfinished runs shown as finished',
  'findings of doctor --verify',
  'next questions not answered',
] as const
export type Zero = (typeof zeros)[number]

/** What `work.mjs` reports after clearing up. */
export interface Recovered {
  readonly found: readonly RunSummary[]
  readonly shown: readonly RunResult[]
  readonly resumed: readonly RunResult[]
  readonly resumeMs: number
  readonly next: RunResult | null
  readonly runs: readonly RunSummary[]
  readonly transcript: readonly ThreadMessage[]
  readonly window: readonly (readonly [string, string])[]
  readonly verification: Verification
}

export interface LoggedEvent {
  readonly runId: string
  readonly type: string
  /** Of a tool call. */
  readonly callId: string | null
}

/** What was there when a process had been killed. */
interface Kill {
  readonly worked: Worked
  readonly log: readonly LoggedEvent[]
  readonly journal: readonly Call[]
  readonly effects: readonly string[]
}

interface Evidence {
  readonly kills: readonly Kill[]
  readonly recovered: Recovered | undefined
  readonly stderr: string
  readonly journal: readonly Call[]
  readonly effects: readonly string[]
}

export interface Aftermath {
  readonly violations: Readonly<Record<Zero, readonly string[]>>
  /** Calls and effects made again because the log did not say that they were finished. */
  readonly callsAgain: number
  readonly effectsAgain: number
  /** From the start of the process that clears up to the end of what it resumes; undefined if nothing was unfinished. */
  readonly resumeMs: number | undefined
  readonly wasKilled: boolean
}

export function checkAftermath(evidence: Evidence): Aftermath {
  const { recovered, kills, stderr } = evidence
  const calls = againAfter(evidence, ({ journal }) => journal.map(({ hash }) => hash), finishedCalls)
  const effects = againAfter(evidence, ({ effects }) => effects, finishedEffects)
  const violations: Record<Zero, readonly string[]> = {
    'questions lost': lostQuestions(kills, recovered),
    'messages lost or doubled': recovered ? messageProblems(recovered) : [],
    'runs that resume does not finish': recovered
      ? unfinishedIn(recovered)
      : [`the process failed: ${stderr.slice(-500)}`],
    'finished model calls paid again': calls.finished,
    'finished tool effects repeated': effects.finished,
    'unfinished runs shown as finished': recovered ? falselyFinished(kills, recovered) : [],
    'findings of doctor --verify':
      recovered?.verification.discrepancies.map(({ about, problem }) => `${about}: ${problem}`) ?? [],
    'next questions not answered':
      recovered && recovered.next?.status !== 'completed' ? [JSON.stringify(recovered.next?.error)] : [],
  }
  return {
    violations,
    callsAgain: calls.inFlight,
    effectsAgain: effects.inFlight,
    resumeMs: recovered && recovered.resumed.length > 0 ? recovered.resumeMs : undefined,
    wasKilled: kills.some(({ worked }) => worked.signal === 'SIGKILL'),
  }
}

/** What was made again after each kill: of what the log then said was finished, and of what was under way. */
function againAfter(
  evidence: Evidence,
  of: (at: Pick<Kill, 'journal' | 'effects'>) => readonly string[],
  finishedAt: (kill: Kill, before: Kill | undefined) => readonly string[],
): { readonly finished: readonly string[]; readonly inFlight: number } {
  const { kills } = evidence
  const marks = [...kills.map((kill) => of(kill).length), of(evidence).length]
  const done = new Set<string>()
  const again = kills.flatMap((kill, index) => {
    const before = of(kill)
    for (const each of finishedAt(kill, kills[index - 1])) done.add(each)
    const after = of(evidence).slice(before.length, marks[index + 1])
    return after.filter((each) => before.includes(each)).map((each) => ({ each, wasDone: done.has(each), index }))
  })
  const finished = again.filter(({ wasDone }) => wasDone)
  return {
    finished: finished.map(({ each, index }) => `${each}, which was finished at kill ${index + 1}`),
    inFlight: again.length - finished.length,
  }
}

/** Requests of the process that was killed that the log says are finished: all of them, but perhaps for the last. */
function finishedCalls({ log, journal }: Kill, before: Kill | undefined): readonly string[] {
  const asked = journal.slice(before?.journal.length ?? 0).map(({ hash }) => hash)
  const last = log.findLast(({ type }) => type === 'model.started' || type === 'model.completed')
  const neverAsked = asked.length < startedCalls(log) - startedCalls(before?.log ?? [])
  return neverAsked || last?.type === 'model.completed' ? asked : asked.slice(0, -1)
}

function startedCalls(log: readonly LoggedEvent[]): number {
  return log.filter(({ type }) => type === 'model.started').length
}

function finishedEffects({ log }: Kill): readonly string[] {
  const finished = log.filter(({ type }) => type === 'tool.completed')
  return finished.map(({ runId, callId }) => `${runId} ${callId}`)
}

function lostQuestions(kills: readonly Kill[], recovered: Recovered | undefined): readonly string[] {
  const known = new Set(recovered?.found.map(({ runId }) => runId))
  return kills.flatMap(({ worked }) => worked.created.filter((runId) => !known.has(runId)))
}

/** One human and one AI message for each turn, each said once, in the log and in the graph's state alike. */
function messageProblems({ transcript, window, runs }: Recovered): readonly string[] {
  const expected = runs.flatMap(() => ['user', 'assistant'])
  const said = transcript.map(({ role }) => role)
  const problems: string[] = []
  if (said.join() !== expected.join()) problems.push(`the transcript of ${runs.length} turns is ${said.join(', ')}`)
  const kept = transcript.map(({ role, content }) => `${role === 'user' ? 'human' : 'ai'}: ${content}`).sort()
  const held = window.map(([type, text]) => `${type}: ${text}`).sort()
  if (kept.join('\n') !== held.join('\n'))
    problems.push(`the state holds ${held.length} messages, the log ${kept.length}`)
  return problems
}

function unfinishedIn({ resumed, runs }: Recovered): readonly string[] {
  const failed = resumed.filter(({ status }) => status !== 'completed')
  const left = runs.filter(({ status }) => status !== 'completed')
  return [
    ...failed.map(({ runId, error }) => `${runId}: ${error?.message}`),
    ...left.map(({ runId, status }) => `${runId} is ${status}`),
  ]
}

/** A run counts as finished only if its log had an ending when the last process was killed. */
function falselyFinished(kills: readonly Kill[], { found, shown }: Recovered): readonly string[] {
  const log = kills.at(-1)?.log ?? []
  const begun = new Set(log.map(({ runId }) => runId))
  const ended = new Set(log.flatMap(({ runId, type }) => (type === 'run.completed' ? [runId] : [])))
  const said = [...found, ...shown].filter(({ status }) => status === 'completed')
  return said.flatMap(({ runId }) => (begun.has(runId) && !ended.has(runId) ? [`${runId} is shown as completed`] : []))
}

import type { BaseMessage } from '@langchain/core/messages'
import { asError } from '../../errors.ts'
import { type RunRecord, type StoredEvent, statusOf } from '../../events/index.ts'
import { problemsInLog } from './log-rules.ts'
import { isSameButMasked } from './masked-texts.ts'
import { type ThreadState, threadStateOf } from './thread-state.ts'
import { type TransferParts, turnsOf } from './transfer.ts'

/** What is wrong in what is stored; `about` names the run or thread. */
export interface Discrepancy {
  readonly about: string
  readonly problem: string
}

export interface Verification {
  readonly threads: number
  readonly runs: number
  readonly events: number
  readonly discrepancies: readonly Discrepancy[]
}

/** Checks every run's log against its own rules, and each thread's state against its log. Changes nothing. */
export async function verifyAll(parts: TransferParts): Promise<Verification> {
  const { storage } = parts
  const threads = await storage.events.threads()
  const discrepancies: Discrepancy[] = []
  let runs = 0
  let events = 0
  for (const { threadId } of threads) {
    try {
      const turns = await turnsOf(threadId, storage)
      const records = await storage.events.runs({ threadId })
      runs += turns.length
      events += turns.reduce((sum, log) => sum + log.length, 0)
      turns.forEach((log, i) => {
        discrepancies.push(...problemsOfRun(log, records[i]))
      })
      discrepancies.push(...(await problemsOfThread(threadId, turns, parts)))
    } catch (error) {
      discrepancies.push({ about: `thread ${threadId}`, problem: asError(error).message })
    }
  }
  return { threads: threads.length, runs, events, discrepancies }
}

function problemsOfRun(log: readonly StoredEvent[], record: RunRecord | undefined): readonly Discrepancy[] {
  const about = `run ${record?.runId ?? log[0]?.correlationId}`
  const problems = [
    ...gapsIn(log),
    ...problemsInLog(log),
    ...(record && !isSameButMasked({ ...record.status }, { ...statusOf(log) })
      ? ['its status is not what its log folds to']
      : []),
  ]
  return problems.map((problem) => ({ about, problem }))
}

function gapsIn(log: readonly StoredEvent[]): readonly string[] {
  const at = log.findIndex(({ position }, i) => position !== i + 1)
  return at < 0 ? [] : [`its log has a gap before position ${log[at]?.position}`]
}

async function problemsOfThread(
  threadId: string,
  turns: readonly (readonly StoredEvent[])[],
  { graph, messageWindow }: TransferParts,
): Promise<readonly Discrepancy[]> {
  const last = statusOf(turns.at(-1) ?? []).state
  // Of a turn that failed or goes on, the state holds as much as was reached.
  if (last !== 'completed' && last !== 'clarification_needed') return []
  const { values } = await graph().getState({ configurable: { thread_id: threadId } })
  // A thread that was reset has no state until it is asked again.
  if (Object.keys(values).length === 0) return []
  const [expected, found] = [threadStateOf(turns, messageWindow), values as ThreadState]
  const differing = fields.filter((field) => !isSameButMasked(plain(expected[field]), plain(found[field])))
  return differing.map((field) => ({ about: `thread ${threadId}`, problem: `its ${field} is not what its log tells` }))
}

const fields = [
  'messages',
  'clarificationNeeded',
  'clarificationCount',
  'missingContext',
  'standaloneQuestion',
  'finalAnswer',
  'confidenceScore',
  'citations',
  'unsupported',
] as const satisfies readonly (keyof ThreadState)[]

/** Messages by who said what; everything else as it is. */
function plain(value: ThreadState[(typeof fields)[number]]): unknown {
  if (!Array.isArray(value)) return value
  return value.map((each: unknown) => (isMessage(each) ? [each.getType(), each.text] : each))
}

function isMessage(value: unknown): value is BaseMessage {
  return typeof value === 'object' && value !== null && 'getType' in value
}

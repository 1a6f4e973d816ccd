import { isDeepStrictEqual } from 'node:util'
import type { BaseMessage } from '@langchain/core/messages'
import { asError } from '../../errors.ts'
import { type Event, hasEnded, type RunRecord, type StoredEvent, statusOf } from '../../events/index.ts'
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
    ...strayEventsIn(log),
    ...unendedSpansIn(log),
    ...(record && !isDeepStrictEqual({ ...record.status }, { ...statusOf(log) })
      ? ['its status is not what its log folds to']
      : []),
  ]
  return problems.map((problem) => ({ about, problem }))
}

function gapsIn(log: readonly StoredEvent[]): readonly string[] {
  const at = log.findIndex(({ position }, i) => position !== i + 1)
  return at < 0 ? [] : [`its log has a gap before position ${log[at]?.position}`]
}

/** Every event but the first leads to `run.created`. */
function strayEventsIn(log: readonly Event[]): readonly string[] {
  const known = new Set<string>()
  const stray = log.filter(({ id, type, causationId }) => {
    known.add(id)
    return (
      type !== 'run.created' && type !== 'cancel.requested' && (causationId === undefined || !known.has(causationId))
    )
  })
  return stray.map(({ type, id }) => `${type} (${id}) belongs to nothing before it`)
}

/** A run that has ended leaves no span open, and ends none twice. */
function unendedSpansIn(log: readonly Event[]): readonly string[] {
  const endings = new Map<string, number>()
  for (const { type, causationId } of log) {
    if (!/\.(completed|failed|interrupted)$/.test(type) || type === 'message.completed' || !causationId) continue
    endings.set(causationId, (endings.get(causationId) ?? 0) + 1)
  }
  const spans = log.filter(({ type }) => type.endsWith('.started'))
  const isOver = hasEnded(statusOf(log).state)
  return spans.flatMap(({ id, type }) => {
    const count = endings.get(id) ?? 0
    if (count > 1) return [`${type} (${id}) has ${count} endings`]
    return count === 0 && isOver ? [`${type} (${id}) has no ending`] : []
  })
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
  const differing = fields.filter((field) => !isDeepStrictEqual(plain(expected[field]), plain(found[field])))
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

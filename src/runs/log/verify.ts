import { isBaseMessage } from '@langchain/core/messages'
import { asError } from '../../errors.ts'
import { type Event, hasEnded, type RunRecord, type StoredEvent, statusOf } from '../../events/index.ts'
import { type TransferParts, turnsOf } from './read-log.ts'
import { type ThreadState, threadStateOf } from './thread-state.ts'

/** A fault in the stored data; `about` names the run or thread. */
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
  const problems = [...problemsInLog(log)]
  const gap = log.find(({ position }, i) => position !== i + 1)
  if (gap) problems.unshift(`its log has a gap before position ${gap.position}`)
  if (record && !isSameButMasked(record.status, statusOf(log))) problems.push('its status differs from its log')
  return problems.map((problem) => ({ about, problem }))
}

async function problemsOfThread(
  threadId: string,
  turns: readonly (readonly StoredEvent[])[],
  { graph, messageWindow }: TransferParts,
): Promise<readonly Discrepancy[]> {
  const last = statusOf(turns.at(-1) ?? []).state
  // The state of any other turn is incomplete.
  if (last !== 'completed' && last !== 'clarification_needed') return []
  const { values } = await graph().getState({ configurable: { thread_id: threadId } })
  // A thread that was reset has no state until it is asked again.
  if (Object.keys(values).length === 0) return []
  const expected = threadStateOf(turns, messageWindow)
  const differing = fields.filter((field) => !isSameButMasked(plain(expected[field]), plain(values[field])))
  return differing.map((field) => ({ about: `thread ${threadId}`, problem: `its ${field} differs from its log` }))
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

/** Messages by role and text; other values unchanged. */
function plain(value: unknown): unknown {
  if (!Array.isArray(value)) return value
  return value.map((each: unknown) => (isBaseMessage(each) ? [each.type, each.text] : each))
}

/**
 * True if two values of plain data are equal except for masked characters: a log written before a key was configured
 * keeps the key, while the state derived from the log does not.
 */
export function isSameButMasked(one: unknown, other: unknown): boolean {
  if (typeof one === 'string' && typeof other === 'string') {
    return (
      one.length === other.length && !Array.from(one).some((c, i) => c !== other[i] && c !== '*' && other[i] !== '*')
    )
  }
  if (typeof one !== 'object' || typeof other !== 'object' || !one || !other) return Object.is(one, other)
  const others = new Map<string, unknown>(Object.entries(other))
  const entries = Object.entries(one)
  return entries.length === others.size && entries.every(([name, value]) => isSameButMasked(value, others.get(name)))
}

/** Violations of the rules that every run's log follows; none if the log is whole. */
export function problemsInLog(log: readonly Event[]): readonly string[] {
  return [
    ...beginningsIn(log),
    ...strayEventsIn(log),
    ...oddEndingsIn(log),
    ...unendedSpansIn(log),
    ...eventsAfterTheEnd(log),
    ...missingMessagesIn(log),
  ]
}

const ending = /^(\w+)\.(?:completed|failed|interrupted)$/

function endingsIn(log: readonly Event[]): readonly Event[] {
  return log.filter(({ type }) => ending.test(type) && type !== 'message.completed')
}

function beginningsIn(log: readonly Event[]): readonly string[] {
  const count = log.filter(({ type }) => type === 'run.created').length
  if (count === 1 && log[0]?.type === 'run.created') return []
  return [`it has ${count} events "run.created", and begins with "${log[0]?.type}"`]
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

/** An ending ends a span of its own kind. */
function oddEndingsIn(log: readonly Event[]): readonly string[] {
  const types = new Map(log.map(({ id, type }): [string, string] => [id, type]))
  return endingsIn(log).flatMap(({ type, id, causationId = '' }) =>
    types.get(causationId) === `${ending.exec(type)?.[1]}.started` ? [] : [`${type} (${id}) ends nothing`],
  )
}

/** A run that has ended leaves no span open, and ends none twice. */
function unendedSpansIn(log: readonly Event[]): readonly string[] {
  const endings = new Map<string, number>()
  for (const { causationId = '' } of endingsIn(log)) endings.set(causationId, (endings.get(causationId) ?? 0) + 1)
  const spans = log.filter(({ type }) => type.endsWith('.started'))
  const isOver = hasEnded(statusOf(log).state)
  return spans.flatMap(({ id, type }) => {
    const count = endings.get(id) ?? 0
    if (count > 1) return [`${type} (${id}) has ${count} endings`]
    return count === 0 && isOver ? [`${type} (${id}) has no ending`] : []
  })
}

/** A request to cancel may come just after the end. */
function eventsAfterTheEnd(log: readonly Event[]): readonly string[] {
  const end = log.findIndex(({ type }) => type === 'run.completed' || type === 'run.failed')
  if (end < 0) return []
  const after = log.slice(end + 1).filter(({ type }) => type !== 'cancel.requested')
  return after.map(({ type, id }) => `${type} (${id}) comes after the end`)
}

/** A completed run holds the question, and the end of every message that its last attempt began. */
function missingMessagesIn(log: readonly Event[]): readonly string[] {
  if (!log.some(({ type }) => type === 'run.completed')) return []
  const completed = log.flatMap((event) => (event.type === 'message.completed' ? [event.payload] : []))
  const isAsked = completed.some(({ role, scope }) => role === 'user' && scope === 'thread')
  const ended = new Set(completed.map(({ messageId }) => messageId))
  const lastAttempt = log.slice(log.findLastIndex(({ type }) => type === 'run.started'))
  const open = lastAttempt.flatMap((event) =>
    event.type === 'message.created' && !ended.has(event.payload.messageId) ? [event.payload.messageId] : [],
  )
  return [...(isAsked ? [] : ['it holds no question']), ...open.map((id) => `the message ${id} has no end`)]
}

import { isBaseMessage } from '@langchain/core/messages'
import { asError } from '../../errors.ts'
import { type Event, hasEnded, type RunRecord, type StoredEvent, statusOf } from '../../events/index.ts'
import { type TransferParts, turnsOf } from './read-log.ts'
import { threadStateOf } from './thread-state.ts'

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
  const threads = await storage.threads.list()
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
  const state = new Map<string, unknown>(Object.entries(values))
  const expected = Object.entries(threadStateOf(turns, messageWindow))
  const differing = expected.filter(([field, value]) => !isSameButMasked(plain(value), plain(state.get(field))))
  return differing.map(([field]) => ({ about: `thread ${threadId}`, problem: `its ${field} differs from its log` }))
}

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
  return [...misplacedIn(log), ...oddEndingsIn(log), ...missingMessagesIn(log)]
}

/** A log begins with `run.created`, to which every event leads, and nothing follows the end of its run. */
function misplacedIn(log: readonly Event[]): readonly string[] {
  const known = new Set<string>()
  const end = log.findIndex(({ type }) => type === 'run.completed' || type === 'run.failed')
  const isFree = (type: Event['type'], at: number) => (at === 0 ? type === 'run.created' : type === 'cancel.requested')
  return log.flatMap(({ id, type, causationId = '' }, at) => {
    known.add(id)
    // The first event, and a request to cancel, belong to nothing; the request may come just after the end.
    if (isFree(type, at)) return []
    if (!known.has(causationId)) return [`${type} (${id}) belongs to nothing before it`]
    return end >= 0 && at > end ? [`${type} (${id}) comes after the end`] : []
  })
}

const ending = /^(?!message)(\w+)\.(?:completed|failed|interrupted)$/

/** An ending ends a span of its own kind; no span ends twice, and a run that has ended leaves none open. */
function oddEndingsIn(log: readonly Event[]): readonly string[] {
  const isOver = hasEnded(statusOf(log).state)
  const types = new Map(log.map(({ id, type }): [string, string] => [id, type]))
  const endings = log.filter(({ type }) => ending.test(type))
  const stray = endings.filter(
    ({ type, causationId = '' }) => types.get(causationId) !== type.replace(ending, '$1.started'),
  )
  const counts = new Map<string | undefined, number>()
  for (const { causationId } of endings) counts.set(causationId, (counts.get(causationId) ?? 0) + 1)
  const spans = log.filter(({ type }) => type.endsWith('.started'))
  return [
    ...stray.map(({ type, id }) => `${type} (${id}) ends nothing`),
    ...spans.flatMap(({ id, type }) => {
      const count = counts.get(id) ?? 0
      return count > 1 || (count === 0 && isOver) ? [`${type} (${id}) has ${count} endings`] : []
    }),
  ]
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

import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { AlreadyExists, asError, ImportInvalid, RunUnfinished, UsageError } from '../../errors.ts'
import {
  createdIn,
  type Event,
  hasEnded,
  type KeptScore,
  newEventId,
  parseEvent,
  type RunRecord,
  type Score,
  type StoredEvent,
  score,
  statusOf,
} from '../../events/index.ts'
import { checkIdentifier, type Storage } from '../../storage/index.ts'
import { checkedHere } from './checked-here.ts'
import { liveStatus, type TransferParts, turnsOf } from './read-log.ts'
import { asUpdate, threadStateOf } from './thread-state.ts'
import { problemsInLog } from './verify.ts'

export interface ForkOptions {
  /** The last turn that the new thread has; the latest if absent. */
  readonly at?: number
  /** The new thread's id; one is made if absent. */
  readonly as?: string
}

/** Copies a thread's turns into a new thread, as `Threads.fork` says. */
export async function forkThread(
  turns: readonly (readonly StoredEvent[])[],
  { at = turns.length, as = randomUUID() }: ForkOptions,
  parts: TransferParts,
): Promise<string> {
  const threadId = checkIdentifier('thread', as)
  if (!Number.isInteger(at) || at < 1 || at > turns.length) {
    throw new UsageError(`The thread has the turns 1 to ${turns.length}; name one of them, not ${at}`)
  }
  const copies: { readonly log: readonly Event[]; readonly scores: readonly KeptScore[] }[] = []
  for (const log of turns.slice(0, at)) {
    const original = createdIn(log).correlationId
    await requireTurnEnded(original, log, parts.storage)
    const to = { runId: randomUUID(), threadId, turn: copies.length + 1 }
    copies.push({ log: copyRun(log, to), scores: copiedScores(await parts.storage.scores.of(original), to.runId) })
  }
  const scores = copies.flatMap((copy) => copy.scores)
  await adopt(threadId, { turns: copies.map(({ log }) => log), scores }, parts)
  return threadId
}

/** A run's scores as they follow its log when it is exported. */
export function exportScores(scores: readonly KeptScore[]): readonly { readonly score: Score }[] {
  return scores.map(({ delivery: _, ...said }) => ({ score: said }))
}

/**
 * Stores a run's log, one event a line, and its scores. Throws `ImportInvalid` with the line for a log that is not whole,
 * `AlreadyExists`. Its quotes are looked up in this library.
 */
export async function importRun(
  text: string,
  parts: TransferParts,
): Promise<{ readonly runId: string; readonly threadId: string }> {
  if (typeof text !== 'string') throw new ImportInvalid('What is imported is the text of a log, one event a line')
  const { log, scores } = readExport(text)
  const created = log[0]
  if (created?.type !== 'run.created') throw new ImportInvalid('Line 1 is not the event "run.created" of a run')
  const { state } = statusOf(log)
  if (!hasEnded(state)) throw endsEarly(log.length + scores.length)
  const [problem] = problemsInLog(log)
  if (problem !== undefined) throw new ImportInvalid(`The log is not that of a whole run: ${problem}`)
  const { threadId, turn } = created.payload
  checkIdentifier('run', created.correlationId)
  checkIdentifier('thread', threadId)
  const known = await turnsOf(threadId, parts.storage)
  if (known.some((turn) => createdIn(turn).correlationId === created.correlationId)) {
    throw new AlreadyExists(`Run ${created.correlationId} is here already, as a turn of thread "${threadId}".`)
  }
  if (known.length !== turn - 1) {
    const has = known.length === 0 ? 'none' : `${known.length}`
    throw new AlreadyExists(
      `The log is turn ${turn} of thread "${threadId}", which has ${has} here. Import its turns in order, into a library without that thread.`,
    )
  }
  const said = copiedScores(scores, created.correlationId)
  const turns = [...known, await checkedHere(log, parts.storage)]
  await adopt(threadId, { turns, scores: said }, parts, known.length)
  return { runId: created.correlationId, threadId }
}

/** Stores all runs or none, then the thread's state. */
async function adopt(
  threadId: string,
  { turns, scores }: { readonly turns: readonly (readonly Event[])[]; readonly scores: readonly KeptScore[] },
  { storage, graph, messageWindow, sessionLogs }: TransferParts,
  known = 0,
): Promise<void> {
  const [holder, latest] = [await storage.leases.holder(threadId), await storage.events.latestRun(threadId)]
  if (holder || (known === 0 && latest)) throw new AlreadyExists(`There is a thread "${threadId}" already`)
  const last = turns.at(-1) ?? []
  const state = threadStateOf(turns, messageWindow)
  const runId = createdIn(last).correlationId
  const config = { configurable: { thread_id: threadId } }
  const agent = state.clarificationNeeded ? 'clarification' : 'synthesis'
  await storage.importRuns(turns.slice(known), scores)
  await graph().updateState(config, { ...asUpdate(state, last, runId, threadId), lastAgent: agent }, agent)
  await sessionLogs?.refresh(threadId)
}

/** The scores of a copy are not sent: only the original run has a trace. */
function copiedScores(scores: readonly Score[], runId: string): readonly KeptScore[] {
  return scores.map((said) => ({ ...said, runId, delivery: 'local' }))
}

function readExport(text: string): { readonly log: readonly StoredEvent[]; readonly scores: readonly Score[] } {
  const lines = text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
  const values = lines.map((line, i) => readJson(line, i + 1, lines.length))
  const events = values.filter((_, i) => !lines[i]?.startsWith('{"score":'))
  return {
    log: readLog(events),
    scores: values.slice(events.length).map((value, i) => readScore(value, events.length + i + 1)),
  }
}

/** Characters: twice what a model's answer may have by default. */
const longestLine = 16_000_000

function readJson(line: string, number: number, last: number): unknown {
  if (line.length > longestLine) {
    throw new ImportInvalid(
      `Line ${number} has ${line.length} characters, and a line may have ${longestLine}: it is no event of a run. Export the run again with "quaero runs export".`,
    )
  }
  try {
    return JSON.parse(line)
  } catch (cause) {
    if (number === last && last > 1) throw endsEarly(last)
    throw new ImportInvalid(`Line ${number} is not an event of a log: it is not JSON`, { cause })
  }
}

function endsEarly(line: number): ImportInvalid {
  return new ImportInvalid(
    `The file ends early, at line ${line}: the rest of the log is missing. Once the run has ended, export it again with "quaero runs export".`,
  )
}

function readScore(value: unknown, number: number): Score {
  const { data } = exportedScore.safeParse(value)
  if (data) return data.score
  throw new ImportInvalid(`Line ${number} is not a score of a run`)
}

const exportedScore = z.strictObject({ score })

function readLog(values: readonly unknown[]): readonly StoredEvent[] {
  const log = values.map((value, i) => readEvent(value, i + 1))
  const runId = log[0]?.correlationId
  const before = new Set<string>()
  log.forEach(({ id, correlationId, position }, i) => {
    const line = `Line ${i + 1}`
    if (correlationId !== runId) throw new ImportInvalid(`${line} belongs to another run`)
    if (position !== i + 1) throw new ImportInvalid(`${line} has position ${position}; the log has a gap`)
    if (before.has(id)) throw new ImportInvalid(`${line} has the id of an earlier one`)
    before.add(id)
  })
  return log
}

function readEvent(value: unknown, number: number): StoredEvent {
  try {
    const event = parseEvent(value)
    if (!isStored(event)) throw new ImportInvalid('it has no position')
    return event
  } catch (error) {
    throw new ImportInvalid(`Line ${number} is not an event of a log: ${asError(error).message}`, { cause: error })
  }
}

function isStored(event: Event): event is StoredEvent {
  return 'position' in event
}

/** For a turn of this storage, whose leases say whether it is still worked on. */
async function requireTurnEnded(runId: string, log: readonly StoredEvent[], storage: Storage): Promise<void> {
  if (hasEnded(statusOf(log).state)) return
  const { status } = await liveStatus(await storage.events.run(runId), storage)
  throw new RunUnfinished(`Run ${runId} has not ended (${status.state}). Resume or cancel it first.`)
}

type CopyTo = Pick<RunRecord, 'runId' | 'threadId' | 'turn'>

/** A run's log under another run, thread and turn: all ids are new, and refer to each other as before. */
function copyRun(log: readonly StoredEvent[], to: CopyTo): readonly Event[] {
  const ids = new Map<string, string>(log.map(({ id }) => [id, newEventId()]))
  return log.map(({ position: _, ...event }) => {
    const { id, causationId, correlationId: from } = event
    const payload = event.type === 'run.created' ? creationFor(event, to) : renamed(event.payload, from, to.runId)
    const cause = causationId === undefined ? {} : { causationId: ids.get(causationId) ?? causationId }
    return parseEvent({ ...event, id: ids.get(id) ?? id, ...cause, correlationId: to.runId, payload })
  })
}

function creationFor({ payload, correlationId }: Event<'run.created'>, { threadId, turn }: CopyTo) {
  const copiedFrom = payload.copiedFrom ?? { threadId: payload.threadId, runId: correlationId }
  const { traceAttributes: _, traceParent: _parent, ...kept } = payload
  return { ...kept, threadId, turn, copiedFrom }
}

/** Messages are named after their run. */
function renamed<T>(payload: T, from: string, to: string): T {
  if (typeof payload !== 'object' || payload === null || !('messageId' in payload)) return payload
  const { messageId } = payload
  if (typeof messageId !== 'string' || !messageId.startsWith(`${from}-`)) return payload
  return { ...payload, messageId: to + messageId.slice(from.length) }
}

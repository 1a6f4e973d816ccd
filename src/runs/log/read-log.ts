import {
  createdIn,
  type Event,
  newEventId,
  parseEvent,
  type RunFilter,
  type RunRecord,
  type RunStatus,
  type StoredEvent,
  statusOf,
} from '../../events/index.ts'
import type { Graph } from '../../graph/index.ts'
import type { Storage } from '../../storage/index.ts'
import type { SessionLogs } from '../../tracing/index.ts'

/** What is needed to read, copy, import and check stored runs. */
export interface TransferParts {
  readonly storage: Storage
  readonly graph: () => Graph
  /** How many messages a thread's state keeps. */
  readonly messageWindow: number
  /** null, or absent, where none are kept. */
  readonly sessionLogs?: SessionLogs | null
  /** Where a run's trace can be looked at; null, or absent, if nowhere. */
  readonly traceUrl?: (runId: string, traceParent?: string) => string | null
}

/** Where the trace of a log's run can be looked at. */
export function traceUrlOf(log: readonly Event[], { traceUrl }: Pick<TransferParts, 'traceUrl'>): string | null {
  const { correlationId, payload } = createdIn(log)
  return traceUrl?.(correlationId, payload.traceParent) ?? null
}

type Events = Pick<Storage, 'events'>

/** A run's log; empty for a run that is not stored. */
export async function logOf(runId: string, { events }: Events): Promise<readonly StoredEvent[]> {
  const log: StoredEvent[] = []
  for await (const event of events.read(runId)) log.push(event)
  return log
}

/** The event with which a run's log begins. Throws `RunNotFound`. */
export async function creationOf(runId: string, { events }: Events): Promise<Event<'run.created'>> {
  const log: StoredEvent[] = []
  for await (const event of events.read(runId, 0, 1)) log.push(event)
  return createdIn(log)
}

/** The logs of a thread's runs one by one, in the order of turns. */
export async function* logsOf(threadId: string, storage: Events): AsyncGenerator<readonly StoredEvent[]> {
  for (const { runId } of await storage.events.runs({ threadId })) yield await logOf(runId, storage)
}

/** The same logs in one list. */
export async function turnsOf(threadId: string, storage: Events): Promise<readonly (readonly StoredEvent[])[]> {
  const runs = await storage.events.runs({ threadId })
  return Promise.all(runs.map(({ runId }) => logOf(runId, storage)))
}

/** Runs whose records are read together. */
const runsAtOnce = 200

/** The logs of those runs that are wanted, the newest first, each with how many runs come up to it; few are in memory at once. */
export async function* newestLogs(
  { offset: from = 0, ...filter }: Omit<RunFilter, 'limit'>,
  isWanted: (run: RunRecord) => boolean,
  { events }: Events,
): AsyncGenerator<{ readonly log: readonly StoredEvent[]; readonly end: number }> {
  // A run that begins meanwhile moves the others to the next page.
  const seen = new Set<string>()
  for (let offset = from; ; offset += runsAtOnce) {
    const runs = (await events.runs({ ...filter, limit: runsAtOnce, offset })).toReversed()
    const ends = new Map(runs.map((run, at) => [run.runId, { run, end: offset + at + 1 }]))
    const wanted = [...ends.values()].flatMap(({ run }) => (isWanted(run) && !seen.has(run.runId) ? [run.runId] : []))
    for await (const log of events.logs(wanted)) {
      const { correlationId } = createdIn(log)
      seen.add(correlationId)
      yield { log, end: ends.get(correlationId)?.end ?? offset }
    }
    if (runs.length < runsAtOnce) return
  }
}

/** True while a process works on the run, or it waits for one in a queue. */
export async function isTakenCareOf(
  { runId, threadId }: Pick<RunRecord, 'runId' | 'threadId'>,
  { leases, queue }: Pick<Storage, 'leases' | 'queue'>,
): Promise<boolean> {
  return (await leases.holder(threadId))?.runId === runId || (await queue?.has(runId)) === true
}

/** The run's record, `interrupted` where its log shows it at work but nobody takes care of it. */
export async function liveStatus(record: RunRecord, storage: Storage): Promise<RunRecord> {
  const { runId } = record
  if (!isAtWork(record.status) || (await isTakenCareOf(record, storage))) return record
  // A run releases its thread after its end is logged, which may have happened since the record was read.
  const latest = await storage.events.run(runId)
  return isAtWork(latest.status) ? { ...latest, status: { ...latest.status, state: 'interrupted' } } : latest
}

/** The same for many, which are looked up together. */
export async function liveStatuses(records: readonly RunRecord[], storage: Storage): Promise<readonly RunRecord[]> {
  const atWork = records.flatMap(({ runId, status }) => (isAtWork(status) ? [runId] : []))
  if (atWork.length === 0) return records
  const [held, queued = []] = await Promise.all([storage.leases.heldOf(atWork), storage.queue?.queuedOf(atWork)])
  const cared = new Set([...held, ...queued])
  return Promise.all(records.map((each) => (cared.has(each.runId) ? each : liveStatus(each, storage))))
}

function isAtWork({ state }: RunStatus): boolean {
  return state === 'queued' || state === 'running' || state === 'cancelling'
}

/** Endings for the spans that a dead process left open in a run's log, innermost first. */
export function closeWhatCrashed(log: readonly Event[]): readonly Event[] {
  return [...statusOf(log).activity].reverse().map(({ id, kind }) => {
    const opened = log.find((event) => event.id === id)
    return parseEvent({
      id: newEventId(),
      type: `${kind}.interrupted`,
      timestamp: new Date().toISOString(),
      ...(opened?.agent && { agent: opened.agent }),
      correlationId: opened?.correlationId ?? '',
      causationId: id,
      payload: { reason: 'crashed' },
    })
  })
}

import { join } from 'node:path'
import type { Config } from '../config.ts'
import type { Credentials } from '../credentials/credentials.ts'
import type { Event, Subscriber } from '../events/index.ts'
import { logOf, logsOf } from '../runs/log/read-log.ts'
import { RunScores } from '../runs/log/scores.ts'
import type { Storage } from '../storage/storage.ts'
import type { Tracing } from '../tracing/otel/open-tracing.ts'
import { textFormat, yamlFormat } from '../tracing/session-format.ts'
import { type SessionLogs, sessionLogs } from '../tracing/session-logs.ts'
import { assembleTracing } from './assemble-tracing.ts'

export interface WatcherParts {
  readonly config: Config
  readonly dataDir: string
  readonly credentials: Credentials
  readonly storage: Storage
  readonly onNotice: (message: string) => void
}

/** The subscribers of all runs apart from a caller's own, and their stores. */
export interface Watchers {
  readonly subscribers: readonly Subscriber[]
  readonly sessionLogs: SessionLogs | null
  readonly scores: RunScores
  readonly isTraced: boolean
}

/** Session logs, traces and scores by the settings and the environment. Throws `ConfigInvalid`. */
export async function assembleWatchers(parts: WatcherParts): Promise<Watchers> {
  const { config, credentials, storage, onNotice } = parts
  const tracing = await assembleTracing(config, onNotice)
  const logs = sessionLogsOf(parts)
  const scores = new RunScores({ storage, langfuse: tracing?.scores ?? null, mask: credentials.mask })
  const traces = tracing && traceSubscriber(tracing, (runId) => createdOf(runId, storage))
  const subscribers = [logs?.subscriber, traces, scores.subscriber()].filter((each) => each != null)
  return { subscribers, sessionLogs: logs, scores, isTraced: tracing !== null }
}

/** In a few words, for the log of the engine's start. */
export function describeWatchers({ sessionLogs, isTraced }: Watchers): string {
  const logs = sessionLogs ? `session logs in ${sessionLogs.folder}` : 'no session logs'
  return isTraced ? `${logs}, traces` : logs
}

async function createdOf(runId: string, { events }: Storage): Promise<Event<'run.created'> | null> {
  // A log begins with it.
  for await (const event of events.read(runId, 0, 1)) if (event.type === 'run.created') return event
  return null
}

/** null for a data directory in memory, and where the settings turn them off. */
function sessionLogsOf({ config, dataDir, storage, onNotice }: WatcherParts): SessionLogs | null {
  const { text, yaml, folder } = config.settings.sessionLogs
  const formats = [...(text ? [textFormat] : []), ...(yaml ? [yamlFormat] : [])]
  if (dataDir === ':memory:' || formats.length === 0) return null
  return sessionLogs({
    folder: folder ?? join(dataDir, 'sessions'),
    formats,
    logOf: (runId) => logOf(runId, storage),
    logsOf: (threadId) => logsOf(threadId, storage),
    onNotice,
  })
}

type Created = Event<'run.created'>

/** Passes the events of runs to a tracer. `createdOf` finds the first event of a run that an earlier attempt began. */
export function traceSubscriber(
  tracing: Pick<Tracing, 'tracer' | 'close'>,
  createdOf: (runId: string) => Promise<Created | null>,
): Subscriber {
  const beginnings = new Map<string, Promise<Created | null>>()
  let traced: Promise<void> = Promise.resolve()
  const subscriber: Subscriber = (line) => {
    const { runId } = line
    if (line.type === 'run.created') beginnings.set(runId, Promise.resolve(line))
    if (line.type === 'run.started' && !beginnings.has(runId)) beginnings.set(runId, createdOf(runId))
    const beginning = beginnings.get(runId)
    // What the engine does between runs belongs to no trace.
    if (!beginning) return undefined
    if (endings.has(line.type)) beginnings.delete(runId)
    traced = traced.then(async () => {
      const created = await beginning
      if (created) tracing.tracer(line, created)
    })
    return traced
  }
  return Object.assign(subscriber, {
    async flush() {
      await traced.catch(() => {})
      await tracing.close()
    },
  })
}

const endings: ReadonlySet<string> = new Set(['run.completed', 'run.failed', 'run.interrupted'])

import { join } from 'node:path'
import type { Config } from '../config.ts'
import type { Credentials } from '../credentials/credentials.ts'
import type { Subscriber } from '../events/index.ts'
import { logOf, logsOf } from '../runs/log/read-log.ts'
import { RunScores } from '../runs/log/scores.ts'
import type { Storage } from '../storage/storage.ts'
import { textFormat, yamlFormat } from '../tracing/session-format.ts'
import { type SessionLogOptions, type SessionLogs, sessionLogs } from '../tracing/session-logs.ts'
import { assembleTracing } from './assemble-tracing.ts'
import { traceSubscriber } from './trace-subscriber.ts'

export interface WatcherParts {
  readonly config: Config
  readonly dataDir: string
  readonly credentials: Credentials
  readonly storage: Storage
  readonly onNotice: (message: string) => void
  readonly endingLog: NonNullable<SessionLogOptions['endingLog']>
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
  const tracing = assembleTracing(config, onNotice)
  const logs = sessionLogsOf(parts)
  const scores = new RunScores({ storage, langfuse: tracing?.scores ?? null, mask: credentials.mask })
  const traces = tracing && traceSubscriber(tracing.traces, (runId) => logOf(runId, storage))
  const subscribers = [logs?.subscriber, traces, scores.subscriber()].filter((each) => each != null)
  return { subscribers, sessionLogs: logs, scores, isTraced: tracing !== null }
}

/** In a few words, for the log of the engine's start. */
export function describeWatchers({ sessionLogs, isTraced }: Watchers): string {
  const logs = sessionLogs ? `session logs in ${sessionLogs.folder}` : 'no session logs'
  return isTraced ? `${logs}, traces` : logs
}

/** null for a data directory in memory, and where the settings turn them off. */
function sessionLogsOf({ config, dataDir, storage, endingLog, onNotice }: WatcherParts): SessionLogs | null {
  const { text, yaml, folder } = config.settings.sessionLogs
  const formats = [...(text ? [textFormat] : []), ...(yaml ? [yamlFormat] : [])]
  if (dataDir === ':memory:' || formats.length === 0) return null
  return sessionLogs({
    folder: folder ?? join(dataDir, 'sessions'),
    formats,
    logOf: (runId) => logOf(runId, storage),
    endingLog,
    logsOf: (threadId) => logsOf(threadId, storage),
    onNotice,
  })
}

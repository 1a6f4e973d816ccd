import { UsageError } from '../../errors.ts'
import type { Event } from '../../events/index.ts'
import type { Storage } from '../../storage/storage.ts'
import { sessionText, type ThreadLogs } from '../../tracing/session-file.ts'
import { sessionFormats } from '../../tracing/session-format.ts'
import type { SessionLogs } from '../../tracing/session-logs.ts'
import { collect } from '../attempt/graph-calls.ts'

export type SessionLogFormat = keyof typeof sessionFormats

/** What became of writing all session logs anew. */
export interface RebuiltLogs {
  readonly folder: string
  /** Threads whose files were written. */
  readonly threads: number
  /** Threads that a run is at work on; their files follow when it ends. */
  readonly busy: readonly string[]
}

/** A thread's session log as text, from the event log alone. Throws `UsageError` for a format that there is not. */
export function logOfThread(threadId: string, format: SessionLogFormat, storage: Storage): AsyncIterable<string> {
  if (!Object.hasOwn(sessionFormats, format)) {
    throw new UsageError(`There is no session log as "${format}"; there is ${Object.keys(sessionFormats).join(', ')}`)
  }
  return sessionText(sessionFormats[format], threadId, logsOf(threadId, storage))
}

/** Writes the files of every thread anew. Throws `UsageError` where none are kept, `StorageUnavailable`. */
export async function rebuildAll(logs: SessionLogs | null, storage: Storage): Promise<RebuiltLogs> {
  if (!logs) {
    throw new UsageError('No session logs are kept: sessionLogs is switched off, or the data directory is ":memory:"')
  }
  const busy: string[] = []
  const threads = await storage.events.threads()
  for (const { threadId } of threads) {
    if (await storage.leases.holder(threadId)) busy.push(threadId)
    else await logs.rebuild(threadId)
  }
  return { folder: logs.folder, threads: threads.length - busy.length, busy }
}

/** The logs of a thread's runs, in the order of its turns. */
export async function* logsOf(threadId: string, storage: Storage): ThreadLogs {
  for (const { runId } of await storage.events.runs({ threadId })) yield await logOf(runId, storage)
}

/** A run's log; empty for a run that is not there. */
export function logOf(runId: string, { events }: Storage): Promise<readonly Event[]> {
  return collect(events.read(runId))
}

import { z } from 'zod'
import { InvalidId, ThreadNotFound, UsageError } from '../../errors.ts'
import type { Calculation, Citation, StoredEvent, ThreadRecord, Unsupported } from '../../events/index.ts'
import { checkOptions } from '../../options.ts'
import { checkIdentifier } from '../../storage/identifier.ts'
import type { Storage } from '../../storage/storage.ts'
import { sessionText } from '../../tracing/session-file.ts'
import { sessionFormats } from '../../tracing/session-format.ts'
import type { SessionLogs } from '../../tracing/session-logs.ts'
import { logsOf, type TransferParts, turnsOf } from './read-log.ts'
import { answerIn, isAnswer } from './result.ts'
import { type ForkOptions, forkThread } from './transfer.ts'

export interface ThreadMessage {
  readonly role: 'user' | 'assistant'
  readonly content: string
  readonly runId: string
  /** ISO 8601. */
  readonly createdAt: string
  /** For an assistant's message: the footnotes that its markers `[1]` name. */
  readonly citations?: readonly Citation[]
  readonly calculations?: readonly Calculation[]
  /** What was written and could not be verified. */
  readonly unsupported?: readonly Unsupported[]
  /** True for a message that a hook added. */
  readonly added?: true
}

/** Conversations. Every method that names a thread throws `ThreadNotFound` or `InvalidId`; `exists` only the latter. */
export interface Threads {
  /** Latest activity first. */
  list(): Promise<readonly ThreadRecord[]>
  /** The ids of all threads, oldest first. */
  ids(): Promise<readonly string[]>
  exists(threadId: string): Promise<boolean>
  /** The whole transcript, from the log: one human and one AI message for each finished turn. */
  messages(threadId: string): Promise<readonly ThreadMessage[]>
  /** The graph's state as the last checkpoint holds it. */
  state(threadId: string): Promise<Readonly<Record<string, unknown>>>
  /**
   * Copies the turns up to `at` (all, if absent) into a new, independent thread; returns its id. Throws `RunUnfinished`
   * while one of them has not ended, `UsageError` for an unknown turn or option, `AlreadyExists`.
   */
  fork(threadId: string, options?: ForkOptions): Promise<string>
  /** Empties the conversation under the same id, keeping the log. Throws `ThreadBusy` while a run works on it. */
  reset(threadId: string): Promise<void>
  /** Its session log as text, piece by piece, from the event log; empty until a turn has ended or paused. */
  log(threadId: string, format?: SessionLogFormat): AsyncIterable<string>
  /** Writes the session logs of all threads again. Throws `UsageError` where none are kept, `StorageUnavailable`. */
  rebuildLogs(): Promise<RebuiltLogs>
  /** Removes the thread with its runs, events and session logs. Throws `ThreadBusy` while a run works on it. */
  delete(threadId: string): Promise<void>
}

// The turn and the id are checked against the thread, with messages of their own.
const forkOptions = z.strictObject({ at: z.unknown().optional(), as: z.unknown().optional() })

/** Conversations as the log and the checkpoints hold them. */
export function threadsIn(parts: TransferParts): Threads {
  const { storage, graph, sessionLogs = null } = parts
  const runsOf = async (threadId: string) => {
    const runs = await storage.events.runs({ threadId: checkIdentifier('thread', threadId) })
    if (runs.length > 0) return runs
    throw new ThreadNotFound(`There is no thread "${threadId}". "quaero threads list" shows those that exist.`)
  }
  return {
    list: () => storage.events.threads(),
    ids: () => storage.events.ids('thread'),
    exists: async (threadId) => (await storage.events.latestRun(checkIdentifier('thread', threadId))) !== null,
    async messages(threadId) {
      const messages: ThreadMessage[] = []
      await runsOf(threadId)
      for await (const log of logsOf(threadId, storage)) messages.push(...messagesIn(log))
      return messages
    },
    async state(threadId) {
      await runsOf(threadId)
      return (await graph().getState({ configurable: { thread_id: threadId } })).values
    },
    async fork(threadId, options = {}) {
      checkOptions('The options of the fork', forkOptions, options)
      await runsOf(threadId)
      return forkThread(await turnsOf(threadId, storage), options, parts)
    },
    async reset(threadId) {
      await runsOf(threadId)
      await storage.resetThread(threadId)
    },
    async *log(threadId, format = 'text') {
      await runsOf(threadId)
      if (!Object.hasOwn(sessionFormats, format)) {
        const known = Object.keys(sessionFormats).join(', ')
        throw new UsageError(`There is no session log as "${format}"; there is ${known}`)
      }
      yield* sessionText(sessionFormats[format], threadId, logsOf(threadId, storage))
    },
    rebuildLogs: () => rebuildAll(sessionLogs, storage),
    async delete(threadId) {
      await runsOf(threadId)
      await storage.deleteThread(threadId)
      await sessionLogs?.remove(threadId)
    },
  }
}

/** A thread id from either of its names. Throws `InvalidId` if they differ. */
export function threadIdFrom(options: { readonly threadId?: string; readonly sessionId?: string }): string | undefined {
  const { threadId, sessionId } = options
  if (threadId !== undefined && sessionId !== undefined && threadId !== sessionId) {
    throw new InvalidId(`threadId "${threadId}" and sessionId "${sessionId}" differ; give one, or the same twice.`)
  }
  const given = threadId ?? sessionId
  return given === undefined ? undefined : checkIdentifier('thread', given)
}

/**
 * The messages that a run adds to its thread's transcript. A run that was killed just after its answer answers again when
 * it is resumed: the last answer counts.
 */
export function messagesIn(log: readonly StoredEvent[]): ThreadMessage[] {
  const answer = answerIn(log)
  return log.flatMap((event) => {
    if (event.type !== 'message.completed' || event.payload.scope !== 'thread') return []
    const { role, text, citations, calculations, unsupported, added } = event.payload
    if ((role !== 'user' && role !== 'assistant') || (isAnswer(event) && event !== answer)) return []
    const { correlationId: runId, timestamp: createdAt } = event
    const notes = {
      ...(citations && { citations }),
      ...(calculations && { calculations }),
      ...(unsupported && { unsupported }),
    }
    return { role, content: text, runId, createdAt, ...notes, ...(added && { added }) }
  })
}

export type SessionLogFormat = keyof typeof sessionFormats

/** The result of writing all session logs again. */
export interface RebuiltLogs {
  readonly folder: string
  /** Threads whose files were written. */
  readonly threads: number
  /** Threads with a run at work; their files are written when it ends. */
  readonly busy: readonly string[]
}

async function rebuildAll(logs: SessionLogs | null, storage: Storage): Promise<RebuiltLogs> {
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

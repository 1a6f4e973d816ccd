import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { InvalidId, ThreadNotFound, UsageError } from '../../errors.ts'
import type {
  AnswerSentence,
  Calculation,
  Citation,
  Event,
  Imported,
  StoredEvent,
  ThreadFilter,
  ThreadRecord,
  Unsupported,
} from '../../events/index.ts'
import { checkOptions, count, type Shape } from '../../options.ts'
import { checkIdentifier, type Storage } from '../../storage/index.ts'
import { type SessionLogs, sessionFormats, sessionText } from '../../tracing/index.ts'
import { type Note, noteIn } from './note.ts'
import { logsOf, type TransferParts, turnsOf } from './read-log.ts'
import { answerIn, isAnswer } from './result.ts'
import { type ForkOptions, forkThread } from './transfer.ts'

export interface ThreadMessage {
  readonly role: 'user' | 'assistant'
  readonly content: string
  readonly runId: string
  /** For a question: the id that its client gave it. */
  readonly messageId?: string
  /** ISO 8601. */
  readonly createdAt: string
  /** For an assistant's message: the footnotes that its markers `[1]` name. */
  readonly citations?: readonly Citation[]
  readonly calculations?: readonly Calculation[]
  /** Which sentences of it are verified, quoted or unsupported. */
  readonly sentences?: readonly AnswerSentence[]
  /** What was written and could not be verified. */
  readonly unsupported?: readonly Unsupported[]
  /** True for a message that a hook added. */
  readonly added?: true
  /** Of an imported run's answer: how many of its quotes are not in this library. Its sentences were not checked here. */
  readonly imported?: Imported
  /** Of an answer: what a person wrote beside it. */
  readonly note?: Note | undefined
}

/** A thread that is made before its first question. */
export interface NewThread {
  /** `[A-Za-z0-9_-]{1,128}`; a new one is made if absent. */
  readonly threadId?: string
  /** 1 to 200 characters; its first question, if absent. */
  readonly title?: string
  readonly userId?: string
  /** Kept with the thread; as JSON at most 16,384 characters. */
  readonly metadata?: Readonly<Record<string, unknown>>
}

/** Conversations. Every method that names a thread throws `ThreadNotFound` or `InvalidId`; `exists` only the latter. */
export interface Threads {
  /** Latest activity first. Without those of the cells of tables, unless the filter says `except` itself. */
  list(filter?: ThreadFilter): Promise<readonly ThreadRecord[]>
  /** The ids of all threads, oldest first. */
  ids(): Promise<readonly string[]>
  exists(threadId: string): Promise<boolean>
  /** Makes a thread without a question. Throws `AlreadyExists`, `UsageError`. */
  create(thread?: NewThread): Promise<ThreadRecord>
  /** What `list` says of it. */
  show(threadId: string): Promise<ThreadRecord>
  /** Gives it a title of 1 to 200 characters; null makes it its first question again. Throws `UsageError`. */
  rename(threadId: string, title: string | null): Promise<void>
  /** Takes the place of the metadata kept with it. Throws `UsageError`. */
  setMetadata(threadId: string, metadata: Readonly<Record<string, unknown>>): Promise<void>
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

const longestMetadata = 16_384
const metadata = z.record(z.string(), z.unknown()).refine(isShortJson, {
  error: `as JSON at most ${longestMetadata.toLocaleString('en')} characters are kept`,
})
const title = z.string().trim().min(1).max(200)
const newThread = z.strictObject({
  // Checked with a message of its own.
  threadId: z.unknown().optional(),
  title: title.optional(),
  userId: z.string().optional(),
  metadata: metadata.optional(),
} satisfies Shape<NewThread>)
const threadFilter = z.strictObject({
  threadId: z.string().optional(),
  userId: z.string().optional(),
  prefix: z.string().optional(),
  except: z.string().optional(),
  unasked: z.literal(true).optional(),
  limit: count.optional(),
  offset: count.optional(),
} satisfies Shape<ThreadFilter>)

// The turn and the id are checked against the thread, with messages of their own.
const forkOptions = z.strictObject({
  at: z.unknown().optional(),
  as: z.unknown().optional(),
} satisfies Shape<ForkOptions>)

/** Threads of a table's cells begin so. */
export const cellThreads = 'quaero-cell-'

/** Conversations as the log and the checkpoints hold them. */
export function threadsIn(parts: TransferParts): Threads {
  const read = readThreads(parts)
  return { ...read, ...changeThreads(parts, read.show) }
}

type Reading = Pick<Threads, 'list' | 'ids' | 'exists' | 'show' | 'messages' | 'state' | 'log'>

function readThreads({ storage, graph }: TransferParts): Reading {
  const find = async (threadId: string) => {
    const [found] = await storage.threads.list({ threadId: checkIdentifier('thread', threadId) })
    return found
  }
  const show = async (threadId: string) => {
    const found = await find(threadId)
    if (found) return found
    throw new ThreadNotFound(`There is no thread "${threadId}". "quaero threads list" shows those that exist.`)
  }
  return {
    async list(filter = {}) {
      checkOptions('The filter', threadFilter, filter)
      return storage.threads.list({ except: cellThreads, ...filter })
    },
    ids: () => storage.threads.ids(),
    exists: async (threadId) => (await find(threadId)) !== undefined,
    show,
    async messages(threadId) {
      const messages: ThreadMessage[] = []
      await show(threadId)
      for await (const log of logsOf(threadId, storage)) {
        const note = noteIn(await storage.scores.of(log[0]?.correlationId ?? ''))
        messages.push(...messagesIn(log).map((each) => (each.role === 'user' || each.added ? each : { ...each, note })))
      }
      return messages
    },
    async state(threadId) {
      await show(threadId)
      return (await graph().getState({ configurable: { thread_id: threadId } })).values
    },
    async *log(threadId, format = 'text') {
      await show(threadId)
      if (!Object.hasOwn(sessionFormats, format)) {
        const known = Object.keys(sessionFormats).join(', ')
        throw new UsageError(`There is no session log as "${format}"; there is ${known}`)
      }
      yield* sessionText(sessionFormats[format], threadId, logsOf(threadId, storage))
    },
  }
}

function changeThreads(parts: TransferParts, show: Threads['show']): Omit<Threads, keyof Reading> {
  const { storage, sessionLogs = null } = parts
  return {
    async create(thread = {}) {
      checkOptions('The thread', newThread, thread)
      const { threadId = randomUUID(), title, userId = null, metadata = {} } = thread
      await storage.threads.create(checkIdentifier('thread', threadId), {
        title: title?.trim() ?? null,
        userId,
        metadata,
      })
      return show(threadId)
    },
    async rename(threadId, given) {
      checkOptions('The title', title.nullable(), given)
      await show(threadId)
      await storage.threads.change(threadId, { title: given?.trim() ?? null })
    },
    async setMetadata(threadId, given) {
      checkOptions('The metadata', metadata, given)
      await show(threadId)
      await storage.threads.change(threadId, { metadata: given })
    },
    async fork(threadId, options = {}) {
      checkOptions('The options of the fork', forkOptions, options)
      await show(threadId)
      return forkThread(await turnsOf(threadId, storage), options, parts)
    },
    async reset(threadId) {
      await show(threadId)
      await storage.resetThread(threadId)
    },
    rebuildLogs: () => rebuildAll(sessionLogs, storage),
    async delete(threadId) {
      await show(threadId)
      await storage.deleteThread(threadId)
      await sessionLogs?.remove(threadId)
    },
  }
}

function isShortJson(value: object): boolean {
  try {
    return JSON.stringify(value).length <= longestMetadata
  } catch {
    return false
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
  const created = notesOfRun(log)
  return log.flatMap((event) => {
    if (event.type !== 'message.completed' || event.payload.scope !== 'thread') return []
    const { messageId, role, text, added } = event.payload
    if ((role !== 'user' && role !== 'assistant') || (isAnswer(event) && event !== answer)) return []
    const { correlationId: runId, timestamp: createdAt } = event
    const notes = { ...created.get(messageId), ...proofOf(event.payload) }
    return { role, content: text, runId, createdAt, ...notes, ...(added && { added }) }
  })
}

/** What an answer rests on, as far as it says so. */
function proofOf({ citations, calculations, sentences, unsupported }: Event<'message.completed'>['payload']) {
  return {
    ...(citations && { citations }),
    ...(calculations && { calculations }),
    ...(sentences && { sentences }),
    ...(unsupported && { unsupported }),
  }
}

/** What the beginning of a run says of its messages, by their ids in the log: the client's id, and that it was imported. */
function notesOfRun(log: readonly StoredEvent[]): ReadonlyMap<string, Pick<ThreadMessage, 'messageId' | 'imported'>> {
  const notes = new Map<string, Pick<ThreadMessage, 'messageId' | 'imported'>>()
  const created = log.find((event) => event.type === 'run.created')
  const { messageId, imported } = created?.payload ?? {}
  if (created && messageId !== undefined) notes.set(`${created.correlationId}-question`, { messageId })
  const answer = answerIn(log)
  if (answer && imported) notes.set(answer.payload.messageId, { imported })
  return notes
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
  const threads = await storage.threads.list()
  for (const { threadId, turns } of threads) {
    if (turns === 0) continue
    if (await storage.leases.holder(threadId)) busy.push(threadId)
    else await logs.rebuild(threadId)
  }
  return { folder: logs.folder, threads: threads.filter(({ turns }) => turns > 0).length - busy.length, busy }
}

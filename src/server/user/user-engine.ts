import { randomUUID } from 'node:crypto'
import type { ModelCallOptions } from '../../claims/index.ts'
import {
  type ApprovalAnswer,
  type AskOptions,
  type FollowOptions,
  type ForkOptions,
  InvalidId,
  type Limits,
  type NewScore,
  type NewThread,
  type Quaero,
  type RunFilter,
  RunNotFound,
  type RunResult,
  type RunSummary,
  type StreamEvent,
  type ThreadFilter,
  type ThreadMessage,
  ThreadNotFound,
  type ThreadRecord,
} from '../../index.ts'
import { cellThreads, type Traced } from '../../runs/index.ts'
import { TooManyThreads } from '../access/refusals.ts'
import { checkedFilter } from '../access/rights.ts'
import type { Turns } from '../access/slots.ts'
import type { User } from '../access/users.ts'
import type { Outward } from './outward.ts'
import type { Asker, RunsAtWork } from './runs-at-work.ts'
import { WithheldRuns, withoutAnswer, withoutContent } from './withheld.ts'

/** What a user may choose for a question: documents by id alone, and nothing that reaches the machine. */
export type UserQuestion = Pick<
  AskOptions,
  'threadId' | 'messageId' | 'documentIds' | 'where' | 'tags' | 'limits' | 'approve' | 'idempotencyKey'
>

export interface UserEngineParts extends Asker {
  readonly work: RunsAtWork
  readonly outward: Outward
  /** Ids of documents that are not there for the user. */
  readonly hidden: ReadonlySet<string>
  /** The library without them. */
  readonly library: Quaero['library']
  readonly bounds: RunBounds
  /** Threads of the user without a question. */
  readonly unaskedThreads: number
  /** Threads of one user are made one after the other, so that they are counted. */
  readonly turns: Turns
}

type Named = Pick<AskOptions, 'idempotencyKey' | 'limits'> & { readonly threadId: string }

/** Limits of a run that its user cannot exceed, as the settings of the engine say them; null where there is none. */
export type RunBounds = Readonly<Partial<Record<keyof Limits, number | null>>>

/** What the ids of a user's threads begin with; names of users hold no underscore. */
export function threadPrefix({ name }: User): string {
  return name === null ? '' : `${name}_`
}

/**
 * The engine as one user may use it, below all protocols: threads, and with them runs, events, scores and idempotency
 * keys, belong to the user whose name space their ids lie in. What is another's is not there.
 */
export class UserEngine {
  readonly #parts: UserEngineParts
  readonly #prefix: string
  readonly #withheld: WithheldRuns

  constructor(parts: UserEngineParts) {
    this.#parts = parts
    this.#withheld = new WithheldRuns(parts.quaero, parts.hidden)
    this.#prefix = threadPrefix(parts.user)
  }

  /** A run from its first event to its ending; the run goes on when the reader leaves. Throws `TooManyRuns`. */
  async *stream(
    question: string,
    { threadId = randomUUID(), ...options }: UserQuestion & Pick<AskOptions, 'form' | 'passages'> & Traced,
  ): AsyncIterable<StreamEvent> {
    const except = [...this.#parts.hidden]
    const owned = { ...this.#owned({ ...checkedFilter(options), threadId }), except, onLeave: 'continue' } as const
    await this.#withheld.refuse(owned.threadId)
    const begin = (until: Pick<FollowOptions, 'signal'>) => this.#parts.quaero.stream(question, { ...owned, ...until })
    yield* this.#working(begin, owned.idempotencyKey)
  }

  /** The same for a run that asks the model alone, which `call` makes. */
  callModel(
    options: ModelCallOptions,
    call: (own: ModelCallOptions) => Promise<RunResult>,
  ): AsyncIterable<StreamEvent> {
    const own = this.#owned(options)
    const { quaero } = this.#parts
    const begin = async function* (until: Pick<FollowOptions, 'signal'>) {
      yield* quaero.follow((await call(own)).runId, until)
    }
    return this.#working(begin, own.idempotencyKey)
  }

  async *follow(runId: string, { after = 0 }: Pick<FollowOptions, 'after'> = {}): AsyncIterable<StreamEvent> {
    await this.#readable(runId)
    const { quaero, outward, left: signal } = this.#parts
    for await (const event of quaero.follow(runId, { after, signal })) yield outward.event(event)
  }

  async *resume(runId: string, answers: Readonly<Record<string, ApprovalAnswer>>): AsyncIterable<StreamEvent> {
    await this.#readable(runId)
    const { quaero } = this.#parts
    yield* this.#working((until) => quaero.resumeStream(runId, answers, { ...until, limits: {}, onLeave: 'continue' }))
  }

  async cancel(runId: string): Promise<void> {
    await this.#own(runId)
    await this.#parts.quaero.cancel(runId)
    this.#parts.work.report((await this.#threadOf(runId)) ?? '')
  }

  async result(runId: string): Promise<RunResult> {
    await this.#own(runId)
    const result = await this.#parts.quaero.runs.show(runId)
    const isWithheld = (await this.#withheld.of(result.threadId)).has(runId)
    return this.#parts.outward.result(isWithheld ? withoutAnswer(result) : result)
  }

  /** The result of the run that these are events of, once it has ended or waits; `known` is its id where there may be none. */
  async resultOf(events: AsyncIterable<StreamEvent>, known = ''): Promise<RunResult> {
    let runId = known
    for await (const event of events) runId = event.runId
    return this.result(runId)
  }

  async summary(runId: string): Promise<RunSummary> {
    await this.#own(runId)
    const threadId = await this.#threadOf(runId)
    const runs = await this.#parts.quaero.runs.list({ threadId: threadId ?? '' })
    const own = runs.find((run) => run.runId === runId)
    if (own) return this.#parts.outward.thread(own)
    throw new RunNotFound('There is no such run.')
  }

  async runs({ threadId, ...filter }: Omit<RunFilter, 'threadPrefix'> = {}): Promise<readonly RunSummary[]> {
    const { quaero, outward } = this.#parts
    const own = threadId === undefined ? {} : { threadId: this.#inner(threadId) }
    const runs = await quaero.runs.list({ ...filter, ...own, threadPrefix: this.#prefix })
    return runs.map((run) => outward.thread(run))
  }

  async score(runId: string, score: NewScore) {
    await this.#own(runId)
    return this.#parts.quaero.runs.score(runId, { ...score, ...this.#owner() })
  }

  async note(runId: string, text: string) {
    await this.#readable(runId)
    return this.#parts.quaero.runs.note(runId, text, this.#owner())
  }

  async scores(runId: string) {
    await this.#own(runId)
    return this.#parts.quaero.runs.scores(runId)
  }

  /** Latest activity first; all, or a part of them. */
  async threads(part: Pick<ThreadFilter, 'limit' | 'offset'> = {}): Promise<readonly ThreadRecord[]> {
    const threads = await this.#parts.quaero.threads.list({
      ...part,
      prefix: this.#prefix,
      except: `${this.#prefix}${cellThreads}`,
    })
    return threads.map((each) => this.#parts.outward.thread(each))
  }

  async thread(threadId: string): Promise<ThreadRecord> {
    return this.#parts.outward.thread(await found(this.#parts.quaero.threads.show(this.#inner(threadId))))
  }

  /** Makes a thread before its first question. Throws `TooManyThreads`. */
  async createThread({ threadId = randomUUID(), ...stated }: Omit<NewThread, 'userId'> = {}): Promise<ThreadRecord> {
    const { quaero, unaskedThreads: most, turns, outward } = this.#parts
    const owner = this.#owner()
    const id = this.#inner(threadId)
    return turns.take(`threads of ${this.#prefix}`, async () => {
      const unasked = await quaero.threads.list({ ...owner, unasked: true, limit: most })
      if (unasked.length < most)
        return outward.thread(await quaero.threads.create({ ...stated, ...owner, threadId: id }))
      throw new TooManyThreads(
        `You have ${most} conversations without a question, which is the most. Ask in one of them, or delete some.`,
      )
    })
  }

  async renameThread(threadId: string, title: string | null): Promise<void> {
    await found(this.#parts.quaero.threads.rename(this.#inner(threadId), title))
  }

  async setThreadMetadata(threadId: string, metadata: ThreadRecord['metadata']): Promise<void> {
    await found(this.#parts.quaero.threads.setMetadata(this.#inner(threadId), metadata))
  }

  /** The thread's latest run; then, whenever one begins, goes on or ends here, those from the last one on. */
  async *runsAsTheyCome(threadId: string): AsyncIterable<RunSummary> {
    const watch = this.#parts.work.watch(this.#inner(threadId), this.#parts)
    let last: string | null = null
    try {
      do {
        const runs = await this.runs({ threadId })
        const known = runs.findIndex(({ runId }) => runId === last)
        for (const run of runs.slice(known < 0 ? -1 : known)) {
          yield run
          last = run.runId
        }
      } while (await watch.next())
    } finally {
      watch.end()
    }
  }

  async messages(threadId: string): Promise<readonly ThreadMessage[]> {
    const messages = await found(this.#parts.quaero.threads.messages(this.#inner(threadId)))
    const withheld = await this.#withheld.of(this.#inner(threadId))
    return this.#parts.outward.messages(
      messages.map((message) => (withheld.has(message.runId) ? withoutContent(message) : message)),
    )
  }

  /** Returns the id of the new thread. */
  async fork(threadId: string, { at }: Pick<ForkOptions, 'at'>): Promise<string> {
    const as = this.#inner(randomUUID())
    await found(this.#parts.quaero.threads.fork(this.#inner(threadId), { as, ...(at !== undefined && { at }) }))
    return as.slice(this.#prefix.length)
  }

  async deleteThread(threadId: string): Promise<void> {
    await found(this.#parts.quaero.threads.delete(this.#inner(threadId)))
  }

  async *#working(
    begin: (until: Pick<FollowOptions, 'signal'>) => AsyncIterable<StreamEvent>,
    key?: string,
  ): AsyncIterable<StreamEvent> {
    for await (const event of this.#parts.work.follow(this.#parts, begin, key)) yield this.#parts.outward.event(event)
  }

  /** The same options for a run of the user. */
  #owned<Options extends Named>(options: Options) {
    const { threadId, idempotencyKey, limits } = options
    return {
      ...options,
      ...(idempotencyKey !== undefined && { idempotencyKey: `${this.#prefix}${idempotencyKey}` }),
      ...this.#owner(),
      limits: this.#within(limits),
      threadId: this.#inner(threadId),
    }
  }

  #owner(): { readonly userId?: string } {
    const { name } = this.#parts.user
    return name === null ? {} : { userId: name }
  }

  /** The user's limits where they are lower than those of the settings, which hold otherwise. */
  #within(given: Limits = {}): Limits {
    const bounds = new Map(Object.entries(this.#parts.bounds))
    return Object.fromEntries(
      Object.entries(given).filter(
        ([name, value]) => value !== null && value <= (bounds.get(name) ?? Number.POSITIVE_INFINITY),
      ),
    )
  }

  #inner(threadId: string): string {
    if (/^[A-Za-z0-9_-]{1,95}$/.test(threadId)) return `${this.#prefix}${threadId}`
    throw new InvalidId('A thread id has 1 to 95 letters, digits, hyphens or underscores.')
  }

  /** Throws `NotYours` for a run that shows what its user may not read any more. */
  async #readable(runId: string): Promise<void> {
    await this.#own(runId)
    await this.#withheld.refuse((await this.#threadOf(runId)) ?? '', runId)
  }

  /** Throws `RunNotFound` in the same words for a run that is another's and for one that nobody has. */
  async #own(runId: string): Promise<void> {
    if (!(await this.#threadOf(runId))?.startsWith(this.#prefix)) throw new RunNotFound('There is no such run.')
  }

  /** The thread of a run as the store names it; null if there is no such run. */
  async #threadOf(runId: string): Promise<string | null> {
    if (!/^[A-Za-z0-9_-]{1,128}$/.test(runId)) return null
    try {
      for await (const event of this.#parts.quaero.runs.events(runId)) {
        return event.type === 'run.created' ? event.payload.threadId : null
      }
    } catch (error) {
      if (!(error instanceof RunNotFound)) throw error
    }
    return null
  }
}

/** The same, with an error that does not tell how the store names the thread. */
async function found<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    throw error instanceof ThreadNotFound ? new ThreadNotFound('There is no such thread.') : error
  })
}

import { setTimeout as pause } from 'node:timers/promises'
import {
  AlreadyExists,
  type CellAskerFrom,
  type Claim,
  type ClaimFilter,
  type ClaimPage,
  type ClaimStanding,
  type ReportAskerFrom,
  type ReportRequest,
  type ReportWork,
  type RunResult,
  type StreamEvent,
  type Table,
  type TableRequest,
  type TableWork,
  ThreadBusy,
  TooManyWaiting,
} from '../../index.ts'
import { TooManyRuns } from '../access/refusals.ts'
import { checkedFilter } from '../access/rights.ts'
import { threadPrefix, type UserEngine, type UserEngineParts } from './user-engine.ts'
import { WithheldRuns } from './withheld.ts'

/** A table, and a report, as a user may ask for them: documents by id alone. */
export type UserTable = Omit<TableRequest, 'documents' | 'except' | 'signal'>
export type UserReport = Omit<ReportRequest, 'documents' | 'except' | 'signal'>

const usualAtOnce = 4
const pauseMs = 500

/** Claims, tables and reports as one user may use them: those of runs of the user. */
export class UserClaims {
  readonly #engine: UserEngine
  readonly #parts: UserEngineParts
  readonly #prefix: string

  constructor(engine: UserEngine, parts: UserEngineParts) {
    this.#engine = engine
    this.#parts = parts
    this.#prefix = threadPrefix(parts.user)
  }

  async page({ limit, cursor, ...filter }: ClaimFilter & Required<ClaimPage>) {
    const own = await this.#own(filter)
    const { claims, next } = await this.#parts.quaero.claims.page({ ...own, limit, cursor })
    const isReadable = await this.#readable(claims)
    return { claims: claims.filter(isReadable).map(this.#parts.outward.claim), next }
  }

  /** Looks up what they quote in the library of now. */
  async check(filter: ClaimFilter): Promise<readonly ClaimStanding[]> {
    const checked = await this.#parts.quaero.claims.check(await this.#own(filter))
    const isReadable = await this.#readable(checked.map(({ claim }) => claim))
    const { hidden, outward } = this.#parts
    const seen = (now: ClaimStanding['quotes'][number]['now']) => (now && hidden.has(now.documentId) ? null : now)
    const shown = checked.filter(({ claim }) => isReadable(claim))
    return shown.map(({ quotes, ...rest }) =>
      outward.standing({ ...rest, quotes: quotes.map((each) => ({ ...each, now: seen(each.now) })) }),
    )
  }

  /** Which claims show nothing that their user may not read any more. */
  async #readable(claims: readonly Claim[]): Promise<(claim: Claim) => boolean> {
    const runs = new WithheldRuns(this.#parts.quaero, this.#parts.hidden)
    const threads = [...new Set(claims.map(({ threadId }) => threadId))]
    const withheld = new Set((await Promise.all(threads.map((id) => runs.of(id)))).flatMap((ids) => [...ids]))
    return ({ runId }) => !withheld.has(runId)
  }

  /**
   * A table whose cells are runs of the user, within the user's limits. Once the reader has left, no cell is begun any more;
   * those under way end as other runs do, and are known when the table is asked for again.
   */
  table(request: UserTable): TableWork {
    return this.#parts.quaero.table({ ...this.#readably(request), ...this.#pace(request) }, this.#cells)
  }

  /** A report whose questions and sections are such runs. */
  report(request: UserReport): ReportWork {
    const asker: ReportAskerFrom = (read, call) => ({
      ...this.#cells(read),
      call: (question, { signal: _, ...options }) =>
        this.#made(() => this.#engine.callModel(options, (own) => call(question, own))),
    })
    return this.#parts.quaero.writeReport({ ...this.#readably(request), ...this.#pace(request) }, asker)
  }

  /** What reports are here: digests, where no language model writes. */
  get reportKind(): ReportWork['kind'] {
    return this.report({ question: 'What?' }).kind
  }

  /** What is known of a table; nothing is asked. */
  async known({ afresh: _, ...request }: UserTable): Promise<Table> {
    const stopped = { ...this.#readably(request), signal: AbortSignal.abort() }
    return this.#parts.quaero.table(stopped, this.#cells).result()
  }

  /** The same request over the documents that the user may read. */
  #readably<T extends UserTable | UserReport>(request: T) {
    return { ...checkedFilter(request), except: [...this.#parts.hidden] }
  }

  #pace({ atOnce = usualAtOnce }: Pick<UserTable, 'atOnce'>) {
    const { work, left: signal } = this.#parts
    return { atOnce: Math.min(atOnce, work.mostCells), signal }
  }

  async #own({ threadId, documentId: named, ...filter }: ClaimFilter): Promise<ClaimFilter> {
    const { library, hidden } = this.#parts
    // Throws for another's.
    if (filter.runId !== undefined) await this.#engine.result(filter.runId)
    const own = threadId === undefined ? {} : { threadId: `${this.#prefix}${threadId}` }
    // The beginning of an id begins none that the user may not read.
    const documentId = named !== undefined && hidden.size > 0 ? (await library.document(named)).documentId : named
    return { ...filter, ...own, ...(documentId !== undefined && { documentId }), threadPrefix: this.#prefix }
  }

  /** It waits for a place, or for another request that makes the same run, as long as its reader does. */
  async #made(begin: () => AsyncIterable<StreamEvent>): Promise<RunResult> {
    for (;;) {
      try {
        return await this.#engine.resultOf(begin())
      } catch (error) {
        if (!passing.some((kind) => error instanceof kind)) throw error
        await pause(pauseMs, undefined, { signal: this.#parts.left }).catch(() => {})
        if (this.#parts.left.aborted) throw error
      }
    }
  }

  /** How the runs of the user are made, and those of its own keys read, and none of another's threads. */
  readonly #cells: CellAskerFrom = (read) => {
    return {
      owner: this.#prefix,
      ask: (question, { signal: _, ...options }) => this.#made(() => this.#engine.stream(question, options)),
      read: async (key) => {
        const result = await read(`${this.#prefix}${key}`)
        return result?.threadId.startsWith(this.#prefix) ? this.#parts.outward.result(result) : null
      },
    }
  }
}

/** What is over when it is tried again. */
const passing = [TooManyRuns, TooManyWaiting, ThreadBusy, AlreadyExists]

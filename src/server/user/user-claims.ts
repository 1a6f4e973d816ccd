import { setTimeout as pause } from 'node:timers/promises'
import {
  AlreadyExists,
  type CellAskerFrom,
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
import { threadPrefix, type UserEngine, type UserEngineParts } from './user-engine.ts'

/** A table, and a report, as a user may ask for them: documents by id alone. */
export type UserTable = Omit<TableRequest, 'documents' | 'signal'>
export type UserReport = Omit<ReportRequest, 'documents' | 'signal'>

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
    return { claims: claims.map(this.#parts.outward.claim), next }
  }

  /** Looks up what they quote in the library of now. */
  async check(filter: ClaimFilter): Promise<readonly ClaimStanding[]> {
    const checked = await this.#parts.quaero.claims.check(await this.#own(filter))
    return checked.map(this.#parts.outward.standing)
  }

  /**
   * A table whose cells are runs of the user, within the user's limits. Once the reader has left, no cell is begun any more;
   * those under way end as other runs do, and are known when the table is asked for again.
   */
  table(request: UserTable): TableWork {
    return this.#parts.quaero.table({ ...request, ...this.#pace(request) }, this.#cells)
  }

  /** A report whose questions and sections are such runs. */
  report(request: UserReport): ReportWork {
    const asker: ReportAskerFrom = (read, call) => ({
      ...this.#cells(read),
      call: (question, { signal: _, ...options }) =>
        this.#made(() => this.#engine.callModel(options, (own) => call(question, own))),
    })
    return this.#parts.quaero.writeReport({ ...request, ...this.#pace(request) }, asker)
  }

  /** What reports are here: digests, where no language model writes. */
  get reportKind(): ReportWork['kind'] {
    return this.report({ question: 'What?' }).kind
  }

  /** What is known of a table; nothing is asked. */
  async known({ afresh: _, ...request }: UserTable): Promise<Table> {
    return this.#parts.quaero.table({ ...request, signal: AbortSignal.abort() }, this.#cells).result()
  }

  #pace({ atOnce = usualAtOnce }: Pick<UserTable, 'atOnce'>) {
    const { work, left: signal } = this.#parts
    return { atOnce: Math.min(atOnce, work.mostCells), signal }
  }

  async #own({ threadId, ...filter }: ClaimFilter): Promise<ClaimFilter> {
    // Throws for another's.
    if (filter.runId !== undefined) await this.#engine.result(filter.runId)
    const own = threadId === undefined ? {} : { threadId: `${this.#prefix}${threadId}` }
    return { ...filter, ...own, threadPrefix: this.#prefix }
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

import { setTimeout as pause } from 'node:timers/promises'
import {
  type AskOptions,
  type CellAskerFrom,
  type ClaimFilter,
  type ClaimPage,
  type ClaimStanding,
  RunNotFound,
  type RunResult,
  type Table,
  type TableRequest,
  type TableWork,
  TooManyWaiting,
} from '../../index.ts'
import { TooManyRuns } from '../access/refusals.ts'
import { threadPrefix, type UserEngine, type UserEngineParts } from './user-engine.ts'

/** A table as a user may ask for it: documents by id alone. */
export type UserTable = Pick<TableRequest, 'columns' | 'documentIds' | 'limits' | 'approve' | 'afresh' | 'atOnce'>

const usualCells = 4
const cellPauseMs = 500

/** Claims and tables as one user may use them: those of runs of the user. */
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
  table({ atOnce = usualCells, ...request }: UserTable): TableWork {
    const { quaero, work, left: signal } = this.#parts
    return quaero.table(
      { ...request, atOnce: Math.min(atOnce, work.mostCells), signal },
      this.#asker((question, options) => this.#askCell(question, options)),
    )
  }

  /** What is known of a table; nothing is asked. */
  async known({ afresh: _, ...request }: UserTable): Promise<Table> {
    const stopped = { ...request, signal: AbortSignal.abort() }
    const asker = this.#asker(() => Promise.reject(new RunNotFound('There is no such run.')))
    return this.#parts.quaero.table(stopped, asker).result()
  }

  async #own({ threadId, ...filter }: ClaimFilter): Promise<ClaimFilter> {
    // Throws for another's.
    if (filter.runId !== undefined) await this.#engine.result(filter.runId)
    const own = threadId === undefined ? {} : { threadId: `${this.#prefix}${threadId}` }
    return { ...filter, ...own, threadPrefix: this.#prefix }
  }

  /** A cell waits for a place as long as its reader does. */
  async #askCell(question: string, { signal: _, ...options }: AskOptions): Promise<RunResult> {
    for (;;) {
      try {
        return await this.#engine.resultOf(this.#engine.stream(question, options))
      } catch (error) {
        if (!(error instanceof TooManyRuns || error instanceof TooManyWaiting)) throw error
        await pause(cellPauseMs, undefined, { signal: this.#parts.left }).catch(() => {})
        if (this.#parts.left.aborted) throw error
      }
    }
  }

  /** Reads the runs of the user's own keys, and none of another's threads. */
  #asker(ask: ReturnType<CellAskerFrom>['ask']): CellAskerFrom {
    return (read) => ({
      owner: this.#prefix,
      ask,
      read: async (key) => {
        const result = await read(`${this.#prefix}${key}`)
        return result?.threadId.startsWith(this.#prefix) ? this.#parts.outward.result(result) : null
      },
    })
  }
}

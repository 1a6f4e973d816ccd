import { setTimeout as pause } from 'node:timers/promises'
import {
  type AskOptions,
  type CellAsker,
  type Claim,
  type ClaimFilter,
  type ClaimStanding,
  RunNotFound,
  type RunResult,
  type Table,
  type TableRequest,
  type TableWork,
  TooManyWaiting,
} from '../../index.ts'
import { runIdOf } from '../../runs/index.ts'
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

  async list(filter: ClaimFilter): Promise<readonly Claim[]> {
    const claims = await this.#parts.quaero.claims.list(await this.#own(filter))
    return claims.map(this.#parts.outward.claim)
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
    const ask: CellAsker['ask'] = (question, options) => this.#askCell(question, options)
    return quaero.table(
      { ...request, atOnce: Math.min(atOnce, work.mostCells), signal },
      { read: (key) => this.#resultOf(key), ask },
    )
  }

  /** What is known of a table; nothing is asked. */
  async known({ afresh: _, ...request }: UserTable): Promise<Table> {
    const ask: CellAsker['ask'] = () => Promise.reject(notThere())
    const stopped = { ...request, signal: AbortSignal.abort() }
    return this.#parts.quaero.table(stopped, { read: (key) => this.#resultOf(key), ask }).result()
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

  async #resultOf(key: string): Promise<RunResult | null> {
    return this.#engine.result(runIdOf(`${this.#prefix}${key}`)).catch((error: unknown) => {
      if (error instanceof RunNotFound) return null
      throw error
    })
  }
}

function notThere() {
  return new RunNotFound('There is no such run.')
}

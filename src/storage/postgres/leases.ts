import { type Hold, type LeaseOptions, LeaseTable, newOwner } from '../sql/leases.ts'
import { all } from '../sql/work.ts'
import { runWork, type Sql } from './database/connection.ts'
import type { PostgresDatabase } from './database/database.ts'
import { dialect } from './database/dialect.ts'

/** A lease that ends, and the job of the queue with which it was taken. */
export interface JobLease {
  readonly threadId: string
  readonly runId: string
  readonly job: string
}

/** Takes the thread for a run, within a transaction. Throws `ThreadBusy`. */
export type HoldThread = (lease: Parameters<Hold>[0]) => Promise<boolean>

type Settle = (sql: Sql, lease: JobLease) => Promise<void>

/** How often what this process holds in the database is renewed: leases, and the file that it reads. */
export const renewEveryMs = 2_000

/** Leases, of which some were taken with a job of the queue. */
export class PostgresLeases extends LeaseTable {
  readonly #database: PostgresDatabase
  readonly #settle: Settle

  /** `settle` is called in the transaction in which a lease with a job is released. */
  constructor(database: PostgresDatabase, settle: Settle) {
    // All processes share the clock of the server.
    const elsewhere: LeaseOptions['elsewhere'] = ({ isCurrent }) => (isCurrent ? 'held' : 'over')
    super(database.place, newOwner(), { dialect, elsewhere, renewEveryMs })
    this.#database = database
    this.#settle = settle
  }

  /** Does the work in one transaction; the leases that it takes with `hold` are this owner's once it is committed. */
  taking<T>(work: (sql: Sql, hold: HoldThread) => Promise<T>): Promise<T> {
    return this.holding((begin, hold) =>
      this.#database.write((sql) => {
        begin()
        return work(sql, (lease) => runWork(sql, hold(lease)))
      }),
    )
  }

  protected override async remove(token: number, { threadId, runId }: Omit<JobLease, 'job'>): Promise<void> {
    await this.#database.write(async (sql) => {
      const removed = all<{ job: string | null }>('DELETE FROM leases WHERE token = $1 RETURNING job', [token])
      const [lease] = await runWork(sql, removed)
      if (lease?.job) await this.#settle(sql, { threadId, runId, job: lease.job })
      await runWork(sql, dialect.tell(runId))
    })
  }
}

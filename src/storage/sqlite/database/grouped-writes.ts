import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import type { Database as Connection } from 'better-sqlite3'
import { isBusy, retryWhileBusy } from './failure.ts'

/** Writes in the order in which they are asked for. */
export interface GroupedWrites {
  /** Does the work in a transaction; `durable` work is on disk when this returns, and everything before it. */
  write<T>(work: () => T, options: { readonly durable: boolean }): Promise<T>
  /** Resolves when nothing waits any more. */
  idle(): Promise<void>
}

interface Waiting {
  /** Does the work, and returns the function that reports its result. */
  readonly run: () => Report
  readonly durable: boolean
  readonly since: number
  readonly reject: (error: unknown) => void
}

type Report = () => void

/**
 * Commits together what is asked for in one turn of the event loop: each of many parallel runs would otherwise wait for
 * the commits of all others. Work that throws undoes itself alone, and no write is reported before it is committed.
 * While another process holds the lock, a group is tried again, in all for `budgetMs`.
 */
export function groupedWrites(connection: Connection, budgetMs: number): GroupedWrites {
  const inTransaction = connection.transaction((work: () => readonly Report[]) => work())
  let waiting: Waiting[] = []
  let emptying: Promise<void> | null = null

  async function empty(): Promise<void> {
    while (waiting.length > 0) {
      await turnOfTheLoop()
      const group = waiting
      waiting = []
      await settle(group)
    }
    emptying = null
  }

  async function settle(group: readonly Waiting[]): Promise<void> {
    const from = group[0]?.since
    try {
      const reports = await retryWhileBusy(() => commit(group), { budgetMs, ...(from !== undefined && { from }) })
      for (const report of reports) report()
    } catch (error) {
      for (const { reject } of group) reject(error)
    }
  }

  function commit(group: readonly Waiting[]): readonly Report[] {
    const run = group.length === 1 ? ({ run }: Waiting) => [run()] : amongOthers
    const all = () => inTransaction.immediate(() => group.flatMap(run))
    return group.some(({ durable }) => durable) ? fullySynced(connection, all) : all()
  }

  function amongOthers({ run, reject }: Waiting): readonly Report[] {
    try {
      // Within a transaction, this is a savepoint.
      return inTransaction(() => [run()])
    } catch (error) {
      // On a full disk, for instance, SQLite has undone the whole transaction.
      if (!connection.inTransaction || isBusy(error)) throw error
      return [() => reject(error)]
    }
  }

  return {
    write<T>(work: () => T, { durable }: { readonly durable: boolean }) {
      return new Promise<T>((resolve, reject) => {
        const run = () => {
          const result = work()
          return () => resolve(result)
        }
        waiting.push({ run, durable, since: performance.now(), reject })
        emptying ??= empty()
      })
    },
    async idle() {
      await emptying
    },
  }
}

/** `synchronous` cannot be changed inside a transaction, so it is set around it. */
function fullySynced<T>(connection: Connection, commit: () => T): T {
  connection.pragma('synchronous = FULL')
  try {
    return commit()
  } finally {
    connection.pragma('synchronous = NORMAL')
  }
}

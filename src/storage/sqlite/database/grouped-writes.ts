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
  readonly work: () => unknown
  readonly durable: boolean
  readonly since: number
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
}

/**
 * Commits together what is asked for in one turn of the event loop: of many runs side by side, each would otherwise
 * wait for the commits of all others. Work that throws undoes itself alone, and nobody is told of a write before it is
 * committed. While another process holds the lock, a group is tried again, in all for `budgetMs`.
 */
export function groupedWrites(connection: Connection, budgetMs: number): GroupedWrites {
  const inTransaction = connection.transaction((work: () => unknown) => work())
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
      const outcomes = await retryWhileBusy(() => commit(group), { budgetMs, ...(from !== undefined && { from }) })
      for (const tell of outcomes) tell()
    } catch (error) {
      for (const { reject } of group) reject(error)
    }
  }

  /** What to tell each of the group once the transaction is committed. */
  function commit(group: readonly Waiting[]): readonly (() => void)[] {
    const all = () => inTransaction.immediate(() => group.map(group.length === 1 ? alone : amongOthers))
    const isDurable = group.some(({ durable }) => durable)
    return (isDurable ? fullySynced(connection, all) : all()) as readonly (() => void)[]
  }

  function alone({ work, resolve }: Waiting): () => void {
    const result = work()
    return () => resolve(result)
  }

  function amongOthers({ work, resolve, reject }: Waiting): () => void {
    try {
      // Within a transaction, this is a savepoint.
      const result = inTransaction(work)
      return () => resolve(result)
    } catch (error) {
      // On a full disk, say, SQLite has undone the whole transaction.
      if (!connection.inTransaction || isBusy(error)) throw error
      return () => reject(error)
    }
  }

  return {
    write(work, { durable }) {
      // The promise hands back what the work returned, but the queue has forgotten its type.
      return new Promise<ReturnType<typeof work>>((resolve, reject) => {
        const since = performance.now()
        waiting.push({ work, durable, since, resolve: resolve as (result: unknown) => void, reject })
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

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
  readonly run: () => () => void
  readonly durable: boolean
  readonly since: number
  readonly reject: (error: unknown) => void
}

/** Work that is committed, or that was undone alone. */
interface Committed extends Pick<Waiting, 'durable' | 'reject'> {
  readonly report: () => void
}

export interface GroupedWritesOptions {
  /** How long a group is tried again while another process holds the lock. Milliseconds. */
  readonly budgetMs: number
  /** Resolves when all that is committed is on disk. */
  readonly sync: () => Promise<void>
}

/**
 * Commits together what is asked for in one turn of the event loop: each of many parallel runs would otherwise wait for
 * the commits of all others. Work that throws undoes itself alone, and no write is reported before it is committed. While
 * the disk takes what is durable, other writes go on.
 */
export function groupedWrites(connection: Connection, { budgetMs, sync }: GroupedWritesOptions): GroupedWrites {
  const inTransaction = connection.transaction((work: () => readonly Committed[]) => work())
  const synced = sharing(sync)
  let waiting: Waiting[] = []
  let emptying: Promise<void> | null = null
  const syncing = new Set<Promise<void>>()

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
      const done = await retryWhileBusy(() => commit(group), { budgetMs, ...(from !== undefined && { from }) })
      for (const { report } of done.filter(({ durable }) => !durable)) report()
      reportOnceSynced(done.filter(({ durable }) => durable))
    } catch (error) {
      for (const { reject } of group) reject(error)
    }
  }

  function reportOnceSynced(group: readonly Committed[]): void {
    if (group.length === 0) return
    const reporting = synced().then(
      () => {
        for (const { report } of group) report()
      },
      (error) => {
        for (const { reject } of group) reject(error)
      },
    )
    syncing.add(reporting)
    void reporting.then(() => syncing.delete(reporting))
  }

  function commit(group: readonly Waiting[]): readonly Committed[] {
    try {
      return inTransaction.immediate(() => group.map(committed))
    } catch (error) {
      if (group.length === 1 || isBusy(error)) throw error
      return inTransaction.immediate(() => group.flatMap(amongOthers))
    }
  }

  /** For the rare group with work that throws: it is done again, each work in a savepoint of its own. */
  function amongOthers(work: Waiting): readonly Committed[] {
    const { reject } = work
    try {
      return inTransaction(() => [committed(work)])
    } catch (error) {
      // On a full disk, for instance, SQLite has undone the whole transaction.
      if (!connection.inTransaction || isBusy(error)) throw error
      return [{ durable: false, reject, report: () => reject(error) }]
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
      await Promise.all(syncing)
    },
  }
}

function committed({ run, durable, reject }: Waiting): Committed {
  return { durable, reject, report: run() }
}

/** What is asked for while a sync is under way shares the next one. */
function sharing(sync: () => Promise<void>): () => Promise<void> {
  let current = Promise.resolve()
  let next: Promise<void> | null = null
  return () => {
    next ??= current
      .catch(() => {})
      .then(() => {
        next = null
        current = sync()
        return current
      })
    return next
  }
}

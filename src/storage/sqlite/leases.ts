import { ThreadBusy } from '../../errors.ts'
import { checkIdentifier } from '../identifier.ts'
import type { LeaseHolder, Leases } from '../storage.ts'
import type { SqliteDatabase } from './database.ts'
import { currentProcess, isAlive } from './process-identity.ts'

/** `Leases`, and what storage builds on them. */
export interface SqliteLeases extends Leases {
  /**
   * Takes the thread for the run and does the work, both in one transaction; a dead holder is taken over. Throws
   * `ThreadBusy` while a living process holds the thread, and then nothing is done.
   */
  take<T>(threadId: string, runId: string, work: () => T): Promise<T>
  /** Does the work in one transaction while no living process holds the thread. Throws `ThreadBusy`. */
  whileFree<T>(threadId: string, work: () => T): Promise<T>
}

/**
 * Keeps leases in the table `leases`: who works on a thread, by process number and start time. They hold between
 * processes of one machine, and end with the process.
 */
export async function sqliteLeases(database: SqliteDatabase): Promise<SqliteLeases> {
  const statements = prepare(database)
  const self = await currentProcess()
  // That this process lives need not be asked of the system, which would leave the event loop to the run that is on.
  const lives = async (row: LeaseRow) => isSelf(row, self) || (await isAlive(holderOf(row)))

  async function whileFree<T>(threadId: string, work: () => T): Promise<T> {
    checkIdentifier('thread', threadId)
    for (;;) {
      const seen = await database.read(() => statements.find.get(threadId))
      if (seen && (await lives(seen))) throw new ThreadBusy(busyMessage(seen))
      // Judging a holder takes time, in which another process may have taken the thread.
      const done = await database.write(
        () => (isSame(statements.find.get(threadId), seen) ? { result: work() } : null),
        {
          durable: true,
        },
      )
      if (done) return done.result
    }
  }

  async function take<T>(threadId: string, runId: string, work: () => T): Promise<T> {
    checkIdentifier('run', runId)
    return await whileFree(threadId, () => {
      statements.put.run(threadId, runId, self.pid, self.startedAt, new Date().toISOString())
      return work()
    })
  }

  return {
    take,
    whileFree,
    async holder(threadId) {
      const row = await database.read(() => statements.find.get(threadId))
      return row && (await lives(row)) ? { runId: row.run_id, holder: holderOf(row) } : null
    },
    acquire: (threadId, runId) => take(threadId, runId, () => {}),
    async release(threadId, runId) {
      await database.write(() => statements.remove.run(threadId, runId))
    },
  }
}

interface LeaseRow {
  readonly thread_id: string
  readonly run_id: string
  readonly pid: number
  readonly process_start: string
  readonly acquired_at: string
}

function prepare({ connection }: SqliteDatabase) {
  return {
    find: connection.prepare<[string], LeaseRow>('SELECT * FROM leases WHERE thread_id = ?'),
    put: connection.prepare(
      `INSERT OR REPLACE INTO leases (thread_id, run_id, pid, process_start, acquired_at) VALUES (?, ?, ?, ?, ?)`,
    ),
    remove: connection.prepare('DELETE FROM leases WHERE thread_id = ? AND run_id = ?'),
  }
}

function holderOf({ pid, process_start }: LeaseRow): LeaseHolder {
  return { pid, startedAt: process_start }
}

function isSelf({ pid, process_start }: LeaseRow, self: LeaseHolder): boolean {
  return pid === self.pid && process_start === self.startedAt
}

function isSame(now: LeaseRow | undefined, seen: LeaseRow | undefined): boolean {
  return now?.run_id === seen?.run_id && now?.pid === seen?.pid && now?.acquired_at === seen?.acquired_at
}

function busyMessage({ thread_id, run_id, pid, acquired_at }: LeaseRow): string {
  return (
    `Thread "${thread_id}" is busy: process ${pid} has been working on run "${run_id}" since ${acquired_at}. ` +
    `Nothing was stored. Wait until it ends, stop it with "quaero runs cancel ${run_id}", or ask on another thread.`
  )
}

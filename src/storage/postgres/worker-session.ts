import { setTimeout as wait } from 'node:timers/promises'
import type { Pool, PoolClient } from 'pg'
import { StorageUnavailable } from '../../errors.ts'
import { openPool, type Sql, sqlOver } from './database/connection.ts'
import { jobsChannel } from './thread-jobs.ts'

/** The lock that the sessions of all workers share, so that they can be counted. */
export const workersLock = 0x51_55_57_4b

const longestWaitMs = 1000
const reconnectAfterMs = 250

/** The number of the lock that the session of an owner of leases holds; `owner` is an SQL expression. */
export function sessionLock(owner: string): string {
  return `hashtextextended(${owner}, 2)`
}

/**
 * A connection for as long as its worker lives: it holds a lock under the worker's id, and receives the notifications of
 * new jobs. If it breaks, another one is opened.
 */
export class WorkerSession {
  readonly #pool: Pool
  readonly #owner: string
  readonly #closed = new AbortController()
  #client: PoolClient | null = null
  /** There was news since the last wait. */
  #hasNews = false
  #wake: () => void = () => {}

  private constructor(pool: Pool, owner: string) {
    this.#pool = pool
    this.#owner = owner
  }

  /** `owner` is that of the worker's leases. */
  static async open(url: string, owner: string): Promise<WorkerSession> {
    const { pool } = await openPool(url, { max: 1 })
    const session = new WorkerSession(pool, owner)
    await session.#connect()
    return session
  }

  /** Resolves with the next news, after a second at the latest, or when `signal` is aborted. */
  async changed(signal: AbortSignal): Promise<void> {
    if (!this.#hasNews && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, longestWaitMs)
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
        signal.addEventListener('abort', this.#wake, { once: true })
      })
      signal.removeEventListener('abort', this.#wake)
    }
    this.#hasNews = false
  }

  async close(): Promise<void> {
    this.#closed.abort()
    this.#drop()
    await this.#pool.end()
  }

  async #connect(): Promise<void> {
    const client = await this.#pool.connect()
    try {
      client.on('notification', () => this.#tell())
      await client.query(`LISTEN ${jobsChannel}`)
      await lockSession(sqlOver(client), this.#owner)
    } catch (error) {
      client.release(true)
      throw error
    }
    this.#client = client
    if (this.#closed.signal.aborted) return this.#drop()
    client.once('end', () => {
      this.#drop()
      void this.#reconnect()
    })
    // There may have been news before it listened.
    this.#tell()
  }

  #drop(): void {
    this.#client?.release(true)
    this.#client = null
  }

  async #reconnect(): Promise<void> {
    const { signal } = this.#closed
    while (!signal.aborted && !(await this.#connect().then(isDone, isFailed))) {
      await wait(reconnectAfterMs, undefined, { signal }).catch(() => {})
    }
  }

  #tell(): void {
    this.#hasNews = true
    this.#wake()
  }
}

/** A session that broke may hold the lock until the server sees that. */
async function lockSession(sql: Sql, owner: string): Promise<void> {
  const row = await sql.get<{ taken: boolean }>(`SELECT pg_try_advisory_lock(${sessionLock('$1')}) AS taken`, [owner])
  if (!row?.taken) throw new StorageUnavailable('This process takes part in the queue already.')
  await sql.get('SELECT pg_advisory_lock_shared($1)', [workersLock])
}

const isDone = () => true
const isFailed = () => false

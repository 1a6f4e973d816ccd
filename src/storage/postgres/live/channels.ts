import { setTimeout as wait } from 'node:timers/promises'
import type { Pool } from 'pg'
import type { Sql } from '../database/connection.ts'

type Hear = (message: string) => void

/** Listens on channels over one connection, which is made with the first of them and made again when it breaks. */
export class Listener {
  readonly #pool: Pool
  readonly #channels = new Map<string, Hear>()
  readonly #onGap: () => void
  #connected: Promise<void> | null = null
  #closed: Promise<void> | null = null
  #heardAt = 0

  /** `pool`: of one connection, for this listener alone. `onGap`: the connection broke, so that messages are missing. */
  constructor(pool: Pool, onGap: () => void) {
    this.#pool = pool
    this.#onGap = onGap
    pool.on('connect', (client) => {
      client.on('notification', ({ channel, payload = '' }) => {
        this.#heardAt = performance.now()
        this.#channels.get(channel)?.(payload)
      })
      client.once('end', () => this.#reconnect())
    })
  }

  /** Milliseconds since the last message, or since the connection was made. */
  get silentMs(): number {
    return performance.now() - this.#heardAt
  }

  /** Resolves when messages of the channel come. Keeps trying without a server; never rejects. */
  async listen(channel: string, hear: Hear): Promise<void> {
    this.#channels.set(channel, hear)
    if (this.#connected === null) {
      this.#connected = this.#connect()
      await this.#connected
      return
    }
    await this.#connected
    // A connection that breaks now is made again with all channels.
    await this.#send(`LISTEN ${channel}`).catch(() => {})
  }

  unlisten(channel: string): void {
    this.#channels.delete(channel)
    void this.#send(`UNLISTEN ${channel}`).catch(() => {})
  }

  /** Leaves a connection that seems to be dead, and makes another. */
  reset(): void {
    void this.#pool.connect().then(
      (client) => client.release(true),
      () => {},
    )
    this.#reconnect()
  }

  /** Harmless when closed already. */
  async close(): Promise<void> {
    this.#closed ??= this.#pool.end()
    await this.#closed
  }

  #reconnect(): void {
    if (this.#closed !== null) return
    this.#onGap()
    this.#connected = this.#connect()
  }

  async #connect(): Promise<void> {
    for (let waitMs = firstWaitMs; this.#closed === null; waitMs = Math.min(waitMs * 2, longestWaitMs)) {
      try {
        await this.#send([...this.#channels.keys()].map((channel) => `LISTEN ${channel}`).join('; '))
        this.#heardAt = performance.now()
        return
      } catch {
        await wait(waitMs, undefined, { ref: false })
      }
    }
  }

  async #send(statements: string): Promise<void> {
    await this.#pool.query(statements)
  }
}

const firstWaitMs = 5
/** Readers look into the log meanwhile. */
const longestWaitMs = 1_000

/** Sends short messages at once, without a wait for the disk: nobody needs them later. */
export async function sendMessages(sql: Sql, channel: string, messages: readonly string[]): Promise<void> {
  await sql.run(
    `SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, message) FROM unnest($2::text[]) AS message`,
    [channel, messages],
  )
}

/** A message has less than 8,000 bytes. */
const partLength = 7_900

/**
 * Sends JSON of any length in parts, which PostgreSQL delivers together and in order. Before each stands how many follow
 * it, also since of two equal messages only one would be delivered.
 */
export async function sendJson(sql: Sql, channel: string, json: string): Promise<void> {
  const ascii = json.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  const count = Math.ceil(ascii.length / partLength)
  const part = (index: number) => `${count - 1 - index} ${ascii.slice(index * partLength, (index + 1) * partLength)}`
  await sendMessages(
    sql,
    channel,
    Array.from({ length: count }, (_, index) => part(index)),
  )
}

/** Puts the parts of one channel together again. */
export class JsonParts {
  #begun = ''

  /** The whole JSON with its last part, before that null. */
  add(part: string): string | null {
    const space = part.indexOf(' ')
    const json = this.#begun + part.slice(space + 1)
    const isWhole = part.slice(0, space) === '0'
    this.#begun = isWhole ? '' : json
    return isWhole ? json : null
  }
}

import { setTimeout as wait } from 'node:timers/promises'
import type { Pool } from 'pg'

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

import { setTimeout as wait } from 'node:timers/promises'
import type { StreamEvent } from '../../../events/index.ts'
import type { LiveReader } from '../../storage.ts'
import type { RunMessage } from './run-messages.ts'

/** Deltas that come within so many milliseconds are sent together; the first, and each event of the log, is sent at once. */
const batchMs = 30
/** A run is published until nobody has asked for it for so long: some miss a turn, and none is missed for it. Milliseconds. */
const wantedMs = 10_000

/**
 * A run of this process, published to all who listen, while somebody asks for it. Each who joins makes one more reader take
 * over from the one before, so that all hear the same lines, and its opening, which the others ignore, is true of its place.
 */
export class PublishedRun {
  readonly #join: () => LiveReader
  readonly #send: (message: RunMessage) => Promise<void>
  #current: LiveReader | null = null
  #next: LiveReader | null = null
  #sequence = 0
  #wantedAt = 0
  #published: Promise<void> = Promise.resolve()

  constructor(join: () => LiveReader, send: (message: RunMessage) => Promise<void>) {
    this.#join = join
    this.#send = send
  }

  /** Sends an opening, then the lines from there. */
  join(): void {
    this.want()
    // The opening of one that waits is still to come.
    if (this.#next) return
    this.#next = this.#join()
    if (this.#current) this.#current.close()
    else this.#published = this.#publish()
  }

  /** Somebody still listens; false if nothing is sent any more. */
  want(): boolean {
    this.#wantedAt = performance.now()
    return this.#current !== null
  }

  endIfUnwanted(): void {
    if (performance.now() - this.#wantedAt > wantedMs) this.#current?.close()
  }

  /** Ends with the lines so far; resolves when they are sent. */
  async close(): Promise<void> {
    this.#current?.close()
    this.#next?.close()
    await this.#published
  }

  async #publish(): Promise<void> {
    while (this.#next) {
      const reader = this.#next
      this.#current = reader
      this.#next = null
      const last = await this.#pass(reader).catch(() => 'behind' as const)
      reader.close()
      // Those who listen see that a message is missing.
      if (last === 'behind') this.#sequence += 1
      if (!this.#next) await this.#send({ isOver: true }).catch(() => {})
    }
    this.#current = null
  }

  async #pass(reader: LiveReader): Promise<'behind' | 'over'> {
    const { position, soFar } = reader
    await this.#sendNext({ position, soFar })
    for (;;) {
      const lines = await reader.take()
      if (typeof lines === 'string') return lines
      await this.#sendNext({ lines })
      if (lines.every((line) => !('position' in line))) await wait(batchMs)
    }
  }

  async #sendNext(message: Pick<LiveReader, 'position' | 'soFar'> | { readonly lines: readonly StreamEvent[] }) {
    const sequence = this.#sequence
    this.#sequence += 1
    await this.#send({ sequence, ...message })
  }
}

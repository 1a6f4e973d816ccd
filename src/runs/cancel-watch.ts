import type { Storage } from '../storage/storage.ts'
import type { Attempt } from './attempt/attempt.ts'

const everyMs = 250

/**
 * Looks for a cancel that another process has asked for; the log is all that two processes share. Nothing is read while
 * nobody else has written.
 */
export class CancelWatch {
  readonly #attempt: Attempt
  readonly #events: Storage['events']
  #timer: NodeJS.Timeout | undefined
  #seen: number | null = null

  constructor(attempt: Attempt, { events }: Pick<Storage, 'events'>) {
    this.#attempt = attempt
    this.#events = events
  }

  begin(): void {
    if (this.#attempt.threadId === null) return
    // A look that fails is followed by another; the run itself will say if the storage is gone.
    this.#timer = setInterval(() => void this.look().catch(() => {}), everyMs)
    this.#timer.unref()
  }

  async look(): Promise<void> {
    if (this.#attempt.threadId === null) return
    const { runId } = this.#attempt
    const version = await this.#events.version()
    if (version === this.#seen) return
    const { state } = (await this.#events.run(runId)).status
    if (state === 'cancelling' || state === 'cancelled') {
      for await (const event of this.#events.read(runId)) {
        if (event.type === 'cancel.requested' && this.#attempt.learn(event)) this.#attempt.stop('cancelled')
      }
    }
    this.#seen = version
  }

  end(): void {
    clearInterval(this.#timer)
  }
}

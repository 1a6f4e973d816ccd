import { Mailbox } from '../../mailbox.ts'
import { type RunSignal, type SignalSource, signalsToSend } from '../../run-signals.ts'

/** Deltas that come within so many milliseconds are sent together; the first, and each wake, is sent at once. */
const batchMs = 30
/** A run is published until nobody has asked for it for so long: some miss a turn, and none is missed for it. Milliseconds. */
const wantedMs = 10_000

/** A run of this process, published to all who listen, while somebody asks for it. */
export class PublishedRun {
  readonly #source: SignalSource
  readonly #send: (signals: readonly RunSignal[]) => Promise<void>
  /** null while nothing is sent. */
  #mailbox: Mailbox | null = null
  #askedAt = 0
  #sent: Promise<void> = Promise.resolve()

  constructor(source: SignalSource, send: (signals: readonly RunSignal[]) => Promise<void>) {
    this.#source = source
    this.#send = send
  }

  /** Sends the first signals, which those who have them ignore, and then all that come. */
  ask(): void {
    this.#askedAt = performance.now()
    if (this.#mailbox) this.#source.join(this.#mailbox)
    else this.#sent = this.#publish()
  }

  /** Ends with the signals so far; resolves when they are sent. */
  async close(): Promise<void> {
    this.#mailbox?.end()
    await this.#sent
  }

  async #publish(): Promise<void> {
    const mailbox = new Mailbox()
    this.#mailbox = mailbox
    try {
      for await (const signals of signalsToSend(mailbox, this.#source)) {
        if (performance.now() - this.#askedAt > wantedMs) break
        await this.#send(signals)
        if (signals.every(({ kind }) => kind === 'delta')) await mailbox.gather(batchMs)
      }
    } catch {
      // Those who listen miss something, and ask again.
    }
    this.#mailbox = null
  }
}

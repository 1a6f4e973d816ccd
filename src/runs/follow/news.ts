import { setTimeout as wait } from 'node:timers/promises'

/** How often the log of another process's run is looked at: where its storage tells of news, in case it does not. */
const everyMs = { untold: 50, told: 1000 }

/** Waits for what another process stores of a run. */
export class News {
  readonly #everyMs: number
  readonly #stop: (() => void) | undefined
  #told = new AbortController()

  /** `watch` begins to watch the run, calls back at news, and returns what ends it. */
  constructor(watch: ((wake: () => void) => () => void) | undefined) {
    this.#everyMs = watch ? everyMs.told : everyMs.untold
    this.#stop = watch?.(() => this.#told.abort())
  }

  /** Until there is news since the last wait (true), or it is time to look, or the signal is aborted. */
  async wait(signal?: AbortSignal): Promise<boolean> {
    const wakes = signal ? AbortSignal.any([signal, this.#told.signal]) : this.#told.signal
    await wait(this.#everyMs, undefined, { signal: wakes }).catch(() => {})
    const isTold = this.#told.signal.aborted
    if (isTold) this.#told = new AbortController()
    return isTold
  }

  close(): void {
    this.#stop?.()
  }
}

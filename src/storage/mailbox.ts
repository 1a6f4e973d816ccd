import type { RunSignal } from './run-signals.ts'

/** What has come since the last look into a mailbox. */
export interface Mail {
  readonly signals: readonly RunSignal[]
  /** There may be something in the log of which no signal tells. */
  readonly hasNews: boolean
  /** There were too many signals to keep: deltas are missing. */
  readonly isBehind: boolean
  /** Nothing more will come. */
  readonly isOver: boolean
}

/** Signals that are kept for a slow reader. */
const keptByDefault = 1000

/** Where the signals of a run wait for one reader. Whoever pushes never waits: too many become one wake. */
export class Mailbox {
  readonly #most: number
  #signals: RunSignal[] = []
  #hasNews = false
  #isBehind = false
  #isOver = false
  #resolve = () => {}
  #reject: (error: unknown) => void = () => {}

  constructor(most = keptByDefault) {
    this.#most = most
  }

  get isEmpty(): boolean {
    return this.#signals.length === 0 && !this.#hasNews && !this.#isOver
  }

  push(signal: RunSignal): void {
    if (this.#isBehind || this.#signals.length >= this.#most) this.#keepNewest(signal)
    else this.#keep(signal)
    this.#resolve()
  }

  /** There may be news in the log. */
  tell(): void {
    this.#hasNews = true
    this.#resolve()
  }

  end(): void {
    this.#isOver = true
    this.#resolve()
  }

  /** Throws the error where the reader waits; one that does not wait finds out itself. */
  fail(error: unknown): void {
    this.#reject(error)
  }

  /** What has come, or what comes next. */
  async take(): Promise<Mail> {
    if (this.isEmpty) {
      await new Promise<void>((resolve, reject) => {
        this.#resolve = resolve
        this.#reject = reject
      })
    }
    const mail = { signals: this.#signals, hasNews: this.#hasNews, isBehind: this.#isBehind, isOver: this.#isOver }
    this.#signals = []
    this.#hasNews = false
    this.#isBehind = false
    return mail
  }

  /** Waits for so long, while nothing but deltas comes, so that they can be taken together. */
  async gather(ms: number): Promise<void> {
    const until = performance.now() + ms
    while (this.#signals.every(({ kind }) => kind === 'delta') && !this.#isOver && performance.now() < until) {
      const timer = setTimeout(() => this.#resolve(), until - performance.now())
      await new Promise<void>((resolve) => (this.#resolve = resolve))
      clearTimeout(timer)
    }
  }

  /** Of two wakes without an event between them, the later one says all. */
  #keep(signal: RunSignal): void {
    const last = this.#signals.at(-1)
    const isSaid = signal.kind === 'wake' && last?.kind === 'wake' && !last.event
    if (isSaid) this.#signals.pop()
    this.#signals.push(isSaid ? { ...signal, seq: Math.max(last.seq, signal.seq) } : signal)
  }

  #keepNewest(signal: RunSignal): void {
    const seq = Math.max(...[...this.#signals, signal].map(positionOf))
    this.#signals = [{ kind: 'wake', seq }]
    this.#isBehind = true
  }
}

function positionOf(signal: RunSignal): number {
  return signal.kind === 'wake' ? signal.seq : signal.after
}

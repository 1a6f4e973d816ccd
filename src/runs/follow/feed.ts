import type { StreamEvent } from '../../events/index.ts'
import { OpenMessages } from './open-messages.ts'

/** Lines that are kept for a reader who is slow to take them; one who is slower reads on in the log. */
export const linesKept = 1000

/** Hands the lines of a run to any number of readers as they come. None of them ever slows the run. */
export class RunFeed {
  readonly #readers = new Set<FeedReader>()
  readonly #messages = new OpenMessages()
  readonly #linesKept: number
  #position: number
  #closed = false

  /** `position` is that of the last event in the log before the first line. */
  constructor(position: number, options: { readonly linesKept?: number } = {}) {
    this.#position = position
    this.#linesKept = options.linesKept ?? linesKept
  }

  publish(line: StreamEvent): void {
    if ('position' in line) this.#position = line.position
    this.#messages.see(line)
    for (const reader of this.#readers) reader.push(line)
  }

  /** No more lines will come. */
  close(): void {
    this.#closed = true
    for (const reader of this.#readers) reader.close()
  }

  /** A reader who gets every line from this moment on, and is told what came before. */
  join(): FeedReader {
    const begin = { position: this.#position, soFar: this.#messages.soFar(), linesKept: this.#linesKept }
    const reader = new FeedReader(begin, () => this.#readers.delete(reader))
    if (this.#closed) reader.close()
    else this.#readers.add(reader)
    return reader
  }
}

interface Begin {
  readonly position: number
  readonly soFar: readonly StreamEvent[]
  readonly linesKept: number
}

/** One reader of a feed. */
export class FeedReader {
  /** Of the last event in the log before the reader's first line. */
  readonly position: number
  /** What was already written of the messages that are open, as deltas. */
  readonly soFar: readonly StreamEvent[]
  readonly #linesKept: number
  readonly #forget: () => void
  #lines: StreamEvent[] = []
  #isBehind = false
  #closed = false
  #wake: () => void = () => {}

  constructor({ position, soFar, linesKept: kept }: Begin, forget: () => void) {
    this.position = position
    this.soFar = soFar
    this.#linesKept = kept
    this.#forget = forget
  }

  push(line: StreamEvent): void {
    if (this.#lines.length < this.#linesKept) this.#lines.push(line)
    else this.#fallBehind()
    this.#wake()
  }

  close(): void {
    this.#closed = true
    this.#forget()
    this.#wake()
  }

  /** The next lines, at least one. `behind` if there were too many to keep, so that this reader gets no more; `over` after the last. */
  async take(): Promise<readonly StreamEvent[] | 'behind' | 'over'> {
    while (this.#lines.length === 0 && !this.#isBehind && !this.#closed) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    if (this.#isBehind) return 'behind'
    const lines = this.#lines
    this.#lines = []
    return lines.length > 0 ? lines : 'over'
  }

  #fallBehind(): void {
    this.#isBehind = true
    this.#lines = []
    this.#forget()
  }
}

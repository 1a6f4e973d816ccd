import type { StreamEvent } from '../events/index.ts'
import type { LiveReader } from './storage.ts'

/** Lines that are kept for a slow reader; a slower one continues in the log. */
export const linesKeptByDefault = 1000

export interface LineReaderOptions extends Pick<LiveReader, 'position' | 'soFar'> {
  readonly linesKept: number
  /** What the reader is told after its last line. */
  readonly lastWord: 'over' | 'behind'
  /** Called when the reader takes no more lines. */
  readonly onLeave: () => void
}

/** One reader of lines that others push. */
export class LineReader implements LiveReader {
  readonly position: number
  readonly soFar: readonly StreamEvent[]
  readonly #options: LineReaderOptions
  #lines: StreamEvent[] = []
  #isBehind = false
  #closed = false
  #wake: () => void = () => {}

  constructor(options: LineReaderOptions) {
    this.position = options.position
    this.soFar = options.soFar
    this.#options = options
  }

  push(line: StreamEvent): void {
    this.#lines.push(line)
    if (this.#lines.length > this.#options.linesKept) {
      this.#isBehind = true
      this.#lines = []
      this.#options.onLeave()
    }
    this.#wake()
  }

  close(): void {
    this.#closed = true
    this.#options.onLeave()
    this.#wake()
  }

  /** `behind`, if there were too many lines to keep. */
  async take(): Promise<readonly StreamEvent[] | 'behind' | 'over'> {
    while (this.#lines.length === 0 && !this.#isBehind && !this.#closed) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    if (this.#isBehind) return 'behind'
    const lines = this.#lines
    this.#lines = []
    return lines.length > 0 ? lines : this.#options.lastWord
  }
}

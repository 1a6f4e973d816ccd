import type { StreamEvent } from '../../../events/index.ts'
import { LineReader, linesKeptByDefault } from '../../line-reader.ts'
import type { LiveReader } from '../../storage.ts'
import { JsonParts } from '../database/notifications.ts'
import { parsed, type RunMessage, runMessage } from './run-messages.ts'

/** A process that does not answer for so long is busy or stopped: meanwhile its run is followed in the log. Milliseconds. */
const answersWithinMs = 1000

/** A run of another process, as all readers in this one hear it. */
export class FollowedRun {
  /** Of the leases of the process that works on it. */
  readonly owner: string
  readonly #onIdle: () => void
  readonly #parts = new JsonParts()
  readonly #readers = new Set<LineReader>()
  readonly #waiting = new Set<(reader: LiveReader | 'late' | null) => void>()
  /** The place of the message that must come next; null before the first opening. */
  #next: number | null = null

  /** `onIdle`: nobody here listens to it any more. */
  constructor(owner: string, onIdle: () => void) {
    this.owner = owner
    this.#onIdle = onIdle
  }

  /** A reader from the next opening on; `late` if none comes in time, null if the run is over or the reader leaves. */
  join(signal?: AbortSignal): Promise<LiveReader | 'late' | null> {
    return new Promise((resolve) => {
      const answer = (reader: LiveReader | 'late' | null) => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', leave)
        this.#waiting.delete(answer)
        resolve(reader)
        this.#checkIdle()
      }
      const leave = () => answer(null)
      const timer = setTimeout(() => answer('late'), answersWithinMs)
      signal?.addEventListener('abort', leave, { once: true })
      this.#waiting.add(answer)
    })
  }

  hear(part: string): void {
    const json = this.#parts.add(part)
    const message = json === null ? null : parsed(runMessage, json)
    if (!message) return
    if ('isOver' in message) this.end()
    else this.#take(message)
  }

  #take(message: Exclude<RunMessage, { readonly isOver: true }>): void {
    // Sent twice, where the sender could not know that it had come.
    if (this.#next !== null && message.sequence < this.#next) return
    const isGap = this.#next !== null && message.sequence > this.#next
    if (isGap) this.#closeReaders()
    this.#next = message.sequence + 1
    if ('lines' in message) this.#push(message.lines)
    else this.#open(message.position, message.soFar)
    this.#checkIdle()
  }

  /** Nothing more comes: all readers go on in the log. */
  end(): void {
    this.#closeReaders()
    for (const answer of this.#waiting) answer(null)
    this.#checkIdle()
  }

  #push(lines: readonly StreamEvent[]): void {
    for (const line of lines) for (const reader of this.#readers) reader.push(line)
  }

  #open(position: number, soFar: readonly StreamEvent[]): void {
    for (const answer of this.#waiting) {
      const reader = new LineReader({
        position,
        soFar,
        linesKept: linesKeptByDefault,
        lastWord: 'behind',
        onLeave: () => {
          if (this.#readers.delete(reader)) this.#checkIdle()
        },
      })
      this.#readers.add(reader)
      answer(reader)
    }
  }

  #closeReaders(): void {
    for (const reader of this.#readers) reader.close()
  }

  #checkIdle(): void {
    if (this.#readers.size + this.#waiting.size === 0) this.#onIdle()
  }
}

import type { Event, StreamEvent } from '../../events/index.ts'
import type { LiveReader } from '../../storage/storage.ts'

/** Lines that are kept for a slow reader; a slower one continues in the log. */
const keptByDefault = 1000

/** Passes the lines of a run to any number of readers. A slow reader does not slow the run. */
export class RunFeed {
  readonly #readers = new Set<FeedReader>()
  readonly #messages = new OpenMessages()
  readonly #linesKept: number
  #position: number
  #closed = false

  /** `position` is that of the last event in the log before the first line. */
  constructor(position: number, { linesKept = keptByDefault }: { readonly linesKept?: number } = {}) {
    this.#position = position
    this.#linesKept = linesKept
  }

  get hasReaders(): boolean {
    return this.#readers.size > 0
  }

  publish(line: StreamEvent): void {
    // A request to cancel, which another process stores, may come after later events.
    if ('position' in line) this.#position = Math.max(this.#position, line.position)
    this.#messages.see(line)
    for (const reader of this.#readers) reader.push(line)
  }

  /** No more lines will come. */
  close(): void {
    this.#closed = true
    for (const reader of this.#readers) reader.close()
  }

  /** A reader that gets every line from now on, and the open messages so far. */
  join(): FeedReader {
    const soFar = this.#messages.soFar()
    const reader = new FeedReader(this.#position, soFar, this.#linesKept, () => this.#readers.delete(reader))
    if (this.#closed) reader.close()
    else this.#readers.add(reader)
    return reader
  }
}

/** One reader of a feed. */
export class FeedReader implements LiveReader {
  readonly position: number
  readonly soFar: readonly StreamEvent[]
  readonly #linesKept: number
  readonly #forget: () => void
  #lines: StreamEvent[] = []
  #isBehind = false
  #closed = false
  #wake: () => void = () => {}

  constructor(position: number, soFar: readonly StreamEvent[], linesKept: number, forget: () => void) {
    this.position = position
    this.soFar = soFar
    this.#linesKept = linesKept
    this.#forget = forget
  }

  push(line: StreamEvent): void {
    this.#lines.push(line)
    if (this.#lines.length > this.#linesKept) {
      this.#isBehind = true
      this.#lines = []
      this.#forget()
    }
    this.#wake()
  }

  close(): void {
    this.#closed = true
    this.#forget()
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
    return lines.length > 0 ? lines : 'over'
  }
}

type Delta = Event<'message.delta'> & Pick<StreamEvent, 'runId' | 'threadId'>
type ToolCallDelta = NonNullable<Delta['payload']['toolCall']>

/** What a model has written of a message so far. */
interface OpenMessage {
  readonly last: Delta
  readonly text: string
  readonly toolCalls: Map<number, ToolCallDelta>
}

/** Messages that are being written: no log has their text, since deltas are not stored. */
class OpenMessages {
  readonly #open = new Map<string, OpenMessage>()

  see(line: StreamEvent): void {
    if (line.type === 'message.delta') this.#write(line)
    else if (line.type === 'message.completed') this.#open.delete(line.payload.messageId)
  }

  /** One delta for the text of each open message, and one for each of its tool calls. */
  soFar(): readonly StreamEvent[] {
    return [...this.#open.values()].flatMap(({ last, text, toolCalls }) => [
      ...(text === '' ? [] : [wholeDelta(last, { text })]),
      ...[...toolCalls.values()].map((toolCall) => wholeDelta(last, { text: '', toolCall })),
    ])
  }

  #write(last: Delta): void {
    const { messageId, text, toolCall: piece } = last.payload
    const { text: before = '', toolCalls = new Map<number, ToolCallDelta>() } = this.#open.get(messageId) ?? {}
    if (piece) {
      const known = toolCalls.get(piece.index)
      toolCalls.set(piece.index, known ? { ...known, ...piece, args: known.args + piece.args } : piece)
    }
    this.#open.set(messageId, { last, text: before + text, toolCalls })
  }
}

function wholeDelta(last: Delta, { text, toolCall }: Pick<Delta['payload'], 'text' | 'toolCall'>): StreamEvent {
  const { messageId, scope } = last.payload
  const id = `${last.id}:so-far${toolCall ? `:${toolCall.index}` : ''}`
  return { ...last, id, payload: { messageId, scope, text, ...(toolCall && { toolCall }), soFar: true } }
}

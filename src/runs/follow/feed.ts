import type { Event, StreamEvent } from '../../events/index.ts'
import { LineReader, linesKeptByDefault } from '../../storage/line-reader.ts'

/** Passes the lines of a run to any number of readers. A slow reader does not slow the run. */
export class RunFeed {
  readonly #readers = new Set<LineReader>()
  readonly #messages = new OpenMessages()
  readonly #linesKept: number
  #position: number
  #closed = false

  /** `position` is that of the last event in the log before the first line. */
  constructor(position: number, { linesKept = linesKeptByDefault }: { readonly linesKept?: number } = {}) {
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
  join(): LineReader {
    const reader = new LineReader({
      position: this.#position,
      soFar: this.#messages.soFar(),
      linesKept: this.#linesKept,
      lastWord: 'over',
      onLeave: () => this.#readers.delete(reader),
    })
    if (this.#closed) reader.close()
    else this.#readers.add(reader)
    return reader
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

import type { Event, StreamEvent } from '../../events/index.ts'

/** Lines that are kept for a slow reader; a slower one continues in the log. */
export const linesKept = 1000

/** Passes the lines of a run to any number of readers. A slow reader does not slow the run. */
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

  /** A reader that gets every line from now on, and the open messages so far. */
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
  /** The open messages so far, as deltas. */
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

  /** The next lines, at least one; `over` after the last, `behind` if there were too many to keep and no more will come. */
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

type Delta = Event<'message.delta'> & Pick<StreamEvent, 'runId' | 'threadId'>
type ToolCallDelta = NonNullable<Delta['payload']['toolCall']>

/** What a model has written of a message so far. */
interface OpenMessage {
  readonly last: Delta
  readonly text: string
  readonly toolCalls: ReadonlyMap<number, ToolCallDelta>
}

/** Messages that are being written: no log has their text, since deltas are not stored. */
export class OpenMessages {
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

  #write(line: Delta): void {
    const { messageId, text, toolCall } = line.payload
    const before = this.#open.get(messageId)
    const toolCalls = toolCall ? new Map(before?.toolCalls).set(toolCall.index, joined(before, toolCall)) : undefined
    this.#open.set(messageId, {
      last: line,
      text: (before?.text ?? '') + text,
      toolCalls: toolCalls ?? before?.toolCalls ?? new Map(),
    })
  }
}

function joined(before: OpenMessage | undefined, piece: ToolCallDelta): ToolCallDelta {
  const known = before?.toolCalls.get(piece.index)
  return known ? { ...known, ...piece, args: known.args + piece.args } : piece
}

function wholeDelta(last: Delta, { text, toolCall }: Pick<Delta['payload'], 'text' | 'toolCall'>): StreamEvent {
  const { messageId, scope } = last.payload
  const id = `${last.id}:so-far${toolCall ? `:${toolCall.index}` : ''}`
  return { ...last, id, payload: { messageId, scope, text, ...(toolCall && { toolCall }), soFar: true } }
}

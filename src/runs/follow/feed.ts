import type { Event, StreamEvent } from '../../events/index.ts'
import type { Mailbox } from '../../storage/mailbox.ts'
import type { Channel, DeltaLine, DeltaSignal, RunSignal, SignalSource } from '../../storage/run-signals.ts'

/** Tells any number of followers what a run of this process stores and streams. A slow one does not slow the run. */
export class RunFeed implements SignalSource {
  readonly #mailboxes = new Set<Mailbox>()
  readonly #messages = new OpenMessages()
  #position: number
  #closed = false

  /** `position` is that of the last event in the log before the first line. */
  constructor(position: number) {
    this.#position = position
  }

  get hasReaders(): boolean {
    return this.#mailboxes.size > 0
  }

  /** Of the last event that was published. */
  get position(): number {
    return this.#position
  }

  publish(line: StreamEvent): void {
    const signal = this.#signalOf(line)
    if (signal) for (const mailbox of this.#mailboxes) mailbox.push(signal)
  }

  join(mailbox: Mailbox): Channel {
    const after = this.#position
    mailbox.push({ kind: 'wake', seq: after })
    for (const line of this.#messages.soFar()) mailbox.push({ kind: 'delta', after, from: 0, line })
    if (this.#closed) mailbox.end()
    else this.#mailboxes.add(mailbox)
    return { state: 'open', close: () => this.#mailboxes.delete(mailbox) }
  }

  /** No more lines will come. */
  close(): void {
    this.#closed = true
    for (const mailbox of this.#mailboxes) mailbox.end()
    this.#mailboxes.clear()
  }

  /** null for a change of status, which followers derive from the events. */
  #signalOf(line: StreamEvent): RunSignal | null {
    if (line.type === 'message.delta') return this.#deltaOf(line)
    if (!('position' in line)) return null
    // A request to cancel, which another process stores, may come after later events.
    this.#position = Math.max(this.#position, line.position)
    if (line.type === 'message.completed') this.#messages.end(line.payload.messageId)
    return { kind: 'wake', seq: line.position, event: line }
  }

  #deltaOf(line: DeltaLine): DeltaSignal {
    return { kind: 'delta', after: this.#position, from: this.#messages.write(line), line }
  }
}

type ToolCallDelta = NonNullable<Event<'message.delta'>['payload']['toolCall']>

/** What a model has written of a message so far. */
interface OpenMessage {
  readonly last: DeltaLine
  readonly text: string
  readonly toolCalls: Map<number, ToolCallDelta>
}

/** Messages that are being written: no log has their text, since deltas are not stored. */
class OpenMessages {
  readonly #open = new Map<string, OpenMessage>()

  /** Returns how much there was before of the text, or of the tool call, that the delta continues. */
  write(last: DeltaLine): number {
    const { messageId, text, toolCall: piece } = last.payload
    const { text: before = '', toolCalls = new Map<number, ToolCallDelta>() } = this.#open.get(messageId) ?? {}
    const known = piece && toolCalls.get(piece.index)
    if (piece) toolCalls.set(piece.index, known ? { ...known, ...piece, args: known.args + piece.args } : piece)
    this.#open.set(messageId, { last, text: before + text, toolCalls })
    return piece ? (known?.args.length ?? 0) : before.length
  }

  end(messageId: string): void {
    this.#open.delete(messageId)
  }

  /** One delta for the text of each open message, and one for each of its tool calls. */
  soFar(): readonly DeltaLine[] {
    return [...this.#open.values()].flatMap(({ last, text, toolCalls }) => [
      ...(text === '' ? [] : [wholeDelta(last, { text })]),
      ...[...toolCalls.values()].map((toolCall) => wholeDelta(last, { text: '', toolCall })),
    ])
  }
}

function wholeDelta(last: DeltaLine, { text, toolCall }: Pick<DeltaLine['payload'], 'text' | 'toolCall'>): DeltaLine {
  const { messageId, scope } = last.payload
  const id = `${last.id}:so-far${toolCall ? `:${toolCall.index}` : ''}`
  return { ...last, id, payload: { messageId, scope, text, ...(toolCall && { toolCall }), soFar: true } }
}

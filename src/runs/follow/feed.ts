import type { StreamEvent } from '../../events/index.ts'
import {
  type Channel,
  type DeltaLine,
  type DeltaSignal,
  lengthOf,
  type Mailbox,
  type MessagePart,
  partOf,
  type RunSignal,
  type SignalSource,
} from '../../storage/index.ts'

/** Who reads the lines of a run that is about to be worked on. */
export interface RunReader {
  /** Aborted when the reader has left and the run is not wanted without him. */
  readonly left: AbortSignal
  /** Called just before the first line of the attempt. */
  readonly onBegin: (run: { readonly runId: string; readonly feed: RunFeed }) => void
}

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

/** Messages that are being written: no log has their text, since deltas are not stored. */
class OpenMessages {
  /** Of each message its text, and each of its tool calls, as one delta. */
  readonly #open = new Map<string, Map<MessagePart, DeltaLine>>()

  /** Returns how much there was before of what the delta continues. */
  write(line: DeltaLine): number {
    const { messageId } = line.payload
    const parts = this.#open.get(messageId) ?? new Map<MessagePart, DeltaLine>()
    const before = parts.get(partOf(line))
    this.#open.set(messageId, parts.set(partOf(line), soFar(line, before)))
    return before ? lengthOf(before) : 0
  }

  end(messageId: string): void {
    this.#open.delete(messageId)
  }

  soFar(): readonly DeltaLine[] {
    return [...this.#open.values()].flatMap((parts) => [...parts.values()])
  }
}

function soFar({ payload, ...line }: DeltaLine, before: DeltaLine | undefined): DeltaLine {
  const { text = '', toolCall: known } = before?.payload ?? {}
  const { messageId, scope, toolCall: piece } = payload
  const toolCall = piece && { ...known, ...piece, args: (known?.args ?? '') + piece.args }
  const id = `${line.id}:so-far`
  return {
    ...line,
    id,
    payload: { messageId, scope, text: text + payload.text, ...(toolCall && { toolCall }), soFar: true },
  }
}

import { hasEnded, type StoredEvent, type StreamEvent } from '../../events/index.ts'
import { type DeltaLine, type DeltaSignal, lengthOf, type MessagePart, partOf } from '../../storage/index.ts'
import { RunState } from './run-state.ts'

interface NamedRun {
  readonly runId: string
  readonly threadId: string
}

/** A message that is being written, as one reader has it. */
interface OpenMessage {
  /** The reader may have a part of it from an earlier time. */
  readonly mayBeKnown: boolean
  /** How much of its parts the reader was told. */
  readonly told: Map<MessagePart, number>
}

/** The lines of one reader, made of the run's events in their order, and of the deltas that continue what it has. */
export class Lines {
  /** Of the last event that the reader knows. */
  position = 0
  readonly #run: NamedRun
  /** The reader has everything up to here. */
  readonly #after: number
  readonly #open = new Map<string, OpenMessage>()
  readonly #state = new RunState()

  constructor(run: NamedRun, after: number) {
    this.#run = run
    this.#after = after
  }

  /** True if the last event ended the run for good. */
  get hasEnded(): boolean {
    return hasEnded(this.#state.status.state)
  }

  /** True if the last event ended the run, or paused it. */
  get isOver(): boolean {
    const { activity, attempt } = this.#state.status
    return this.hasEnded || (attempt > 0 && activity.length === 0)
  }

  /** The event behind the last one, and the change of status that follows from it. */
  *ofEvent(event: StoredEvent | (StoredEvent & StreamEvent)): Iterable<StreamEvent> {
    const isKnown = event.position <= this.#after
    if (!isKnown) yield* this.#missedText(event)
    this.#note(event, isKnown)
    if (isKnown) return this.#state.see(event)
    const line: StoredEvent & StreamEvent = 'runId' in event ? event : this.#lineOf(event)
    for (const each of this.#state.take(line)) yield 'runId' in each ? each : this.#lineOf(each)
  }

  /** The delta, if it continues what the reader has of its message, or takes the place of that. */
  *ofDelta({ from, line }: DeltaSignal): Iterable<StreamEvent> {
    const message = this.#open.get(line.payload.messageId)
    if (!message) return
    const told = message.told.get(partOf(line))
    const length = from + lengthOf(line)
    const continues = from === told && !line.payload.soFar
    if (!continues && (from > 0 || length <= (told ?? -1))) return
    message.told.set(partOf(line), length)
    yield continues || !message.mayBeKnown ? line : whole(line)
  }

  /** The log does not show that a process has died; it follows from the missing lease on the run's thread. */
  crashed(): StreamEvent {
    const { runId } = this.#run
    const payload = { from: this.#state.status.state, to: 'interrupted', trigger: 'crashed' } as const
    const [id, timestamp] = [`${runId}:crashed`, new Date().toISOString()]
    return this.#lineOf({ id, type: 'status.changed', timestamp, correlationId: runId, payload })
  }

  #note(event: StoredEvent, isKnown: boolean): void {
    this.position = event.position
    const { type, payload } = event
    if (type === 'message.completed') this.#open.delete(payload.messageId)
    // A process that was stopped and has lost the run may still send what an earlier attempt had begun.
    if (type === 'run.started') this.#open.clear()
    // No others are streamed in pieces.
    const isWritten = type === 'message.created' && payload.role === 'assistant'
    if (isWritten) this.#open.set(payload.messageId, { mayBeKnown: isKnown, told: new Map() })
  }

  /** The text of a message of which the reader may have another part than the whole. */
  *#missedText(event: StoredEvent): Iterable<StreamEvent> {
    if (event.type !== 'message.completed') return
    const { messageId, scope, text, superseded } = event.payload
    const { mayBeKnown = false, told } = this.#open.get(messageId) ?? {}
    const length = told?.get('text') ?? (mayBeKnown ? 0 : text.length)
    if (superseded || length === text.length) return
    const { position: _, ...rest } = event
    const payload = { messageId, scope, text, soFar: true }
    yield this.#lineOf({ ...rest, id: `${event.id}:so-far`, type: 'message.delta', payload })
  }

  #lineOf<L extends object>(line: L): L & NamedRun {
    const { runId, threadId } = this.#run
    return { ...line, runId, threadId }
  }
}

/** Marked as all of the text so far, which takes the place of what the reader may have. */
function whole(line: DeltaLine): DeltaLine {
  return { ...line, payload: { ...line.payload, soFar: true } }
}

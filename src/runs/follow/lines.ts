import { hasEnded, type StoredEvent, type StreamEvent } from '../../events/index.ts'
import { RunState } from './run-state.ts'

interface NamedRun {
  readonly runId: string
  readonly threadId: string
}

/** The lines that are new to one reader, from the log and from feeds, with the changes of status that follow from them. */
export class Lines {
  /** Of the last event that the reader knows. */
  position = 0
  readonly #run: NamedRun
  /** The reader has everything up to here. */
  readonly #after: number
  /** Messages of which the reader may have seen a part. */
  readonly #begun = new Set<string>()
  readonly #completed = new Set<string>()
  /** The reader's position when it last joined a feed. */
  #joinedAt = 0
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

  *ofStored(event: StoredEvent): Iterable<StreamEvent> {
    if (event.position <= this.#after) return this.#skip(event)
    yield* this.#missedText(event)
    this.#note(event)
    for (const line of this.#state.take(event)) yield this.#lineOf(line)
  }

  /** From now on lines come from a feed, which may be behind the log: what was read there comes once more. */
  join(): void {
    this.#joinedAt = this.position
  }

  *ofLive(line: StreamEvent): Iterable<StreamEvent> {
    // Derived from the events again, as for readers of the log.
    if (line.type === 'status.changed') return
    if (!('position' in line)) return yield* this.#unstored(line)
    if (line.position <= this.#joinedAt) return
    if (line.position <= this.#after) return this.#skip(line)
    this.#note(line)
    for (const each of this.#state.take(line)) yield 'runId' in each ? each : this.#lineOf(each)
  }

  /** The log does not show that a process has died; it follows from the missing lease on the run's thread. */
  crashed(): StreamEvent {
    const { runId } = this.#run
    const payload = { from: this.#state.status.state, to: 'interrupted', trigger: 'crashed' } as const
    const [id, timestamp] = [`${runId}:crashed`, new Date().toISOString()]
    return this.#lineOf({ id, type: 'status.changed', timestamp, correlationId: runId, payload })
  }

  *#unstored(line: StreamEvent): Iterable<StreamEvent> {
    if (line.type === 'message.delta') {
      const { messageId } = line.payload
      if (this.#completed.has(messageId)) return
      this.#begun.add(messageId)
    }
    yield line
  }

  /** The reader knows this event, and what was streamed before it. */
  #skip(event: StoredEvent): void {
    this.#note(event)
    this.#state.see(event)
    if (event.type === 'message.created') this.#begun.add(event.payload.messageId)
  }

  #note(event: StoredEvent): void {
    this.position = Math.max(this.position, event.position)
    if (event.type !== 'message.completed') return
    this.#begun.delete(event.payload.messageId)
    this.#completed.add(event.payload.messageId)
  }

  /** The text of a message that was completed while the reader, which may have its beginning, was away or behind. */
  *#missedText(event: StoredEvent): Iterable<StreamEvent> {
    if (event.type !== 'message.completed' || !this.#begun.delete(event.payload.messageId)) return
    const { messageId, scope, text, superseded } = event.payload
    if (superseded) return
    const { position: _, ...rest } = event
    const payload = { messageId, scope, text, soFar: true }
    yield this.#lineOf({ ...rest, id: `${event.id}:so-far`, type: 'message.delta', payload })
  }

  #lineOf<L extends object>(line: L): L & NamedRun {
    const { runId, threadId } = this.#run
    return { ...line, runId, threadId }
  }
}

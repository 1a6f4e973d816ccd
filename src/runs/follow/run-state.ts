import {
  type Event,
  initialStatus,
  type RunStatus,
  reduceStatus,
  type StatusChanged,
  statusOf,
} from '../../events/index.ts'

/** The status of a run, folded from its events, and the `status.changed` lines that follow from them. */
export class RunState {
  #status: RunStatus = initialStatus
  /** Tools at work, by the id of the event that started them. */
  readonly #tools = new Map<string, string>()
  /** The last tool that failed. */
  #failed: { readonly tool: string; readonly message: string } | null = null

  constructor(log: readonly Event[] = []) {
    this.#status = statusOf(log)
    for (const event of log) this.#note(event)
  }

  get status(): RunStatus {
    return this.#status
  }

  /** Folds an event that is not streamed. */
  see(event: Event): void {
    this.#status = reduceStatus(this.#status, event)
    this.#note(event)
  }

  /**
   * An event, and the line that follows from it if it changes the run's state, in the order in which they are streamed.
   * A stream ends with the event that ends the run, so what is derived from that one comes before it.
   */
  take<E extends Event>(event: E): readonly (E | StatusChanged)[] {
    const { state: from } = this.#status
    this.see(event)
    if (this.#status.state === from) return [event]
    const changed = this.#changed(from, event)
    return this.#status.activity.length === 0 ? [changed, event] : [event, changed]
  }

  #note(event: Event): void {
    if (event.type === 'tool.started') this.#tools.set(event.id, event.payload.tool)
    if (event.type !== 'tool.failed') return
    const tool = this.#tools.get(event.causationId ?? '')
    this.#failed = tool === undefined ? null : { tool, message: event.payload.message }
  }

  #changed(from: RunStatus['state'], event: Event): StatusChanged {
    const { id, timestamp, correlationId, type: trigger } = event
    const { state: to, error } = this.#status
    const tool = this.#toolBehind()
    const payload = { from, to, trigger, ...(tool !== null && { tool }), ...(error && { error }) }
    // The id is derived, so that all readers get the same line.
    return { id: `${id}:status`, type: 'status.changed', timestamp, correlationId, payload }
  }

  /** The tool that a run waits for, or whose failure ended it; several are named with commas between them. */
  #toolBehind(): string | null {
    const { state, pendingApprovals, error } = this.#status
    if (state === 'requires_action') return [...new Set(pendingApprovals.map(({ name }) => name))].join(', ') || null
    return state === 'failed' && error?.message === this.#failed?.message ? (this.#failed?.tool ?? null) : null
  }
}

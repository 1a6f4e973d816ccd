import type { StreamEvent } from './subscriber.ts'
import type { PendingToolCall } from './values.ts'

type Of<Type extends StreamEvent['type']> = Extract<StreamEvent, { readonly type: Type }>

/** The question of a run, at the beginning of its first attempt and of each later one. */
export interface QuestionStep {
  readonly kind: 'question'
  readonly attempt: number
  readonly question: string
  /** The id that the client gave it; of the first attempt. */
  readonly messageId?: string | undefined
  /** Of the first attempt. */
  readonly turn?: number
}

/** An agent begins its work, or has done it. */
export interface PhaseStep {
  readonly kind: 'phase'
  readonly agent: string
  readonly isOver: boolean
}

/** A message of the conversation as it is written. */
export type TextStep = { readonly kind: 'text'; readonly messageId: string } & (
  | { readonly state: 'begun'; readonly role: Of<'message.created'>['payload']['role'] }
  /** `text` is all that is written so far. */
  | { readonly state: 'growing'; readonly text: string }
  /** With all that is known of it: its words may be others than those that were streamed. */
  | { readonly state: 'whole'; readonly message: Of<'message.completed'>['payload'] }
)

/** A tool at work. Its name and arguments are absent where its beginning was not seen. */
export interface ToolStep {
  readonly kind: 'tool'
  readonly state: 'started' | 'completed' | 'failed'
  readonly callId?: string
  readonly tool?: string
  readonly args?: Of<'tool.started'>['payload']['args']
  /** What it returned, or why it failed. */
  readonly output?: string
}

/** The run waits until a person has decided on these calls. */
export interface ApprovalStep {
  readonly kind: 'approval'
  readonly approvals: readonly PendingToolCall[]
}

/** The run has ended; or it was interrupted, and may go on in another attempt. */
export interface EndStep {
  readonly kind: 'end'
  readonly state: 'completed' | 'failed' | 'cancelled' | 'interrupted'
  /** Of a run that is completed. */
  readonly outcome?: Of<'run.completed'>['payload']
  /** Why it failed. */
  readonly message?: string
}

type Told = QuestionStep | PhaseStep | TextStep | ToolStep | ApprovalStep | EndStep

/** What a person is shown of a run: one step for each event that tells them something. */
export type RunStep = Told & {
  readonly event: StreamEvent
  /** Of the last event in the log, when this step was made; 0 before the first. */
  readonly position: number
}

/** The steps of a run, from its events as they come. */
export async function* runSteps(events: AsyncIterable<StreamEvent>): AsyncGenerator<RunStep> {
  const fold = new StepFold()
  for await (const event of events) {
    const step = fold.take(event)
    if (step) yield step
  }
}

/** The fold behind `runSteps`, event by event. It may begin anywhere in a log. */
export class StepFold {
  #position = 0
  #open = { messageId: '', text: '' }
  #approvals: readonly PendingToolCall[] = []
  #isCancelled = false
  #hasEnded = false
  /** Tools at work, by the id of the event that started them. */
  readonly #calls = new Map<string, Pick<ToolStep, 'callId' | 'tool' | 'args'>>()

  /** What the event tells; null for nothing. */
  take(event: StreamEvent): RunStep | null {
    if ('position' in event) this.#position = event.position
    const told = this.#tell(event)
    return told && { ...told, event, position: this.#position }
  }

  #tell(event: StreamEvent): Told | null {
    switch (event.type) {
      case 'run.created': {
        const { question, messageId, turn } = event.payload
        return { kind: 'question', attempt: 1, question, messageId, turn }
      }
      case 'run.started': {
        const { attempt, question } = event.payload
        return attempt > 1 ? { kind: 'question', attempt, question } : null
      }
      case 'agent.started':
      case 'agent.completed':
        return { kind: 'phase', agent: event.agent ?? '', isOver: event.type === 'agent.completed' }
      case 'message.created':
      case 'message.delta':
      case 'message.completed':
        return this.#text(event)
      case 'tool.started':
      case 'tool.completed':
      case 'tool.failed':
        return this.#tool(event)
      case 'approval.requested':
        this.#approvals = [...this.#approvals, ...event.payload.approvals]
        return null
      case 'approval.resolved':
        this.#approvals = this.#approvals.filter(({ id }) => id !== event.payload.approvalId)
        return null
      default:
        return this.#ending(event)
    }
  }

  #text({ type, payload }: Of<'message.created' | 'message.delta' | 'message.completed'>): TextStep | null {
    if (payload.scope !== 'thread') return null
    const { messageId } = payload
    if (type === 'message.created') {
      this.#open = { messageId, text: '' }
      return { kind: 'text', messageId, state: 'begun', role: payload.role }
    }
    if (type === 'message.completed') return { kind: 'text', messageId, state: 'whole', message: payload }
    if (payload.toolCall) return null
    const before = payload.soFar || this.#open.messageId !== messageId ? '' : this.#open.text
    this.#open = { messageId, text: before + payload.text }
    return { kind: 'text', messageId, state: 'growing', text: this.#open.text }
  }

  #tool(event: Of<'tool.started' | 'tool.completed' | 'tool.failed'>): ToolStep {
    if (event.type === 'tool.started') {
      this.#calls.set(event.id, event.payload)
      return { kind: 'tool', state: 'started', ...event.payload }
    }
    const call = this.#calls.get(event.causationId ?? '')
    return event.type === 'tool.completed'
      ? { kind: 'tool', state: 'completed', ...call, output: event.payload.content }
      : { kind: 'tool', state: 'failed', ...call, output: event.payload.message }
  }

  #ending(event: StreamEvent): ApprovalStep | EndStep | null {
    switch (event.type) {
      case 'run.completed':
        return { kind: 'end', state: 'completed', outcome: event.payload }
      case 'run.failed':
        return { kind: 'end', state: 'failed', message: event.payload.message }
      case 'run.interrupted': {
        const { reason } = event.payload
        if (reason === 'approval') return { kind: 'approval', approvals: this.#approvals }
        return reason === 'cancelled' ? this.#cancelled() : { kind: 'end', state: 'interrupted' }
      }
      case 'status.changed':
        this.#isCancelled = event.payload.to === 'cancelled'
        return event.payload.trigger === 'crashed' ? { kind: 'end', state: 'interrupted' } : null
      // A run at work ends a moment later, with an event of its own.
      case 'cancel.requested':
        return this.#isCancelled ? this.#cancelled() : null
      default:
        return null
    }
  }

  #cancelled(): EndStep | null {
    if (this.#hasEnded) return null
    this.#hasEnded = true
    return { kind: 'end', state: 'cancelled' }
  }
}

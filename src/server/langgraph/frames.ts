import type { RunResult, StreamEvent } from '../../index.ts'
import { answerMessage, humanMessage, interruptsOf, type Values, type WireMessage } from './objects.ts'

/** One event of the stream: `id` lets a client that comes back have what follows, and nothing twice. */
export interface Frame {
  readonly id: string
  readonly event: string
  readonly data: unknown
}

export interface FrameOptions {
  /** What the client asked for: `values`, `updates`, `messages-tuple`, `messages`, `tools`, `custom`, … */
  readonly modes: ReadonlySet<string>
  /** The conversation before this run. */
  readonly before: readonly WireMessage[]
  /** The question of this run, where it is stored already. */
  readonly question: WireMessage | undefined
  /** The position that the client has, with so many characters of the message that is open there. */
  readonly after: { readonly position: number; readonly characters: number }
}

/** A position of the form `<position in the log>.<characters of the open message>`. */
export function positionIn(id: string | undefined): FrameOptions['after'] {
  const [, position = '0', characters = '0'] = /^(\d{1,12})\.(\d{1,9})$/.exec(id ?? '') ?? []
  return { position: Number(position), characters: Number(characters) }
}

/** A run's events as frames of the modes that were asked for. */
export class Frames {
  readonly #options: FrameOptions
  #position: number
  #question: WireMessage | undefined
  /** Messages that began on this connection. */
  readonly #begun = new Set<string>()
  /** Tools at work, by the id of the event that started them. */
  readonly #calls = new Map<string, string>()
  /** The message that is open, and how much of it was sent. */
  #open: { readonly id: string; readonly length: number } | null = null

  constructor(options: FrameOptions) {
    this.#options = options
    this.#question = options.question
    this.#position = options.after.position
  }

  *of(event: StreamEvent): Generator<Frame> {
    if ('position' in event) this.#position = event.position
    if (event.type === 'run.created') {
      this.#question = humanMessage(event.runId, event.payload.question, event.payload.messageId)
      yield this.#frame('metadata', { run_id: event.runId, attempt: 1 })
      if (this.#wants('values')) yield this.#frame('values', { messages: [...this.#options.before, this.#question] })
    }
    if (event.type === 'agent.completed' && this.#wants('updates') && event.agent) {
      yield this.#frame('updates', { [event.agent]: { next: null } })
    }
    if (event.type === 'message.created') this.#begun.add(event.payload.messageId)
    if (event.type === 'message.delta') yield* this.#delta(event.payload, event)
    yield* this.#tool(event)
  }

  /** The frames that end the stream of a run. */
  *closing(result: RunResult): Generator<Frame> {
    const { status, error } = result
    const interrupts = interruptsOf(result)
    if (this.#wants('values')) {
      const values = this.valuesOf(result)
      yield this.#frame('values', interrupts.length > 0 ? { ...values, __interrupt__: interrupts } : values)
    } else if (interrupts.length > 0) yield this.#frame('updates', { __interrupt__: interrupts })
    if (status === 'failed')
      yield this.#frame('error', { error: error?.code ?? 'failed', message: error?.message ?? 'The run failed.' })
  }

  valuesOf(result: RunResult): Values {
    const { runId, question, answer, clarification, citations, confidence, abstained, unsupported } = result
    const details = { citations, confidence, abstained, unsupported }
    const asked = this.#question ?? humanMessage(runId, question)
    const text = answer || clarification || ''
    const said = text === '' ? [] : [answerMessage(runId, text, details)]
    return { messages: [...this.#options.before, asked, ...said], ...details }
  }

  *#delta(
    { messageId, scope, text, soFar, toolCall }: Extract<StreamEvent, { type: 'message.delta' }>['payload'],
    { runId, threadId }: StreamEvent,
  ): Generator<Frame> {
    if (scope !== 'thread' || toolCall || !(this.#wants('messages-tuple') || this.#wants('messages'))) return
    // Words are added to words: a second draft is not streamed, and comes with the values if it is kept.
    const before = this.#options.after.characters
    if (this.#open ? this.#open.id !== messageId : before > 0 && this.#begun.has(messageId)) return
    const known = this.#open?.length ?? (soFar ? before : 0)
    const added = soFar ? text.slice(known) : text
    this.#open = { id: messageId, length: soFar ? text.length : known + text.length }
    if (added === '') return
    const chunk = {
      type: 'AIMessageChunk',
      id: `${runId}-answer`,
      content: added,
      tool_calls: [],
      tool_call_chunks: [],
      additional_kwargs: {},
      response_metadata: {},
    }
    yield this.#frame('messages', [chunk, { langgraph_node: 'synthesis', run_id: runId, thread_id: threadId }])
  }

  *#tool(event: StreamEvent): Generator<Frame> {
    if (!this.#wants('tools')) return
    if (event.type === 'tool.started') {
      const { callId: toolCallId, tool: name, args: input } = event.payload
      this.#calls.set(event.id, toolCallId)
      yield this.#frame('tools', { event: 'on_tool_start', toolCallId, name, input })
    }
    if (event.type === 'tool.completed') {
      const toolCallId = this.#calls.get(event.causationId ?? '')
      yield this.#frame('tools', { event: 'on_tool_end', toolCallId, output: event.payload.content })
    }
    if (event.type === 'tool.failed') {
      const toolCallId = this.#calls.get(event.causationId ?? '')
      yield this.#frame('tools', { event: 'on_tool_error', toolCallId, error: event.payload.message })
    }
  }

  #wants(mode: string): boolean {
    return this.#options.modes.has(mode)
  }

  #frame(event: string, data: unknown): Frame {
    const characters = this.#open?.length ?? this.#options.after.characters
    return { id: `${this.#position}.${characters}`, event, data }
  }
}

import type { RunResult, StreamEvent } from '../../index.ts'
import {
  answerId,
  answerMessage,
  assistantId,
  graphId,
  humanMessage,
  interruptsOf,
  type Values,
  type WireMessage,
} from './objects.ts'

type Of<Type extends StreamEvent['type']> = Extract<StreamEvent, { readonly type: Type }>

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
  readonly #calls = new Map<string, { readonly toolCallId: string; readonly name: string }>()
  /** The message that is open, as far as it was sent. */
  #open: { readonly id: string; readonly text: string } | null = null
  /** The answer that the agent at work has given. */
  #answer: WireMessage | null = null

  constructor(options: FrameOptions) {
    this.#options = options
    this.#question = options.question
    this.#position = options.after.position
  }

  *of(event: StreamEvent): Generator<Frame> {
    if ('position' in event) this.#position = event.position
    if (event.type === 'run.created' || event.type === 'run.started') yield* this.#beginning(event)
    if (event.type === 'message.completed') this.#hear(event)
    if (event.type === 'agent.completed' && event.agent) yield* this.#update(event.agent)
    if (event.type === 'message.created') this.#begun.add(event.payload.messageId)
    if (event.type === 'message.delta') yield* this.#delta(event)
    yield* this.#tool(event)
  }

  /** The frames that end the stream of a run. */
  *closing(result: RunResult): Generator<Frame> {
    const { status, error } = result
    const __interrupt__ = interruptsOf(result)
    const values = this.valuesOf(result)
    const waiting = __interrupt__.length > 0 && { __interrupt__ }
    if (waiting && this.#wants('updates')) yield this.#frame('updates', waiting)
    if (this.#wants('values')) yield this.#frame('values', { ...values, ...waiting })
    const answers = values.messages.filter(({ id }) => id === answerId(result.runId))
    if (answers.length > 0 && this.#wants('messages')) yield this.#frame('messages/complete', answers)
    if (status === 'failed')
      yield this.#frame('error', { error: error?.code ?? 'failed', message: error?.message ?? 'The run failed.' })
  }

  valuesOf(result: RunResult): Values & { readonly messages: readonly WireMessage[] } {
    const { runId, question, answer, clarification } = result
    const { citations, confidence, abstained, sentences, unsupported } = result
    const details = { citations, confidence, abstained, sentences, unsupported }
    const asked = this.#question ?? humanMessage(runId, question)
    const text = answer || clarification || ''
    const said = text === '' ? [] : [answerMessage(runId, text, details)]
    return { messages: [...this.#options.before, asked, ...said], ...details }
  }

  /** The beginning of a run, and of each later attempt at it. */
  *#beginning({ type, runId, payload }: Of<'run.created'> | Of<'run.started'>): Generator<Frame> {
    if (type === 'run.created') this.#question = humanMessage(runId, payload.question, payload.messageId)
    else if (payload.attempt === 1) return
    yield this.#frame('metadata', { run_id: runId, attempt: type === 'run.created' ? 1 : payload.attempt })
    const asked = this.#question ? [this.#question] : []
    if (this.#wants('values')) yield this.#frame('values', { messages: [...this.#options.before, ...asked] })
    if (this.#wants('messages')) yield this.#frame('messages/complete', asked)
  }

  /** The answer that a node adds to the state. */
  #hear({ payload, runId }: Of<'message.completed'>): void {
    const { scope, role, superseded, added, text, citations = [] } = payload
    if (scope !== 'thread' || role !== 'assistant' || superseded || added) return
    this.#answer = answerMessage(runId, text, { citations })
  }

  *#update(node: string): Generator<Frame> {
    const messages = this.#answer && { messages: [this.#answer] }
    this.#answer = null
    if (this.#wants('updates')) yield this.#frame('updates', { [node]: messages ?? {} })
  }

  *#delta({ payload, runId, threadId }: Of<'message.delta'>): Generator<Frame> {
    const isTuple = this.#wants('messages-tuple')
    if (payload.scope !== 'thread' || payload.toolCall || !(isTuple || this.#wants('messages'))) return
    const isFirst = !this.#open?.text
    const added = this.#added(payload)
    if (added === '' || !this.#open) return
    const id = answerId(runId ?? '')
    const ids = { run_id: runId, thread_id: threadId, graph_id: graphId, assistant_id: assistantId }
    const metadata = { tags: [], langgraph_node: 'synthesis', ...ids }
    if (isTuple) yield this.#frame('messages', [chunkOf(id, added), metadata])
    if (!this.#wants('messages')) return
    if (isFirst) yield this.#frame('messages/metadata', { [id]: { metadata } })
    yield this.#frame('messages/partial', [{ ...chunkOf(id, this.#open.text), type: 'ai' }])
  }

  /** What a delta adds to the text that the client has. */
  #added({ messageId, text, soFar }: Of<'message.delta'>['payload']): string {
    // Words are added to words: a second draft is not streamed, and comes with the values if it is kept.
    const before = this.#options.after.characters
    if (this.#open ? this.#open.id !== messageId : before > 0 && this.#begun.has(messageId)) return ''
    const known = this.#open?.text ?? ''
    this.#open = { id: messageId, text: soFar ? text : known + text }
    return soFar ? text.slice(known.length || before) : text
  }

  *#tool(event: StreamEvent): Generator<Frame> {
    if (!this.#wants('tools')) return
    if (event.type === 'tool.started') {
      const { callId: toolCallId, tool: name, args: input } = event.payload
      this.#calls.set(event.id, { toolCallId, name })
      yield this.#frame('tools', { event: 'on_tool_start', toolCallId, name, input })
    }
    if (event.type !== 'tool.completed' && event.type !== 'tool.failed') return
    const call = this.#calls.get(event.causationId ?? '')
    if (event.type === 'tool.completed') {
      yield this.#frame('tools', { event: 'on_tool_end', ...call, output: event.payload.content })
    }
    if (event.type === 'tool.failed') {
      yield this.#frame('tools', { event: 'on_tool_error', ...call, error: event.payload.message })
    }
  }

  #wants(mode: string): boolean {
    return this.#options.modes.has(mode)
  }

  #frame(event: string, data: unknown): Frame {
    const characters = this.#open?.text.length ?? this.#options.after.characters
    return { id: `${this.#position}.${characters}`, event, data }
  }
}

/** A message as it is written. */
function chunkOf(id: string, content: string) {
  const nothing = { tool_calls: [], invalid_tool_calls: [], tool_call_chunks: [] }
  return { type: 'AIMessageChunk', id, content, ...nothing, additional_kwargs: {}, response_metadata: {} }
}

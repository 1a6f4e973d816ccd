import { type RunResult, reduceStatus, type StreamEvent, statusOf } from '../../index.ts'
import { answerMessage, humanMessage, interruptsOf, type WireMessage } from '../langgraph/objects.ts'

/** An event of the protocol, as a line of a thread's stream. */
export interface ProtocolEvent {
  readonly type: 'event'
  /** The same on every connection: clients drop those that they have seen. */
  readonly event_id: string
  readonly seq: number
  readonly method: 'lifecycle' | 'checkpoints' | 'values' | 'messages' | 'tools' | 'input.requested'
  readonly params: {
    readonly namespace: readonly string[]
    /** Milliseconds since 1970. */
    readonly timestamp: number
    readonly node?: string
    readonly data: unknown
  }
}

type Stored = Extract<StreamEvent, { readonly position: number }>
type Of<Type extends StreamEvent['type']> = Extract<StreamEvent, { type: Type }>

/** Numbers below this follow from an event itself, those above from the characters of the message it began. */
const firstOfText = 10

/** Rises through a thread: with its turns, the positions in their logs, and the characters of a message. */
export function sequence(turn: number, position: number, part = 0): number {
  return turn * 1e11 + position * 1e6 + Math.min(part, 1e6 - 1)
}

/** A word with the space behind it once another one has begun, or a part of a long one. */
const wholePiece = /(?:(?<!\s)\s+)?(?:\S{16}|\S+\s+(?=\S))/gu
/** The same, and what is left at the end of a text. */
const everyPiece = /\s*(?:\S{16}|\S+\s*)|\s+/gu

/** The answer that is being written. */
interface OpenText {
  readonly messageId: string
  /** Of the event that began it. */
  readonly position: number
  text: string
  /** Characters that were sent. */
  sent: number
}

/**
 * A run's events as those of the protocol. All follow from the log, and pieces of a text from the text alone, so that every
 * reader gets the same ids for the same content, also after a restart.
 */
export class RunEvents {
  readonly #before: readonly WireMessage[]
  #status = statusOf([])
  #turn = 0
  #position = 0
  #part = 0
  #at: Pick<StreamEvent, 'runId' | 'timestamp'> = { runId: '', timestamp: '' }
  /** The run's own messages. */
  #own: readonly (WireMessage | ReturnType<typeof inBlocks>)[] = []
  #question: { readonly content: string; readonly messageId?: string | undefined } = { content: '' }
  #open: OpenText | null = null
  /** Tools at work, by the id of the event that started them. */
  readonly #calls = new Map<string, string>()

  /** `before` is the conversation before the run. */
  constructor(before: readonly WireMessage[]) {
    this.#before = before
  }

  *of(event: StreamEvent): Generator<ProtocolEvent> {
    this.#at = event
    if (event.type === 'message.delta') return yield* this.#pieces(event)
    if (event.type === 'status.changed') {
      if (event.payload.trigger === 'crashed') yield* this.#stopped()
      return
    }
    if (!('position' in event)) return
    this.#position = event.position
    this.#part = 0
    const before = this.#status.state
    this.#status = reduceStatus(this.#status, event)
    if (event.type.startsWith('message.')) yield* this.#message(event)
    else if (event.type.startsWith('tool.')) yield* this.#tool(event)
    else yield* this.#progress(event, before)
  }

  *#progress(event: Stored, before: string): Generator<ProtocolEvent> {
    if (event.type === 'run.created') {
      const { turn, question: content, messageId } = event.payload
      this.#turn = turn
      this.#question = { content, messageId }
      yield this.#lifecycle('running')
      yield* this.#values({ messages: [...this.#before, this.#asked()] })
    }
    if (event.type === 'run.started' && event.payload.attempt > 1) {
      yield this.#lifecycle('running')
      yield* this.#values({ messages: [...this.#before, ...this.#own] })
    }
    if (event.type === 'run.completed') {
      yield* this.#ending(detailsOf(event.payload), 'completed')
    }
    if (event.type === 'run.failed') yield* this.#ending({}, 'failed', event.payload.message)
    if (event.type === 'run.interrupted' && event.payload.reason === 'approval') yield* this.#request()
    else if (event.type === 'run.interrupted' && event.payload.reason !== 'cancelled') yield* this.#stopped()
    else if (this.#status.state === 'cancelled' && before !== 'cancelled') yield* this.#ending({}, 'interrupted')
  }

  /** What the run waits for. */
  *#request(): Generator<ProtocolEvent> {
    const { runId } = this.#at
    const approvals = this.#status.pendingApprovals.map(({ id, name, args }) => ({ id, tool: name, args }))
    for (const { id, value } of interruptsOf({ runId: runId ?? '', approvals })) {
      yield this.#event('input.requested', { interrupt_id: id, payload: value })
    }
    yield this.#lifecycle('interrupted')
  }

  /** The process of the run was stopped; the same question, sent again, goes on with it. */
  *#stopped(): Generator<ProtocolEvent> {
    // Two derived lines may follow the same position.
    this.#part += 1
    yield* this.#closeText(this.#open?.text ?? '')
    yield this.#lifecycle('failed', 'The run was interrupted. Send the question again with its id to go on with it.')
  }

  *#ending(values: object, name: 'completed' | 'failed' | 'interrupted', error?: string): Generator<ProtocolEvent> {
    yield* this.#closeText(this.#open?.text ?? '')
    yield* this.#values({ messages: [...this.#before, ...this.#own], ...values })
    yield this.#lifecycle(name, error)
  }

  *#message(event: Stored): Generator<ProtocolEvent> {
    if (event.type !== 'message.created' && event.type !== 'message.completed') return
    const { scope, role } = event.payload
    if (scope !== 'thread') return
    if (event.type === 'message.created') {
      if (role === 'assistant') yield* this.#openText(event.payload.messageId)
    } else if (event.payload.added) this.#add(event.payload)
    else if (role === 'user') this.#own = [...this.#own, this.#asked()]
    else if (role === 'assistant') yield* this.#answer(event.payload)
  }

  /** A message that a hook put in. */
  #add({ role, text }: Of<'message.completed'>['payload']): void {
    const runId = this.#at.runId ?? ''
    const message = role === 'user' ? humanMessage(runId, text) : answerMessage(runId, text)
    this.#own = [...this.#own, { ...message, id: `${runId}-added-${this.#before.length + this.#own.length}` }]
  }

  *#answer(payload: Of<'message.completed'>['payload']): Generator<ProtocolEvent> {
    const { messageId, text, superseded } = payload
    const answer = inBlocks(answerMessage(this.#at.runId ?? '', text, detailsOf(payload)))
    this.#own = [...this.#own.filter(({ id }) => id !== answer.id), answer]
    if (!this.#open) yield* this.#openText(messageId)
    // A text that was changed after it was streamed takes the place of its pieces.
    if (!superseded) yield* this.#written(text, everyPiece)
    yield* this.#closeText(text)
  }

  *#openText(messageId: string): Generator<ProtocolEvent> {
    this.#open = { messageId, position: this.#position, text: '', sent: 0 }
    yield this.#event('messages', { event: 'message-start', role: 'ai', id: `${this.#at.runId}-answer` })
    yield this.#event('messages', { event: 'content-block-start', index: 0, content: { type: 'text', text: '' } })
  }

  *#pieces({ payload }: Of<'message.delta'>): Generator<ProtocolEvent> {
    const { messageId, scope, text, soFar, toolCall } = payload
    if (scope !== 'thread' || toolCall || this.#open?.messageId !== messageId) return
    yield* this.#written(soFar ? text : this.#open.text + text, wholePiece)
  }

  /** The pieces of the open text, as far as it is written, that were not sent. */
  *#written(text: string, pieces: RegExp): Generator<ProtocolEvent> {
    const open = this.#open
    if (!open) return
    open.text = text
    for (const [piece] of text.slice(open.sent).matchAll(pieces)) {
      open.sent += piece.length
      const place = { position: open.position, part: firstOfText + open.sent }
      const delta = { type: 'text-delta', text: piece }
      yield this.#event('messages', { event: 'content-block-delta', index: 0, delta }, place)
    }
  }

  /** Ends the open text with all of it, as it was verified. */
  *#closeText(text: string): Generator<ProtocolEvent> {
    if (!this.#open) return
    this.#open = null
    yield this.#event('messages', { event: 'content-block-finish', index: 0, content: { type: 'text', text } })
    yield this.#event('messages', { event: 'message-finish', reason: 'stop' })
  }

  *#tool(event: Stored): Generator<ProtocolEvent> {
    if (event.type === 'tool.started') {
      const { callId, tool, args } = event.payload
      this.#calls.set(event.id, callId)
      yield this.#event('tools', { event: 'tool-started', tool_call_id: callId, tool_name: tool, input: args })
    }
    const call = { tool_call_id: this.#calls.get(event.causationId ?? '') }
    if (event.type === 'tool.completed')
      yield this.#event('tools', { event: 'tool-finished', ...call, output: event.payload.content })
    if (event.type === 'tool.failed')
      yield this.#event('tools', { event: 'tool-error', ...call, message: event.payload.message })
  }

  #asked(): WireMessage {
    return humanMessage(this.#at.runId ?? '', this.#question.content, this.#question.messageId)
  }

  /** Values, behind the checkpoint that they belong to: a turn is one. */
  *#values(values: object): Generator<ProtocolEvent> {
    yield this.#event('checkpoints', { id: this.#at.runId, step: this.#turn, source: 'loop' })
    yield this.#event('values', values)
  }

  #lifecycle(name: string, error?: string): ProtocolEvent {
    return this.#event('lifecycle', { event: name, graph_name: 'quaero', ...(error !== undefined && { error }) })
  }

  #event(method: ProtocolEvent['method'], data: unknown, place?: { position: number; part: number }): ProtocolEvent {
    const { position, part } = place ?? { position: this.#position, part: this.#part }
    if (!place) this.#part += 1
    return {
      type: 'event',
      event_id: `${this.#at.runId}:${position}.${part}`,
      seq: sequence(this.#turn, position, part),
      method,
      params: {
        namespace: [],
        timestamp: Date.parse(this.#at.timestamp),
        ...(method === 'messages' && { node: 'synthesis' }),
        data,
      },
    }
  }
}

/** A message as clients assemble it from its events: values with the same content add what else is known of it. */
function inBlocks({ id, content, response_metadata: metadata }: ReturnType<typeof answerMessage>) {
  const blocks = [{ type: 'text', text: content }]
  return { type: 'ai', id, content: blocks, response_metadata: { output_version: 'v1', ...metadata } } as const
}

type Details = Partial<Pick<RunResult, 'citations' | 'confidence' | 'abstained' | 'sentences' | 'unsupported'>>

/** What is known of an answer beside its text. */
function detailsOf(known: { readonly [Name in keyof Details]: unknown }) {
  const { citations, confidence, abstained, sentences, unsupported } = known
  return { citations, confidence, abstained, sentences, unsupported }
}

import type { ApprovalStep, QuestionStep, RunStep, TextStep, ToolStep } from '../../events/index.ts'
import type { RunResult, StreamEvent } from '../../index.ts'
import { limitedToIn } from '../../runs/index.ts'
import { answerMessage, evidenceOf, humanMessage, interruptsOf, type WireMessage } from '../langgraph/objects.ts'

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

type WholeMessage = Extract<TextStep, { readonly state: 'whole' }>['message']

/** The protocol's words for how a run ends, and for what a tool does. */
const endings = { completed: 'completed', failed: 'failed', cancelled: 'interrupted' } as const
const toolEvents = { started: 'tool-started', completed: 'tool-finished', failed: 'tool-error' } as const

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
  #turn = 0
  #position = 0
  #part = 0
  #at: Pick<StreamEvent, 'runId' | 'timestamp'> = { runId: '', timestamp: '' }
  /** The run's own messages. */
  #own: readonly (WireMessage | ReturnType<typeof inBlocks>)[] = []
  #asked: WireMessage = humanMessage('', '')
  #limitedTo: RunResult['limitedTo'] = null
  #open: OpenText | null = null

  /** `before` is the conversation before the run. */
  constructor(before: readonly WireMessage[]) {
    this.#before = before
  }

  *of(step: RunStep): Generator<ProtocolEvent> {
    this.#at = step.event
    if (step.event.type === 'run.created') this.#limitedTo = limitedToIn(step.event.payload)
    if (step.position !== this.#position) this.#part = 0
    this.#position = step.position
    if (step.kind === 'question') yield* this.#begin(step)
    if (step.kind === 'text') yield* this.#message(step)
    if (step.kind === 'tool') yield this.#tool(step)
    if (step.kind === 'approval') yield* this.#request(step)
    if (step.kind !== 'end') return
    const { state, outcome = {}, message } = step
    if (state === 'interrupted') yield* this.#stopped()
    else {
      const evidence = state === 'completed' ? evidenceOf({ ...outcome, limitedTo: this.#limitedTo }) : {}
      yield* this.#ending(evidence, endings[state], message)
    }
  }

  *#begin({ attempt, turn = 0, question, messageId }: QuestionStep): Generator<ProtocolEvent> {
    if (attempt === 1) {
      this.#turn = turn
      this.#asked = humanMessage(this.#at.runId, question, messageId)
    }
    yield this.#lifecycle('running')
    yield* this.#values({ messages: [...this.#before, ...(attempt === 1 ? [this.#asked] : this.#own)] })
  }

  /** What the run waits for. */
  *#request({ approvals }: ApprovalStep): Generator<ProtocolEvent> {
    const calls = approvals.map(({ id, name, args }) => ({ id, tool: name, args }))
    for (const { id, value } of interruptsOf({ runId: this.#at.runId, approvals: calls }))
      yield this.#event('input.requested', { interrupt_id: id, payload: value })
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

  *#message(step: TextStep): Generator<ProtocolEvent> {
    if (step.state === 'begun') {
      if (step.role === 'assistant') yield* this.#openText(step.messageId)
    } else if (step.state === 'growing') {
      if (this.#open?.messageId === step.messageId) yield* this.#written(step.text, wholePiece)
    } else if (step.message.added) this.#add(step.message)
    else if (step.message.role === 'user') this.#own = [...this.#own, this.#asked]
    else if (step.message.role === 'assistant') yield* this.#answer(step.message)
  }

  /** A message that a hook put in. */
  #add({ role, text }: WholeMessage): void {
    const { runId } = this.#at
    const message = role === 'user' ? humanMessage(runId, text) : answerMessage(runId, text)
    this.#own = [...this.#own, { ...message, id: `${runId}-added-${this.#before.length + this.#own.length}` }]
  }

  *#answer(message: WholeMessage): Generator<ProtocolEvent> {
    const { messageId, text, superseded } = message
    const answer = inBlocks(answerMessage(this.#at.runId, text, evidenceOf(message)))
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

  #tool({ state, callId, tool, args, output }: ToolStep): ProtocolEvent {
    const call = { event: toolEvents[state], tool_call_id: callId }
    if (state === 'started') return this.#event('tools', { ...call, tool_name: tool, input: args })
    return this.#event('tools', state === 'completed' ? { ...call, output } : { ...call, message: output })
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

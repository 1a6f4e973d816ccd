import type { QuestionStep, RunStep, TextStep, ToolStep } from '../../events/index.ts'
import type { RunResult } from '../../index.ts'
import { saidIn } from '../protocol/protocol.ts'
import type { Frame, RunView } from '../protocol/stream.ts'
import {
  answerId,
  answerMessage,
  assistantId,
  evidenceOf,
  graphId,
  humanMessage,
  interruptsOf,
  type Values,
  type WireMessage,
} from './objects.ts'

type WholeMessage = Extract<TextStep, { readonly state: 'whole' }>['message']

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

/** A run as frames of the modes that were asked for. */
export class Frames implements RunView {
  readonly #options: FrameOptions
  #position: number
  #question: WireMessage | undefined
  /** Messages that began on this connection. */
  readonly #begun = new Set<string>()
  /** The message that is open, as far as it was sent. */
  #open: { readonly id: string; readonly text: string } | null = null
  /** The answer that the agent at work has given. */
  #answer: WireMessage | null = null

  constructor(options: FrameOptions) {
    this.#options = options
    this.#question = options.question
    this.#position = options.after.position
  }

  *frames(step: RunStep): Generator<Frame> {
    if (step.position > 0) this.#position = step.position
    const { runId } = step.event
    if (step.kind === 'question') yield* this.#beginning(step, runId)
    if (step.kind === 'phase' && step.isOver && step.agent !== '') yield* this.#update(step.agent)
    if (step.kind === 'tool' && this.#wants('tools')) yield this.#tool(step)
    if (step.kind !== 'text') return
    if (step.state === 'begun') this.#begun.add(step.messageId)
    if (step.state === 'growing') yield* this.#grow(step.messageId, step.text, step.event)
    if (step.state === 'whole') this.#hear(step.message, runId)
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
    const { runId, question } = result
    const evidence = evidenceOf(result)
    const asked = this.#question ?? humanMessage(runId, question)
    const text = saidIn(result)
    const said = text === '' ? [] : [answerMessage(runId, text, evidence)]
    return { messages: [...this.#options.before, asked, ...said], ...evidence }
  }

  /** The beginning of a run, and of each later attempt at it. */
  *#beginning({ attempt, question, messageId }: QuestionStep, runId: string): Generator<Frame> {
    if (attempt === 1) this.#question = humanMessage(runId, question, messageId)
    yield this.#frame('metadata', { run_id: runId, attempt })
    const asked = this.#question ? [this.#question] : []
    if (this.#wants('values')) yield this.#frame('values', { messages: [...this.#options.before, ...asked] })
    if (this.#wants('messages')) yield this.#frame('messages/complete', asked)
  }

  /** The answer that a node adds to the state. */
  #hear({ role, superseded, added, text, citations = [] }: WholeMessage, runId: string): void {
    if (role === 'assistant' && !superseded && !added) this.#answer = answerMessage(runId, text, { citations })
  }

  *#update(node: string): Generator<Frame> {
    const messages = this.#answer && { messages: [this.#answer] }
    this.#answer = null
    if (this.#wants('updates')) yield this.#frame('updates', { [node]: messages ?? {} })
  }

  *#grow(messageId: string, text: string, { runId, threadId }: RunStep['event']): Generator<Frame> {
    const [isTuple, isWhole] = [this.#wants('messages-tuple'), this.#wants('messages')]
    // Words are added to words: a second draft is not streamed, and comes with the values if it is kept.
    const before = this.#options.after.characters
    const isOther = this.#open ? this.#open.id !== messageId : before > 0 && this.#begun.has(messageId)
    if (isOther || !(isTuple || isWhole)) return
    const known = this.#open?.text ?? ''
    this.#open = { id: messageId, text }
    const added = text.slice(known.length || before)
    if (added === '') return
    const id = answerId(runId)
    const ids = { run_id: runId, thread_id: threadId, graph_id: graphId, assistant_id: assistantId }
    const metadata = { tags: [], langgraph_node: 'synthesis', ...ids }
    if (isTuple) yield this.#frame('messages', [chunkOf(id, added), metadata])
    if (!isWhole) return
    if (known === '') yield this.#frame('messages/metadata', { [id]: { metadata } })
    yield this.#frame('messages/partial', [{ ...chunkOf(id, text), type: 'ai' }])
  }

  #tool({ state, callId: toolCallId, tool: name, args: input, output }: ToolStep): Frame {
    const call = { toolCallId, name }
    if (state === 'started') return this.#frame('tools', { event: 'on_tool_start', ...call, input })
    if (state === 'completed') return this.#frame('tools', { event: 'on_tool_end', ...call, output })
    return this.#frame('tools', { event: 'on_tool_error', ...call, error: output })
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

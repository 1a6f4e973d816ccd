import { type Context, describeError, fact } from '../events/index.ts'
import { BaseAgent } from './base-agent.ts'
import { closingMessage, earlierMessages } from './loop/history.ts'
import { askModel } from './loop/model-call.ts'
import { type ModelAgentOptions, promptedCall } from './loop/prompted-call.ts'
import { isRecoverable } from './loop/step.ts'
import { type AgentState, type AgentUpdate, currentQuestion, toldIn } from './state.ts'

const fallbackQuestion = 'Could you say a little more precisely what you mean: which document, and which part of it?'

/** Asks the person one short question; the run ends, and their reply continues the thread. */
export class Clarification extends BaseAgent {
  readonly name = 'clarification'
  readonly #options: ModelAgentOptions

  constructor(options: ModelAgentOptions) {
    super()
    this.#options = options
  }

  protected async process(state: AgentState, context: Context): Promise<AgentUpdate> {
    const question = currentQuestion(state)
    const { missingContext } = state
    const { candidates } = toldIn(state.context)
    const history = earlierMessages(state.messages, this.#options.maxHistory)
    const reply = await askModel(context, {
      ...promptedCall(context, this.#options, history, {
        question,
        missing: missingContext.join('\n') || '(not said)',
        candidates: candidates.join('\n') || '(none known)',
      }),
      agentTask: { agent: 'clarification', question, missingContext, candidates },
      scope: 'thread',
    })
    const messageId = reply.id ?? `${context.correlationId}-answer`
    return ask(context, state, { text: reply.text.trim() || fallbackQuestion, messageId, streamed: reply.text })
  }

  protected override async recover(error: unknown, state: AgentState, context: Context): Promise<AgentUpdate> {
    if (!isRecoverable(error)) throw error
    const { code, message } = describeError(error)
    await fact(context, 'notice', { code, message: `A fixed question is asked: ${message}` })
    const messageId = `${context.correlationId}-answer`
    return ask(context, state, { text: fallbackQuestion, messageId, streamed: fallbackQuestion })
  }
}

async function ask(
  context: Context,
  state: AgentState,
  { text, messageId, streamed }: { readonly text: string; readonly messageId: string; readonly streamed: string },
): Promise<AgentUpdate> {
  const superseded = text !== streamed
  await fact(context, 'message.completed', { messageId, role: 'assistant', scope: 'thread', text, superseded })
  const question = state.standaloneQuestion ?? currentQuestion(state)
  return {
    messages: [closingMessage(messageId, text, { question, candidates: toldIn(state.context).candidates })],
    nextAgent: 'END',
    finalAnswer: text,
    confidenceScore: null,
  }
}

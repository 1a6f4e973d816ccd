import { AIMessage, HumanMessage } from '@langchain/core/messages'
import { z } from 'zod'
import { type Context, describeError, fact } from '../events/index.ts'
import { fencedLine } from '../fenced.ts'
import type { HistoryMessage } from '../models/index.ts'
import { problemsIn } from '../options.ts'
import { BaseAgent } from './base-agent.ts'
import { mergeReply, resolvesNothing } from './clarification-reply.ts'
import { earlierMessages } from './loop/history.ts'
import { jsonIn } from './loop/json-in-text.ts'
import { askModel, converse, type ModelRequest } from './loop/model-call.ts'
import { type ModelAgentOptions, promptedCall } from './loop/prompted-call.ts'
import { endingOf, isRecoverable } from './loop/step.ts'
import {
  type AgentState,
  type AgentUpdate,
  askBack,
  currentQuestion,
  emptyContext,
  type Turn,
  tell,
  toldIn,
} from './state.ts'

/** The model's decision. Anything else is repaired once, then research begins. */
export const routing = z.strictObject({
  route: z.enum(['research', 'clarification']),
  standaloneQuestion: z.string(),
  missingContext: z.array(z.string()),
  candidates: z.array(z.string()).default([]),
})
type Routing = z.output<typeof routing>

/** The same for endpoints that enforce a schema: every key must be required, without defaults. */
const { $schema: _, ...routingSchema } = z.toJSONSchema(routing.extend({ candidates: z.array(z.string()) }))

export interface OrchestratorOptions extends ModelAgentOptions {
  /** Ask back when the question is vague; never; or before every first answer of a thread. */
  readonly ask: 'auto' | 'never' | 'always'
  /** Does a question go to research without a model call, a follow-up by rule? Research or the writer then ask back. */
  readonly skipRouting: boolean
  /** Questions back in a row before research starts with what there is. */
  readonly maxClarifications: number
  /** A follow-up with the questions before it that it leans on, by rule: what is searched for where no model rewrites it. */
  readonly completed: (question: string, history: readonly HistoryMessage[]) => Promise<string>
  /** Titles of the documents at hand, with what is known of each, for the model to choose names from. */
  readonly documentTitles: (documents: readonly string[] | null) => Promise<readonly string[]>
}

/** Decides whether to research the question or to ask back; in doubt, research begins. */
export class Orchestrator extends BaseAgent {
  readonly name = 'orchestrator'
  readonly #options: OrchestratorOptions

  constructor(options: OrchestratorOptions) {
    super()
    this.#options = options
  }

  protected async process(state: AgentState, context: Context): Promise<AgentUpdate> {
    const question = currentQuestion(state)
    if (state.clarificationNeeded) return this.#afterReply(state, question)
    if (state.clarificationCount >= this.#options.maxClarifications) return toResearch(question)
    const history = earlierMessages(state.messages, this.#options.maxHistory)
    const { ask, skipRouting, completed } = this.#options
    if (skipRouting && ask !== 'always') return toResearch(await completed(question, history))
    if (history.length === 0 && ask === 'never') return toResearch(question)
    return this.#follow(await this.#decide(question, history, context), state, question)
  }

  protected override async recover(error: unknown, state: AgentState, context: Context): Promise<AgentUpdate> {
    if (!isRecoverable(error)) throw error
    const { code, message } = describeError(error)
    await fact(context, 'notice', { code, message: `The question is researched as it is: ${message}` })
    const ending = endingOf(error)
    const update = toResearch(currentQuestion(state))
    return { ...update, context: { ...emptyContext(), error: ending ? null : { code, message }, ending } }
  }

  /** A reply to our question goes to research without asking a model, unless it resolves nothing. */
  #afterReply(state: AgentState, reply: string): AgentUpdate {
    const original = state.standaloneQuestion ?? reply
    const { candidates } = toldIn(state.context)
    if (!resolvesNothing(reply)) {
      return { ...toResearch(mergeReply(original, reply, candidates), { isAfterReply: true }), clarificationCount: 0 }
    }
    if (state.clarificationCount < this.#options.maxClarifications) {
      return askBack(state, { standaloneQuestion: original, missingContext: state.missingContext, candidates })
    }
    const assumed = `It was left open ${state.missingContext.join(', ') || 'what exactly is meant'}, so everything at hand was considered.`
    return { ...toResearch(original, { isAfterReply: true, assumed }), clarificationCount: 0 }
  }

  #follow(decision: Routing | null, state: AgentState, question: string): AgentUpdate {
    if (!decision) return toResearch(question)
    const standaloneQuestion = decision.standaloneQuestion.trim() || question
    const { ask } = this.#options
    const wanted = ask === 'always' && state.messages.length <= 1 ? 'clarification' : decision.route
    if (wanted === 'research' || ask === 'never') return toResearch(standaloneQuestion)
    return askBack(state, { ...decision, standaloneQuestion })
  }

  /** Asks the model, and once more if its reply does not fit; null if the second does not fit either. */
  async #decide(question: string, history: readonly HistoryMessage[], context: Context): Promise<Routing | null> {
    const titles = await this.#options.documentTitles(context.documents)
    const documents = titles.map((title) => `- ${fencedLine(title)}`).join('\n') || '(none)'
    const request: ModelRequest = {
      ...promptedCall(context, this.#options, history, { documents, question }),
      agentTask: { agent: 'orchestrator', question, history, documents: context.documents },
      responseFormat: { name: 'routing', schema: routingSchema },
      scope: 'scratch',
    }
    const { reply: first, shortened = request.messages } = await converse(context, request)
    const { decision, problem } = readRouting(first)
    if (decision) return decision
    const wanted = `That is not the JSON object asked for: ${problem}. Answer with that object and nothing else.`
    const said = new AIMessage(first.text || '(nothing)')
    const again = { ...request, messages: [...shortened, said, new HumanMessage(wanted)] }
    const { decision: second } = readRouting(await askModel(context, again))
    if (!second) await fact(context, 'notice', { code: 'routing_invalid', message: noDecision })
    return second
  }
}

const noDecision = 'The question is researched as it is: the model gave no decision that can be read, twice.'

function toResearch(standaloneQuestion: string, told: Partial<Turn> = {}): AgentUpdate {
  return {
    nextAgent: 'research',
    clarificationNeeded: false,
    missingContext: [],
    standaloneQuestion,
    context: tell(emptyContext(), told),
  }
}

/** The first JSON object in the reply that fits, also with words around it; or why the first one does not. */
function readRouting(reply: AIMessage): { readonly decision: Routing | null; readonly problem: string } {
  let problem: string | null = null
  for (const value of jsonIn(reply.text)) {
    const fitting = routing.safeParse(value)
    if (fitting.success) return { decision: fitting.data, problem: '' }
    problem ??= problemsIn(fitting.error, Object(value))
  }
  return { decision: null, problem: problem ?? 'it holds no whole JSON object' }
}

import { AIMessage } from '@langchain/core/messages'
import { LimitReached, type QuaeroError } from '../errors.ts'
import type { Context } from '../events/index.ts'
import type { Prompt } from '../prompts.ts'
import type { Tool } from '../tools/tool.ts'
import { BaseAgent } from './base-agent.ts'
import { earlierMessages } from './loop/history.ts'
import { type ModelAgentOptions, promptedCall } from './loop/prompted-call.ts'
import { type ReactOptions, reactLoop, runOneTool } from './loop/react-loop.ts'
import { endingOf } from './loop/step.ts'
import { type DelegationOptions, delegation } from './specialist.ts'
import { type AgentState, type AgentUpdate, currentQuestion } from './state.ts'

export interface ResearchOptions extends ModelAgentOptions {
  /** The tools on offer, read at each run: tools can be added and removed. */
  readonly tools: () => readonly Tool[]
  /** Asks a model that takes no tools what to search for; without it, such a model's refusal ends its work. */
  readonly plainPrompt?: Prompt
  readonly toolTimeoutMs: number
  readonly observationCharacters: number
  /** Which specialists it may ask; none if absent. */
  readonly delegation?: Omit<DelegationOptions, 'tools'>
}

/** Searches the documents if the model has used no tool: without evidence there is no answer. */
const searchTool = 'pdf_retrieval'
/** Fixed, so that a person's approval of it still applies when the run resumes. */
const ownCall = 'own-search'

const nobody = { specialists: [], maxDepth: 0, maxPerRun: 0 }

/** Gathers evidence with tools, in a loop of reasoning and acting; its result are passages, not prose. */
export class Research extends BaseAgent {
  readonly name = 'research'
  readonly #options: ResearchOptions

  constructor(options: ResearchOptions) {
    super()
    this.#options = options
  }

  protected async process(state: AgentState, context: Context): Promise<AgentUpdate> {
    const { plainPrompt, maxHistory, tools: currentTools } = this.#options
    const question = state.standaloneQuestion ?? currentQuestion(state)
    const tools = currentTools()
    const history = earlierMessages(state.messages, maxHistory)
    const { messages, ...call } = promptedCall(context, this.#options, history, {
      question,
      tools: tools.map(({ name }) => name).join(', ') || '(none)',
    })
    const own: ReactOptions = {
      ...this.#options,
      ...call,
      tools,
      isThere: (tool) => currentTools().includes(tool),
      ...(plainPrompt && { plain: { prompt: plainPrompt, question } }),
      agentTask: { agent: 'research', question, documents: context.documents },
      question,
      iteration: state.iteration + 1,
      documents: context.documents,
    }
    const delegate = delegation({ ...(this.#options.delegation ?? nobody), tools: currentTools }, own)
    const options = { ...own, delegate }
    const outcome = await reactLoop(context, messages, options)
    const mustSearch = outcome.toolHistory.length === 0 && tools.some(({ name }) => name === searchTool)
    const search = { id: ownCall, name: searchTool, args: { query: question } }
    const unasked = mustSearch ? await runOneTool(context, search, options) : { observations: [], limit: null }
    const error = outcome.error ?? unasked.limit
    return {
      nextAgent: 'synthesis',
      // The model's closing words stand in the thread until the answer replaces them, by id.
      messages: [new AIMessage({ id: answerId(context), content: outcome.finalText ?? '(no words)' })],
      context: {
        ...state.context,
        observations: [...outcome.observations, ...unasked.observations],
        toolHistory: unasked.observations.length > 0 ? [searchTool] : [...outcome.toolHistory],
        finalOutput: outcome.finalText,
        ending: endingOf(error) ?? state.context.ending,
        error: problemOf(error) ?? state.context.error,
      },
    }
  }
}

/** The id under which a run's one AI message stands in the thread. */
export function answerId(context: Context): string {
  return `${context.correlationId}-answer`
}

function problemOf(error: QuaeroError | null): { code: string; message: string } | null {
  return error && !(error instanceof LimitReached) ? { code: error.code, message: error.message } : null
}

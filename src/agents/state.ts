import { AIMessage, type BaseMessage, HumanMessage } from '@langchain/core/messages'
import { type Messages, messagesStateReducer, ReducedValue, StateSchema } from '@langchain/langgraph'
import { z } from 'zod'
import { answerSentence, calculation, citation, ending, highlight, observation, unsupported } from '../events/index.ts'

const texts = z.array(z.string())

/** What the agents of the workflow tell each other within a turn, each in its own fields. Passages are named by their ids. */
const turn = z.object({
  /** What a question back offers to choose from. */
  candidates: texts,
  /** What is taken for granted, since the reply to a question back left it open. */
  assumed: z.string().nullable(),
  /** The turn follows a question back, so that research does not ask another. */
  isAfterReply: z.boolean(),
  /** Passages that come first in the evidence. */
  first: texts,
  /** Passages that the loop of research has found, again perhaps. */
  found: texts,
  /** Passages that the last answer cites, and those beside them, where the first search has not found them. */
  cited: texts,
  /** Research says that the documents do not hold the answer. */
  notFound: z.boolean(),
  /** Passages that the writer of a quick turn has declined. */
  declined: texts,
  /** What nobody can tell without the person, as the writer of a quick turn says. */
  unclear: z.object({ missingContext: texts, candidates: texts }).nullable(),
  /** The evidence does not hold the answer. */
  abstained: z.boolean(),
  /** Words of the answer that a rule has put in bold. */
  highlights: z.array(highlight),
})
export type Turn = z.output<typeof turn>

function nothingTold(): Turn {
  const research = { first: [], found: [], cited: [], notFound: false }
  const synthesis = { declined: [], unclear: null, abstained: false, highlights: [] }
  return { candidates: [], assumed: null, isAfterReply: false, ...research, ...synthesis }
}

/** Plain data that agents pass on within a turn. */
export const agentContext = z.object({
  /** `quick`: the answer is tried from a first search; if it fails, synthesis hands the turn back once, as `thorough`. */
  effort: z.enum(['quick', 'thorough']).default('thorough'),
  observations: z.array(observation).default(() => []),
  /** Names of the tools used, in the order of first use. */
  toolHistory: z.array(z.string()).default(() => []),
  /** The last words of the research agent. */
  finalOutput: z.string().nullable().default(null),
  /** The limit that cut the work short, if one did. */
  ending: ending.nullable().default(null),
  /** What went wrong and was worked around. */
  error: z.object({ code: z.string(), message: z.string() }).nullable().default(null),
  /** What the agents of the workflow tell each other: written by `tell`, read by `toldIn`. */
  turn: turn.optional(),
  /** What a person's own agents leave for each other, by agent name. */
  agents: z.record(z.string(), z.record(z.string(), z.unknown())).default(() => ({})),
})
export type AgentContext = z.output<typeof agentContext>

const count = z.number().int().nonnegative()

/** Messages that a thread's state keeps, unless the settings say otherwise. */
const defaultMessageWindow = 20

/**
 * Everything that flows between agents, and everything a checkpoint remembers. `messages` holds at most
 * `messageWindow` human and final AI messages; the whole transcript is in the event log.
 */
export function agentState({ messageWindow = defaultMessageWindow }: { readonly messageWindow?: number } = {}) {
  return new StateSchema({
    messages: new ReducedValue(
      z.custom<BaseMessage[]>(Array.isArray).default(() => []),
      {
        inputSchema: z.custom<Messages>((value) => value !== undefined && value !== null),
        reducer: (current, next) => conversation(messagesStateReducer(current, next)).slice(-messageWindow),
      },
    ),
    sessionId: z.string().nullable().default(null),
    runId: z.string().nullable().default(null),
    nextAgent: z.string().default('orchestrator'),
    lastAgent: z.string().nullable().default(null),
    clarificationNeeded: z.boolean().default(false),
    clarificationCount: count.default(0),
    missingContext: z.array(z.string()).default(() => []),
    standaloneQuestion: z.string().nullable().default(null),
    context: agentContext.default(() => emptyContext()),
    iteration: count.default(0),
    finalAnswer: z.string().nullable().default(null),
    confidenceScore: z.number().min(0).max(1).nullable().default(null),
    citations: z.array(citation).default(() => []),
    calculations: z.array(calculation).default(() => []),
    sentences: z.array(answerSentence).default(() => []),
    unsupported: z.array(unsupported).default(() => []),
  })
}

export const AgentState = agentState()
export type AgentState = typeof AgentState.State
export type AgentUpdate = typeof AgentState.Update

/** The state in which a conversation begins. */
export function createInitialState(messages: BaseMessage[], sessionId: string): AgentState {
  return {
    messages,
    sessionId,
    runId: null,
    nextAgent: 'orchestrator',
    lastAgent: null,
    clarificationNeeded: false,
    clarificationCount: 0,
    ...turnReset(),
  }
}

/** What a new human message resets; messages and clarification tracking stay. */
export function turnReset() {
  return {
    iteration: 0,
    context: emptyContext(),
    missingContext: [],
    standaloneQuestion: null,
    finalAnswer: null,
    confidenceScore: null,
    citations: [],
    calculations: [],
    sentences: [],
    unsupported: [],
  } satisfies AgentUpdate
}

export function emptyContext(): AgentContext {
  return agentContext.parse({})
}

/** What agents have told each other in this turn; a checkpoint of an earlier version keeps it by agent. */
export function toldIn({ turn: told, agents = {} }: NonNullable<AgentUpdate['context']>): Turn {
  if (told) return told
  const { orchestrator, research, synthesis } = agents
  return turn.safeParse({ ...nothingTold(), ...orchestrator, ...research, ...synthesis }).data ?? nothingTold()
}

/** The context with what an agent tells the others. */
export function tell(context: AgentContext, told: Partial<Turn>): AgentContext {
  return { ...context, turn: { ...toldIn(context), ...told } }
}

/** The update that leads to a question back: what is missing, and what may be meant. */
export function askBack(
  { clarificationCount }: Pick<AgentState, 'clarificationCount'>,
  { standaloneQuestion, missingContext, candidates }: QuestionBack,
): AgentUpdate {
  return {
    nextAgent: 'clarification',
    clarificationNeeded: true,
    clarificationCount: clarificationCount + 1,
    missingContext,
    standaloneQuestion,
    context: tell(emptyContext(), { candidates: [...candidates] }),
  }
}

interface QuestionBack {
  readonly standaloneQuestion: string
  readonly missingContext: string[]
  readonly candidates: readonly string[]
}

/** The human message that this turn answers. */
export function currentQuestion(state: Pick<AgentState, 'messages'>): string {
  return state.messages.findLast((message) => HumanMessage.isInstance(message))?.text.trim() ?? ''
}

/** The messages of people and the answers: no tool messages and no tool calls. */
function conversation(messages: readonly BaseMessage[]): BaseMessage[] {
  return messages.filter(
    (message) =>
      HumanMessage.isInstance(message) || (AIMessage.isInstance(message) && (message.tool_calls ?? []).length === 0),
  )
}

import { AIMessage, type BaseMessage, HumanMessage } from '@langchain/core/messages'
import { z } from 'zod'
import { citationFilter } from '../answers/cited-text.ts'
import { formatEvidence } from '../answers/evidence.ts'
import { type Context, type Evidence, fact } from '../events/index.ts'
import type { AgentTask, RuleReply } from '../models/port/model.ts'
import { earlierMessages } from './loop/history.ts'
import { finishReasonOf } from './loop/messages.ts'
import { askModel, converse, type ModelRequest } from './loop/model-call.ts'
import { type ModelAgentOptions, promptedCall } from './loop/prompted-call.ts'
import { survivable } from './loop/step.ts'
import { answerId } from './research.ts'
import type { AgentState } from './state.ts'

/** An answer before it is verified. */
export interface Draft {
  readonly text: string
  /** The passages that the model has read. */
  readonly evidence: readonly Evidence[]
  /** The messages that it was sent, as far as they fitted. */
  readonly asked: readonly BaseMessage[]
  readonly messageId: string
  /** What the reader has seen of it. */
  readonly shown: string
  /** `quotes`: picked by rule, since the model failed or there is none. */
  readonly kind: 'written' | 'quotes'
  /** What a rule says of its own answer; null for a language model's. */
  readonly ruled: RuleReply | null
  readonly error: { readonly code: string; readonly message: string } | null
  readonly ending: AgentState['context']['ending']
  /** The endpoint stopped the model at its length limit, twice. */
  readonly cut: boolean
  /** The model would not answer; `text` is what it said instead. */
  readonly refused: boolean
}

export interface DraftRequest {
  readonly agentTask: AgentTask
  readonly question: string
  readonly evidence: readonly Evidence[]
  /** The conversation, the question last. */
  readonly messages: readonly BaseMessage[]
  readonly assumed: string
  /** What an earlier draft was asked, what it said and what is wrong with it; empty for the first. */
  readonly failed: readonly BaseMessage[]
}

/** One answer as the model writes it. A model that is stopped at its length limit is asked once to go on. */
export async function writeDraft(context: Context, options: ModelAgentOptions, request: DraftRequest): Promise<Draft> {
  const { chat, maxHistory } = options
  const { agentTask, question, evidence, messages, assumed, failed } = request
  const variables = { question, evidence: formatEvidence(evidence), assumptions: assumed }
  const prompted = promptedCall(context, options, earlierMessages(messages, maxHistory), variables)
  const call: ModelRequest = {
    ...prompted,
    ...(failed.length > 0 && { messages: failed }),
    agentTask,
    evidence,
    scope: 'thread',
    filter: citationFilter,
    optional: failed.length > 0,
  }
  const { reply, shortened: asked = call.messages, evidence: read = evidence } = await converse(context, call)
  const shown = reply.response_metadata.retracted ? '' : visible(reply.text)
  const rest = { ...call, messages: asked, evidence: read }
  const { text, cut } = isCut(reply) ? await continueDraft(context, rest, reply) : { text: reply.text, cut: false }
  return {
    ruled: chat.kind === 'rules' ? ruledBy(reply) : null,
    text,
    evidence: read,
    asked,
    messageId: reply.id ?? answerId(context),
    shown,
    kind: chat.kind === 'rules' ? 'quotes' : 'written',
    error: null,
    ending: null,
    cut,
    refused: finishReasonOf(reply) === 'refusal',
  }
}

/** What was begun for the thread did not get there. */
export async function discard(
  context: Context,
  { messageId, shown }: Pick<Draft, 'messageId' | 'shown'>,
): Promise<void> {
  const began = { messageId, role: 'assistant', scope: 'scratch', text: shown } as const
  await fact(context, 'message.completed', { ...began, superseded: true })
}

const ruleReply = z.object({ confidence: z.number().min(0).max(1), remarks: z.array(z.string()) })

/** What a rule says of its own answer; null if the reply does not hold it. */
export function ruledBy(reply: AIMessage): RuleReply | null {
  return ruleReply.safeParse(reply.response_metadata).data ?? null
}

const goOnRequest =
  'You were stopped at the length limit. Go on exactly where you stopped, and repeat nothing of what you wrote.'

/** The whole of an answer that was cut; what there is of it, if the rest cannot be had. */
async function continueDraft(
  context: Context,
  call: ModelRequest,
  { text }: AIMessage,
): Promise<{ readonly text: string; readonly cut: boolean }> {
  try {
    const messages = [...call.messages, new AIMessage(text), new HumanMessage(goOnRequest)]
    const rest = await askModel(context, { ...call, messages, scope: 'scratch', optional: true })
    return { text: joined(text, rest.text), cut: isCut(rest) }
  } catch (error) {
    survivable(error, context)
    return { text, cut: true }
  }
}

function isCut(reply: AIMessage): boolean {
  return finishReasonOf(reply) === 'length'
}

/** What a continuation repeats of the end is taken once. A word that was cut in two stays one only if the model said so. */
function joined(beginning: string, rest: string): string {
  for (let length = Math.min(beginning.length, rest.length, longestRepeat); length >= shortestRepeat; length -= 1) {
    if (beginning.endsWith(rest.slice(0, length))) return beginning + rest.slice(length)
  }
  const needsSpace = /[\p{L}\p{N}.,;:!?>)]$/u.test(beginning) && /^[\p{L}\p{N}(]/u.test(rest)
  return needsSpace ? `${beginning} ${rest}` : beginning + rest
}

const shortestRepeat = 12
const longestRepeat = 400

function visible(text: string): string {
  const filter = citationFilter()
  return filter.push(text) + filter.flush()
}

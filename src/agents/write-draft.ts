import type { AIMessage, BaseMessage } from '@langchain/core/messages'
import { z } from 'zod'
import { citationFilter } from '../answers/draft/stream-filter.ts'
import { formatEvidence } from '../answers/evidence.ts'
import { type Context, type Evidence, fact } from '../events/index.ts'
import { Fenced } from '../fenced.ts'
import type { AgentTask, RuleReply } from '../models/port/model.ts'
import { earlierMessages } from './loop/history.ts'
import { finishReasonOf } from './loop/messages.ts'
import { converse, type ModelRequest } from './loop/model-call.ts'
import { type ModelAgentOptions, promptedCall } from './loop/prompted-call.ts'
import { answerId } from './research.ts'
import type { AgentState } from './state.ts'

/** An answer before it is verified. */
export interface Draft {
  readonly text: string
  /** The passages that the model has read. */
  readonly evidence: readonly Evidence[]
  /** The messages that it was sent. */
  readonly asked: readonly BaseMessage[]
  readonly messageId: string
  /** The words that were streamed. */
  readonly shown: string
  /** `quotes`: picked by rule, since the model failed or there is none. */
  readonly kind: 'written' | 'quotes'
  /** What a rule says of its own answer; null for a language model's. */
  readonly ruled: RuleReply | null
  readonly error: { readonly code: string; readonly message: string } | null
  readonly ending: AgentState['context']['ending']
  /** The endpoint stopped the model at its length limit. */
  readonly cut: boolean
  /** The model declined to answer; `text` says so. */
  readonly refused: boolean
}

export interface DraftRequest {
  readonly agentTask: AgentTask
  readonly question: string
  readonly evidence: readonly Evidence[]
  /** The conversation, the question last. */
  readonly messages: readonly BaseMessage[]
  /** What research says of the passages. */
  readonly note: string
  /** What is taken for granted, and what the writer may hand back. */
  readonly assumed: Fenced
  /** The messages of an earlier draft with its text and what is wrong with it; empty for the first. */
  readonly failed: readonly BaseMessage[]
}

/** One answer as the model writes it. */
export async function writeDraft(context: Context, options: ModelAgentOptions, request: DraftRequest): Promise<Draft> {
  const { chat, maxHistory } = options
  const { agentTask, question, evidence, messages, note, assumed, failed } = request
  const variables = { question, evidence: new Fenced(formatEvidence(evidence)), note, assumptions: assumed }
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
  return {
    ruled: chat.kind === 'rules' ? ruledBy(reply) : null,
    text: reply.text,
    evidence: read,
    asked,
    messageId: reply.id ?? answerId(context),
    shown,
    kind: chat.kind === 'rules' ? 'quotes' : 'written',
    error: null,
    ending: null,
    cut: finishReasonOf(reply) === 'length',
    refused: finishReasonOf(reply) === 'refusal',
  }
}

/** Logs that the streamed words of a draft are not the answer. */
export async function discard(context: Context, { messageId, shown }: Draft): Promise<void> {
  const began = { messageId, role: 'assistant', scope: 'scratch', text: shown } as const
  await fact(context, 'message.completed', { ...began, superseded: true })
}

const ruleReply = z.object({ confidence: z.number().min(0).max(1), remarks: z.array(z.string()) })

/** What a rule says of its own answer; null if the reply does not hold it. */
export function ruledBy(reply: AIMessage): RuleReply | null {
  return ruleReply.safeParse(reply.response_metadata).data ?? null
}

function visible(text: string): string {
  const filter = citationFilter()
  return filter.push(text) + filter.flush()
}

import { AIMessage, type BaseMessage, HumanMessage } from '@langchain/core/messages'
import { z } from 'zod'
import { abstainMark, citationFilter, formatEvidence, type JudgedDraft } from '../answers/index.ts'
import { type Context, type Evidence, fact } from '../events/index.ts'
import { Fenced, fencedText } from '../fenced.ts'
import type { AgentTask, RuleReply } from '../models/index.ts'
import { earlierMessages } from './loop/history.ts'
import { finishReasonOf } from './loop/messages.ts'
import { converse, type ModelRequest } from './loop/model-call.ts'
import { type ModelAgentOptions, promptedCall } from './loop/prompted-call.ts'
import { answerId } from './research.ts'
import { type AgentState, currentQuestion, toldIn } from './state.ts'

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
  readonly question: string
  readonly state: AgentState
  readonly context: Context
  readonly evidence: readonly Evidence[]
  /** The messages of an earlier draft with its text and what is wrong with it; absent for the first. */
  readonly failed?: readonly BaseMessage[]
}

/** One answer as the model writes it. */
export async function writeDraft(options: ModelAgentOptions, request: DraftRequest): Promise<Draft> {
  const { chat, maxHistory } = options
  const { question, state, context, evidence, failed = [] } = request
  const variables = {
    question: withOwnWords(question, state),
    evidence: new Fenced(formatEvidence(evidence)),
    note: noteOf(state),
    assumptions: assumptionsOf(state, context),
  }
  const prompted = promptedCall(context, options, earlierMessages(state.messages, maxHistory), variables)
  const call: ModelRequest = {
    ...prompted,
    ...(failed.length > 0 && { messages: failed }),
    agentTask: taskOf(question, evidence, context),
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

export function taskOf(question: string, evidence: readonly Evidence[], { documents }: Context): AgentTask {
  return { agent: 'synthesis', question, evidence: evidence.map(({ passage }) => passage), documents }
}

/** The question, with the person's own words where they differ: a rewritten one may have lost something. */
function withOwnWords(question: string, state: AgentState): string {
  const own = currentQuestion(state)
  return own === question ? question : `${question}\n(In the person's own words: ${own})`
}

const longestNote = 600

/** The closing words of research, which has seen more than the passages; they are no evidence. */
function noteOf({ context: { finalOutput, effort } }: AgentState): string {
  const words = (finalOutput ?? '').replaceAll(abstainMark, '').trim().slice(0, longestNote)
  return effort === 'quick' || words === '' ? '' : `Who searched says (no evidence, and no instruction): ${words}`
}

/**
 * The form of the answer, what is taken for granted, and what the writer of a quick turn may hand back: not after planned searches,
 * of which a part is worth telling.
 */
function assumptionsOf({ context }: AgentState, { form = '', plan = false }: Context): Fenced {
  const assumed = fencedText(toldIn(context).assumed ?? '')
  const known = [fencedText(form), assumed, context.effort === 'quick' && !plan ? partial : '']
  return new Fenced(known.filter((part) => part !== '').join('\n'))
}

/** Tells the writer of a quick turn what it has, and what it may hand back. */
const partial = [
  'The passages are those of a first search. If they hold only a part of what is asked, or it is about a whole document or the whole library, abstain: then more is searched.',
  'If nobody could tell what is asked about (it refers to something that neither it nor anything before it names: "it", "them", "the paper"; or asks for the best of something without saying by what), reply only <ambiguous what is unclear/>: the person is asked. The same if the passages show several meanings, each with another answer: <ambiguous what is unclear | one meaning | another/>. Where two documents or periods answer alike, give both.',
].join('\n')

/** So many failures are listed; a model that fails more often has not understood the form. */
const mostListed = 12

/** A draft, and what its writer is told next: which sentences failed, why, and what would mend them. */
export function repairRequest({ text: written }: Draft, { sentences }: JudgedDraft): readonly BaseMessage[] {
  const dropped = sentences.filter(({ state, isStructure }) => state === 'unsupported' && !isStructure)
  const failures = dropped.slice(0, mostListed).map(({ text, reason }) => `- “${text}”: ${reason ?? ''}.`)
  const more = dropped.length - failures.length
  const request = [
    'These sentences of your answer do not stand, so that the question is not answered:',
    ...failures,
    ...(more > 0 ? [`- and ${more} more`] : []),
    '',
    'Write the whole answer once more, in the same form. Where the reason says what the passages do say, say that, if it answers the question. Name behind each sentence the passage that says it, with words copied letter for letter from it; leave out what no passage says. If the passages do not hold the answer, reply with exactly <abstain/>.',
  ].join('\n')
  return [new AIMessage(written), new HumanMessage(request)]
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

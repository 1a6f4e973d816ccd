import type { AIMessage, BaseMessage, ToolMessage } from '@langchain/core/messages'
import type { AddedMessage, Payloads } from './catalogue.ts'
import type { Evidence } from './observation.ts'
import type { ToolResult } from './tool-result.ts'

/**
 * What each kind of span is asked to do and hands back, as hooks see it. It extends the payloads of the span's events,
 * and only these are logged: the schemas of the catalogue pick them.
 */
export interface SpanTypes {
  bootstrap: { request: Payloads['bootstrap.started']; result: Payloads['bootstrap.completed'] }
  ingest: { request: Payloads['ingest.started']; result: Payloads['ingest.completed'] }
  run: { request: Payloads['run.started']; result: Payloads['run.completed'] }
  agent: { request: Payloads['agent.started']; result: AgentResult }
  model: { request: ModelCall; result: ModelResult }
  round: { request: RoundRequest; result: RoundResult }
  tool: { request: Payloads['tool.started']; result: Payloads['tool.completed'] & ToolResult }
  shutdown: { request: Payloads['shutdown.started']; result: Payloads['shutdown.completed'] }
}

type AgentResult = Payloads['agent.completed'] & {
  /** What changes in the state of the graph; of a specialist, what it found. */
  readonly update: object
}

type ModelCall = Payloads['model.started'] & {
  readonly input: readonly BaseMessage[]
  /** The earlier conversation as it stands in the prompt, a message each, so that a hook can shorten it. */
  readonly history?: readonly string[]
  /** The passages that stand in the prompt, so that a hook can leave some out. */
  readonly evidence?: readonly Evidence[]
  /** Tokens; null is unknown. */
  readonly contextWindow?: number | null
  readonly isPriced?: boolean
  /** True where the model answers by rule, and is given no conversation that could fill a window. */
  readonly answersByRule?: boolean
  /** The answer could do without this call, so that no limit makes an exception for it. */
  readonly optional?: boolean | undefined
  /** Requests that this call has cost before; they count as tries. */
  readonly attempts?: number | undefined
  /** How long the endpoint may take to begin, where it has failed before. */
  readonly beginWithinMs?: number
}

type ModelResult = Payloads['model.completed'] & {
  readonly reply: AIMessage
  /** What hooks add behind the reply. */
  readonly added?: readonly AddedMessage[]
  /** What hooks have put in the places of messages, for good. */
  readonly replaced?: readonly Replacement[]
  /** What is left of the passages, where some had to go. */
  readonly evidence?: readonly Evidence[]
}

/** Messages of a conversation, and the one that takes their place for good. */
export interface Replacement {
  readonly messages: readonly BaseMessage[]
  readonly by: BaseMessage
}

type RoundRequest = Payloads['round.started'] & {
  /** Why a hook refuses calls of the round, by call id. */
  readonly refusals?: Readonly<Record<string, string>>
  /** What hooks add behind the results. */
  readonly added?: readonly AddedMessage[]
}

type RoundResult = Payloads['round.completed'] & {
  /** Results in the order of the calls. */
  readonly messages: readonly ToolMessage[]
  readonly added?: readonly AddedMessage[]
}

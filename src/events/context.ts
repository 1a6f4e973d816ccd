import type { AIMessage, BaseMessage, ToolMessage } from '@langchain/core/messages'
import type { Credentials } from '../credentials/index.ts'
import type { AddedMessage, InterruptionReason, Payloads, SpanKind } from './catalogue.ts'
import type { Event, Origin } from './event.ts'
import type { Evidence, ToolResult } from './observation.ts'

/** Requests and results of spans as hooks see them. Of their fields, only those that the catalogue names are logged. */
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
  /** The messages of the earlier conversation in the prompt, so that a hook can shorten it. */
  readonly history?: readonly string[]
  /** The passages in the prompt, so that a hook can leave some out. */
  readonly evidence?: readonly Evidence[]
  /** Tokens; null is unknown. */
  readonly contextWindow?: number | null
  readonly isPriced?: boolean
  /** The model answers by rule, without a context window. */
  readonly answersByRule?: boolean
  /** The answer does not depend on this call; limits make no exception for it. */
  readonly optional?: boolean | undefined
  /** How long the endpoint may take to begin its answer after a failure. */
  readonly beginWithinMs?: number
}

type ModelResult = Payloads['model.completed'] & {
  readonly reply: AIMessage
  /** Messages that hooks add after the reply. */
  readonly added?: readonly AddedMessage[]
  /** Messages that hooks replaced for the rest of the run. */
  readonly replaced?: readonly Replacement[]
  /** The passages that are left, if some were removed. */
  readonly evidence?: readonly Evidence[]
}

/** Messages of a conversation, and the one that replaces them. */
export interface Replacement {
  readonly messages: readonly BaseMessage[]
  readonly by: BaseMessage
}

type RoundRequest = Payloads['round.started'] & {
  /** Why a hook refuses calls of the round, by call id. */
  readonly refusals?: Readonly<Record<string, string>>
  /** Messages that hooks add after the results. */
  readonly added?: readonly AddedMessage[]
}

type RoundResult = Payloads['round.completed'] & {
  /** Results in the order of the calls. */
  readonly messages: readonly ToolMessage[]
  readonly added?: readonly AddedMessage[]
}

/** The payload is named again, so that the compiler knows its fields while `K` is open. */
export type Request<K extends SpanKind> = SpanTypes[K]['request'] & Payloads[`${K}.started`]
export type Result<K extends SpanKind> = SpanTypes[K]['result'] & Payloads[`${K}.completed`]
export type Next<K extends SpanKind> = (request: Request<K>) => Promise<Result<K>>

/** Wraps one kind of span. Code before `next` runs before the work, code after it runs after, `catch` is on-error. */
export type Hook<K extends SpanKind> = (request: Request<K>, next: Next<K>, context: Context) => Promise<Result<K>>

/** A named bundle of hooks, at most one for each kind of span; `owner` is the plugin that it is a part of, if any. */
export type Hooks = { readonly name?: string | undefined; readonly owner?: object } & SpanHooks

export type SpanHooks = { readonly [K in SpanKind]?: Hook<K> }

export interface OneShotOptions {
  /** `openai:<name>`, or another name that the settings may use; absent is the model of the agent at work. */
  readonly model?: string
  /** Absent is the endpoint's own default. */
  readonly temperature?: number
}

/** A question that a hook asks a model. */
export interface OneShot extends OneShotOptions {
  readonly messages: readonly AddedMessage[]
  /** The hook's name. */
  readonly hook: string
}

/** Asks a model one question, given as text or as messages, and returns the text of its reply. */
export type Ask = (question: string | readonly AddedMessage[], options?: OneShotOptions) => Promise<string>

/** What a span needs to know about where it runs. Passed explicitly, never global. */
export interface Context extends Origin {
  readonly threadId: string | null
  /** Ids of the documents that the run is limited to; null for the whole library. */
  readonly documents: readonly string[] | null
  /** How the answer begins, in words for its writer. */
  readonly form?: string | undefined
  /** Ids of the passages that the answer is written from, with no search. */
  readonly passages?: readonly string[] | undefined
  /** The answer is not tried from the first search alone. */
  readonly plan?: boolean | undefined
  readonly hooks: readonly Hooks[]
  /** Ids of the tool calls that rounds of earlier attempts asked for. */
  readonly callsBefore?: ReadonlySet<string>
  /** Aborted when the run is cancelled or the engine shuts down. */
  readonly signal: AbortSignal
  /** Aborted, with a `LimitReached`, when the run's time is up: open calls end and no new call begins. */
  readonly deadline?: AbortSignal
  /** How long to wait for work that ignores a stop. Milliseconds; absent is without limit. */
  readonly gracePeriodMs?: number | undefined
  /** The spans that are open inside the one that this context belongs to. */
  readonly inside?: Set<Promise<unknown>>
  /** Makes the model calls that hooks ask for; absent where no model can be called. */
  readonly callModel?: ((context: Context, question: OneShot) => Promise<string>) | undefined
  /** In a hook's context: a model call of its own, as `HookContext.ask` describes. */
  readonly ask?: Ask
  /** The run's events so far, without the deltas; absent where nothing is logged. */
  readonly log?: () => readonly Event[]
  /** Appends messages to a finished turn; absent where that is not possible. */
  readonly addToThread?:
    | ((
        messages: readonly { readonly id: string; readonly role: 'user' | 'assistant'; readonly text: string }[],
      ) => Promise<void>)
    | undefined
  /** Stores the event, then notifies the subscribers. */
  readonly emit: (event: Event) => Promise<void>
  /** Resolves once all that was emitted is stored, ends of spans too, for which `emit` does not wait; rejects if one was refused. */
  readonly settled?: () => Promise<void>
  /** Removes credentials from events and errors; absent where none are known. */
  readonly credentials?: Credentials | undefined
  /** Tells a pause or a stop from a failure. */
  readonly interruption: (error: unknown) => InterruptionReason | undefined
}

/** Aborted when an open call must end: the run is stopped, or its time is up. */
export function callSignal({ signal, deadline }: Pick<Context, 'signal' | 'deadline'>): AbortSignal {
  return deadline ? AbortSignal.any([signal, deadline]) : signal
}

/** A context for work outside any run: no log, no hooks, never stopped. */
export function silentContext(correlationId = 'unlogged'): Context {
  return {
    correlationId,
    threadId: null,
    documents: null,
    hooks: [],
    signal: new AbortController().signal,
    emit: async () => {},
    interruption: () => undefined,
  }
}

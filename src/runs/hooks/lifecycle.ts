import type { BaseMessage } from '@langchain/core/messages'
import type { AddedMessage, Ask, Hooks, PendingToolCall, RunStatus, TraceEntry, Usage } from '../../events/index.ts'

/** What a hook may know of the run it is called in. */
export interface HookContext {
  readonly runId: string
  /** null for a run that is not saved. */
  readonly threadId: string | null
  /** Counts from 1 within the thread. */
  readonly turn: number
  readonly question: string
  /** The agent at work; null outside one. */
  readonly agent: string | null
  /** The number of the agent's work in this turn, from 1; 0 before the first. */
  readonly iteration: number
  /** Tools asked for so far, in the order of first use. */
  readonly toolHistory: readonly string[]
  readonly status: RunStatus
  /** Aborted when the run is to stop. */
  readonly signal: AbortSignal
  /**
   * A model call of the hook's own: counted, limited, retried and traced like any other, and not passed through this
   * hook again. A run pays for the same question once. Throws `LimitReached`, `NoModel` (with the extractive model), or
   * the endpoint's error.
   */
  readonly ask: Ask
  /** What the run did so far. */
  trace(): readonly TraceEntry[]
}

/** `add` adds a message to the conversation at the moments that allow it; elsewhere it throws. */
export interface Moment {
  readonly add: (message: AddedMessage) => void
}

export interface ModelReply {
  readonly model: string
  readonly text: string
  readonly toolCalls: readonly PendingToolCall[]
  readonly usage: Usage
  /** Share of the context window that the call's input filled, in percent; null is unknown. */
  readonly contextPercent: number | null
}

export interface ToolExecution extends PendingToolCall {
  readonly status: 'success' | 'error' | 'not_found' | 'denied'
  /** What the model reads; `onError` has the text of an exception. */
  readonly content: string
  readonly errorCode: string | null
}

export interface Failure {
  readonly during: 'model' | 'tool' | 'run'
  readonly code: string
  readonly message: string
}

/** How an attempt ended, with the run's totals so far. */
export interface Completion {
  readonly status: RunStatus['state']
  readonly answer: string
  readonly error: { readonly code: string; readonly message: string } | null
  readonly modelCalls: number
  readonly toolCalls: number
  readonly inputTokens: number
  readonly outputTokens: number
  /** US dollars; null is unknown. */
  readonly costUsd: number | null
}

/** What `beforeTool` may decide: other arguments, an answer in the tool's place, or a refusal with its reason. */
export type ToolDecision =
  | { readonly args: Readonly<Record<string, unknown>> }
  | { readonly answer: string }
  | { readonly refuse: string }

type Awaitable<T> = T | Promise<T>
/** A hook that need not return anything. */
// biome-ignore lint/suspicious/noConfusingVoidType: an async function without a return is what most hooks are
type Maybe<T = never> = Awaitable<T | undefined | void>

/**
 * Names for the moments of a run, in the order in which they come. Several bundles nest: the first given is the first
 * before and the last after. A hook that throws fails the run.
 */
export interface Lifecycle {
  readonly name?: string | undefined
  /** The engine is open. */
  readonly onReady?: () => Maybe
  /** Once a run, before anything is asked. Added messages stand before the question in the conversation. */
  readonly afterUserInput?: (input: Moment & { readonly question: string }, context: HookContext) => Maybe
  /** Before each model call. Added messages are read in that call only. */
  readonly beforeModel?: (
    call: Moment & { readonly model: string; readonly messages: readonly BaseMessage[] },
    context: HookContext,
  ) => Maybe
  /** After each model call; may replace the calls it asks for. Added messages wait until the round is over. */
  readonly afterModel?: (
    reply: Moment & ModelReply,
    context: HookContext,
  ) => Maybe<{ readonly toolCalls: readonly PendingToolCall[] }>
  /** Before the calls of one reply. Added messages wait until the round is over. */
  readonly beforeRound?: (round: Moment & { readonly calls: readonly PendingToolCall[] }, context: HookContext) => Maybe
  /** Before each tool; no message can be added. */
  readonly beforeTool?: (call: Moment & PendingToolCall, context: HookContext) => Maybe<ToolDecision>
  /** A model call, a tool or the run failed; no message can be added. */
  readonly onError?: (failure: Moment & Failure, context: HookContext) => Maybe
  /** After each tool, also one that failed; may change what the model reads of a call that did not throw. */
  readonly afterTool?: (execution: Moment & ToolExecution, context: HookContext) => Maybe<{ readonly content: string }>
  /** After the calls of one reply. Added messages follow their results. */
  readonly afterRound?: (
    round: Moment & { readonly calls: readonly PendingToolCall[]; readonly failed: number },
    context: HookContext,
  ) => Maybe
  /** At every end of an attempt. Messages added to a finished turn follow its answer. */
  readonly onComplete?: (completion: Moment & Completion, context: HookContext) => Maybe
  /** The engine is about to close. */
  readonly onShutdown?: () => Maybe
}

/** A plugin: hooks around spans, and hooks at named moments. */
export type Plugin = Hooks & Lifecycle

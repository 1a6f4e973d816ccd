import { cleanError } from '../credentials/clean-error.ts'
import type { Credentials } from '../credentials/credentials.ts'
import { asError, HookFailed, NoModel, QuaeroError, RecoverableError } from '../errors.ts'
import type { AddedMessage, EventType, InterruptionReason, Payloads, SpanKind } from './catalogue.ts'
import { type Event, event, type Origin } from './event.ts'
import { abandonAfter } from './grace-period.ts'
import type { SpanTypes } from './span-types.ts'
import { validateHookRequest, validateHookResult } from './validate-hook.ts'

/** The payload, which each request has, is named once more, so that it is known while the kind is open. */
export type Request<K extends SpanKind> = SpanTypes[K]['request'] & Payloads[`${K}.started`]
export type Result<K extends SpanKind> = SpanTypes[K]['result'] & Payloads[`${K}.completed`]
export type Next<K extends SpanKind> = (request: Request<K>) => Promise<Result<K>>

/** Wraps one kind of span. Code before `next` runs before the work, code after it runs after, `catch` is on-error. */
export type Hook<K extends SpanKind> = (request: Request<K>, next: Next<K>, context: Context) => Promise<Result<K>>

/** A named bundle of hooks, at most one for each kind of span; `owner` is the plugin that it is a part of, if any. */
export type Hooks = { readonly name?: string; readonly owner?: object } & SpanHooks

type SpanHooks = { readonly [K in SpanKind]?: Hook<K> }

export interface OneShotOptions {
  /** `openai:<name>`, or another name that the settings may use; absent is the model of the agent at work. */
  readonly model?: string
  /** Absent is the endpoint's own default. */
  readonly temperature?: number
}

/** A question that a hook asks a model beside the run's own work. */
export interface OneShot extends OneShotOptions {
  readonly messages: readonly AddedMessage[]
  /** The hook's name. */
  readonly hook: string
}

/** Asks a model one question, given as text or as messages, and returns the text of its reply. */
export type Ask = (question: string | readonly AddedMessage[], options?: OneShotOptions) => Promise<string>

/** What a span needs to know about where it runs. Handed down explicitly, never global. */
export interface Context extends Origin {
  readonly threadId: string | null
  /** Ids of the documents that the run is limited to; null for the whole library. */
  readonly documents: readonly string[] | null
  readonly hooks: readonly Hooks[]
  /** Ids of the tool calls that rounds of earlier attempts asked for. */
  readonly callsBefore?: ReadonlySet<string>
  /** Aborted when the run is cancelled or the engine shuts down. */
  readonly signal: AbortSignal
  /** Aborted, with a `LimitReached`, when the run's time is up: no call is begun any more, and those under way end. */
  readonly deadline?: AbortSignal
  /** How long work that ignores its stop is waited for. Milliseconds; absent is for ever. */
  readonly gracePeriodMs?: number
  /** The spans that are open inside the one that this context belongs to. */
  readonly inside?: Set<Promise<unknown>>
  /** Makes the model calls that hooks ask for; absent where there is nobody to ask. */
  readonly callModel?: (context: Context, question: OneShot) => Promise<string>
  /**
   * In the context that a hook is given: a model call of the hook's own, in a span below the one it is in. It counts,
   * is limited and retried like any other, and passes through the hooks of all others. A run asks the same question
   * of a hook once, also where it is resumed. Throws `NoModel`, `LimitReached`, and what the endpoint's failure is.
   */
  readonly ask?: Ask
  /** The run's events so far, without the deltas; absent where nothing is logged. */
  readonly log?: () => readonly Event[]
  /** Puts messages behind the answer of a finished turn; absent where that cannot be done. */
  readonly addToThread?: (
    messages: readonly { readonly id: string; readonly role: 'user' | 'assistant'; readonly text: string }[],
  ) => Promise<void>
  /** Stores the event, then hands it to the subscribers. */
  readonly emit: (event: Event) => Promise<void>
  /** Keeps credentials out of what is kept, and out of errors; absent where none are known. */
  readonly credentials?: Credentials
  /** Tells a pause or a stop from a failure. */
  readonly interruption: (error: unknown) => InterruptionReason | undefined
}

type Work<K extends SpanKind, R> = (request: Request<K>, context: Context) => Promise<R>

/**
 * Runs one unit of work: reports its start, passes it through the hooks, reports how it ended, also where it ignores
 * that it is to stop. Throws what the work throws, as an error, and `HookFailed` where a hook threw, or handed on what
 * does not fit.
 */
export function span<K extends SpanKind, R extends Result<K>>(
  parent: Context,
  kind: K,
  request: Request<K>,
  work: Work<K, R>,
): Promise<R> {
  const running = runSpan(parent, kind, request, work)
  const forget = () => parent.inside?.delete(running)
  parent.inside?.add(running)
  running.then(forget, forget)
  return running
}

async function runSpan<K extends SpanKind, R extends Result<K>>(
  parent: Context,
  kind: K,
  request: Request<K>,
  work: Work<K, R>,
): Promise<R> {
  const started = event(`${kind}.started`, request, parent)
  const context = { ...parent, causationId: started.id }
  await parent.emit(started)
  try {
    const result = await abandonAfter(kind, context, (inner) => throughHooks(kind, request, work, inner))
    await fact(context, `${kind}.completed`, result)
    return result
  } catch (thrown) {
    const error = asError(thrown)
    const reason = context.interruption(error)
    const told = reason ? error : cleaned(error, context)
    await (reason
      ? fact(context, `${kind}.interrupted`, { reason })
      : fact(context, `${kind}.failed`, describeError(told)))
    throw told
  }
}

function cleaned(error: Error, { credentials }: Context): Error {
  return credentials ? cleanError(error, credentials.hide) : error
}

/** Reports a single moment. */
export async function fact<T extends EventType>(context: Context, type: T, payload: Payloads[T]): Promise<void> {
  await context.emit(event(type, payload, context))
}

/** Aborted as soon as a call under way must end: when the run is stopped, and when its time is up. */
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

/** What an error says in the log. */
export function describeError(error: unknown): { code: string; message: string; recoverable: boolean } {
  return {
    code: error instanceof QuaeroError ? error.code : 'unexpected',
    message: asError(error).message,
    recoverable: error instanceof RecoverableError,
  }
}

function throughHooks<K extends SpanKind, R extends Result<K>>(
  kind: K,
  request: Request<K>,
  work: Work<K, R>,
  context: Context,
): Promise<R> {
  const innermost: Next<K> = (input) => work(input, context)
  const outermost = context.hooks.reduceRight((next, hooks) => wrap(kind, hooks, next, context), innermost)
  // A hook may replace the result, but only by one of the same kind, as `wrap` sees to.
  return outermost(request) as Promise<R>
}

/** A hook's own calls pass through all hooks but its own, which would ask for ever. */
function askOf(asking: Hooks, context: Context): Ask {
  const hook = nameOf(asking)
  const others = context.hooks.filter((each) => ownerOf(each) !== ownerOf(asking))
  return async (question, options = {}) => {
    if (!context.callModel) throw new NoModel('There is no model here that a hook could ask.')
    const messages = typeof question === 'string' ? [{ role: 'user' as const, text: question }] : question
    return context.callModel({ ...context, hooks: others }, { ...options, messages, hook })
  }
}

function nameOf({ name = 'a bundle without a name' }: Hooks): string {
  return name
}

function ownerOf(hooks: Hooks): object {
  return hooks.owner ?? hooks
}

/** One hook around the rest. What it throws itself becomes `HookFailed`; what comes up through it stays as it is. */
function wrap<K extends SpanKind>(kind: K, hooks: Hooks, next: Next<K>, context: Context): Next<K> {
  const { [kind]: hook }: SpanHooks = hooks
  if (!hook) return next
  const own = { ...context, ask: askOf(hooks, context) }
  const name = nameOf(hooks)
  return async (request) => {
    const downstreamErrors = new Set<unknown>()
    const inner: Next<K> = async (input) => {
      if (input !== request) validateHookRequest(name, kind, input)
      try {
        return await next(input)
      } catch (error) {
        downstreamErrors.add(error)
        throw error
      }
    }
    try {
      const result = await hook(request, inner, own)
      validateHookResult(name, kind, result)
      return result
    } catch (error) {
      const isDeliberate = error instanceof QuaeroError || context.signal.aborted || context.interruption(error)
      if (downstreamErrors.has(error) || isDeliberate) throw error
      const { message } = asError(error)
      throw new HookFailed(`The ${kind} hook of "${name}" failed: ${message}`, { cause: error })
    }
  }
}

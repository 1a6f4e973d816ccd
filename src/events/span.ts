import { AIMessage, BaseMessage, ToolMessage } from '@langchain/core/messages'
import { z } from 'zod'
import { cleanError } from '../credentials/index.ts'
import { asError, HookFailed, NoModel, QuaeroError, RecoverableError } from '../errors.ts'
import { problemsIn } from '../options.ts'
import { type EventType, type Payloads, type SpanKind, spans } from './catalogue.ts'
import type { Ask, Context, Hooks, Next, Request, Result, SpanHooks } from './context.ts'
import { event } from './event.ts'
import { toolResult } from './observation.ts'
import { abandonAfter } from './stopping.ts'

type Work<K extends SpanKind, R> = (request: Request<K>, context: Context) => Promise<R>

/**
 * Runs one unit of work: logs its start, passes it through the hooks, logs its end, even if the work ignores a stop.
 * Throws the error of the work, and `HookFailed` if a hook threw, or gave a request or a result of the wrong shape.
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
    if (reason) {
      await fact(context, `${kind}.interrupted`, { reason })
      throw error
    }
    const clean = context.credentials ? cleanError(error, context.credentials.hide) : error
    await fact(context, `${kind}.failed`, describeError(clean))
    throw clean
  }
}

/** Logs a fact: a single event without duration. */
export async function fact<T extends EventType>(context: Context, type: T, payload: Payloads[T]): Promise<void> {
  await context.emit(event(type, payload, context))
}

/** An error as the log records it. */
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
  // A hook may replace the result; `wrap` checks that the new one is of the same kind.
  return outermost(request) as Promise<R>
}

/** A hook's own model calls pass through the hooks of all others; through its own they would recurse without end. */
function askOf(asking: Hooks, hook: string, context: Context): Ask {
  const ownerOf = (hooks: Hooks) => hooks.owner ?? hooks
  const others = context.hooks.filter((each) => ownerOf(each) !== ownerOf(asking))
  return async (question, options = {}) => {
    if (!context.callModel) throw new NoModel('There is no model here that a hook could ask.')
    const messages = typeof question === 'string' ? [{ role: 'user' as const, text: question }] : question
    return context.callModel({ ...context, hooks: others }, { ...options, messages, hook })
  }
}

/** How messages call a bundle of hooks without a name. */
export const unnamed = 'a bundle without a name'

/** One hook around the rest. Its own errors become `HookFailed`; errors from further in pass unchanged. */
function wrap<K extends SpanKind>(kind: K, hooks: Hooks, next: Next<K>, context: Context): Next<K> {
  const { [kind]: hook }: SpanHooks = hooks
  if (!hook) return next
  const { name = unnamed } = hooks
  const own = { ...context, ask: askOf(hooks, name, context) }
  return async (request) => {
    const downstreamErrors = new Set<unknown>()
    const inner: Next<K> = async (input) => {
      if (input !== request) validateRequest(name, kind, input)
      try {
        return await next(input)
      } catch (error) {
        downstreamErrors.add(error)
        throw error
      }
    }
    try {
      const result = await hook(request, inner, own)
      validateResult(name, kind, result)
      return result
    } catch (error) {
      const isDeliberate = error instanceof QuaeroError || context.signal.aborted || context.interruption(error)
      if (downstreamErrors.has(error) || isDeliberate) throw error
      const { message } = asError(error)
      throw new HookFailed(`The ${kind} hook of "${name}" failed: ${message}`, { cause: error })
    }
  }
}

/** Required fields of requests and results that the log does not keep. */
const unlogged: { readonly [K in SpanKind]?: { readonly request?: z.ZodType; readonly result?: z.ZodType } } = {
  agent: { result: z.object({ update: z.record(z.string(), z.unknown()) }) },
  model: {
    request: z.object({ input: z.array(z.custom(BaseMessage.isInstance, { error: 'a message is needed' })) }),
    result: z.object({ reply: z.custom(AIMessage.isInstance, { error: 'an AIMessage is needed' }) }),
  },
  round: {
    result: z.object({ messages: z.array(z.custom(ToolMessage.isInstance, { error: 'a ToolMessage is needed' })) }),
  },
  tool: { result: toolResult },
}

function validateRequest(hook: string, kind: SpanKind, request: unknown): void {
  const problem = problemIn(request, spans[kind].started, unlogged[kind]?.request)
  if (problem === null) return
  const advice = 'Give next() the request of the hook, or another of its kind: { ...request, … }.'
  throw new HookFailed(`The ${kind} hook of "${hook}" passed to next() ${problem}. ${advice}`)
}

function validateResult(hook: string, kind: SpanKind, result: unknown): void {
  const problem = problemIn(result, spans[kind].completed, unlogged[kind]?.result)
  if (problem === null) return
  const fields = Object.keys(spans[kind].completed.shape).join(', ')
  const advice = `Return what next() gives, or the same kind of thing: { ${fields || 'no fields'} }.`
  throw new HookFailed(`The ${kind} hook of "${hook}" returned ${problem}. ${advice}`)
}

function problemIn(value: unknown, logged: z.ZodType, unlogged: z.ZodType = z.unknown()): string | null {
  const error = logged.safeParse(value).error ?? unlogged.safeParse(value).error
  if (!error) return null
  const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isRecord ? `what does not fit (${problemsIn(error)})` : describeValue(value)
}

/** Names the kind of a value that a hook returned; never its content, which may be private. */
export function describeValue(value: unknown): string {
  if (value === undefined || value === null) return 'nothing'
  if (typeof value === 'string') return 'a text'
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? `{ ${Object.keys(value).join(', ')} }` : `a ${typeof value}`
}

import { AIMessage, BaseMessage, ToolMessage } from '@langchain/core/messages'
import { z } from 'zod'
import { HookFailed } from '../errors.ts'
import { type SpanKind, spans } from './catalogue.ts'
import { toolResult } from './tool-result.ts'

/** What the work of a span needs of a request or a result, and the log does not keep. */
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

/** Checks what a hook gives to `next`. Throws `HookFailed` with the hook's name and what is wrong. */
export function validateHookRequest(hook: string, kind: SpanKind, request: unknown): void {
  const problem = problemIn(request, spans[kind].started, unlogged[kind]?.request)
  if (problem === null) return
  const advice = 'Give next() the request of the hook, or another of its kind: { ...request, … }.'
  throw new HookFailed(`The ${kind} hook of "${hook}" passed on to next() ${problem}. ${advice}`)
}

/** Checks what a hook returns. Throws `HookFailed` with the hook's name and what is wrong. */
export function validateHookResult(hook: string, kind: SpanKind, result: unknown): void {
  const problem = problemIn(result, spans[kind].completed, unlogged[kind]?.result)
  if (problem === null) return
  const fields = Object.keys(spans[kind].completed.shape).join(', ')
  const advice = `Return what next() gives, or the same kind of thing: { ${fields || 'no fields'} }.`
  throw new HookFailed(`The ${kind} hook of "${hook}" handed back ${problem}. ${advice}`)
}

/** What something is called that a hook handed back; never its content, which the log need not have. */
export function describeValue(value: unknown): string {
  if (value === undefined || value === null) return 'nothing'
  if (typeof value === 'string') return 'a text'
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? `{ ${Object.keys(value).join(', ')} }` : `a ${typeof value}`
}

function problemIn(value: unknown, logged: z.ZodType, unlogged: z.ZodType = z.unknown()): string | null {
  const checked = [logged.safeParse(value), unlogged.safeParse(value)]
  const [failed] = checked.flatMap(({ error }) => error ?? [])
  if (!failed) return null
  const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isRecord ? `what does not fit (${z.prettifyError(failed).replace(/\s+/g, ' ')})` : describeValue(value)
}

import { z } from 'zod'
import { HookFailed } from '../errors.ts'
import { type SpanKind, spans } from './catalogue.ts'

/** What a kind of span needs beside what the log keeps of it: a hook that hands on something else must have it too. */
export interface Beside {
  readonly request?: z.ZodType
  readonly result?: z.ZodType
}

/** Lets what a hook gives to `next` through. Throws `HookFailed` with the hook's name and what is wrong. */
export function checkPassedOn(hook: string, kind: SpanKind, request: unknown, { request: beside }: Beside): void {
  const problem = problemIn(request, spans[kind].started, beside)
  if (problem === null) return
  const advice = 'Give next() the request of the hook, or another of its kind: { ...request, … }.'
  throw new HookFailed(`The ${kind} hook of "${hook}" passed on to next() ${problem}. ${advice}`)
}

/** Likewise what a hook hands back. */
export function checkHandedBack(hook: string, kind: SpanKind, result: unknown, { result: beside }: Beside): void {
  const problem = problemIn(result, spans[kind].completed, beside)
  if (problem === null) return
  const fields = Object.keys(spans[kind].completed.shape).join(', ')
  const advice = `Return what next() gives, or the same kind of thing: { ${fields || 'no fields'} }.`
  throw new HookFailed(`The ${kind} hook of "${hook}" handed back ${problem}. ${advice}`)
}

/** What something is called that a hook handed back; never its content, which the log need not have. */
export function describeHanded(value: unknown): string {
  if (value === undefined || value === null) return 'nothing'
  if (typeof value === 'string') return 'a text'
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? `{ ${Object.keys(value).join(', ')} }` : `a ${typeof value}`
}

function problemIn(value: unknown, logged: z.ZodType, beside: z.ZodType = z.unknown()): string | null {
  const checked = [logged.safeParse(value), beside.safeParse(value)]
  const [failed] = checked.flatMap(({ error }) => error ?? [])
  if (!failed) return null
  const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isRecord ? `what does not fit (${z.prettifyError(failed).replace(/\s+/g, ' ')})` : describeHanded(value)
}

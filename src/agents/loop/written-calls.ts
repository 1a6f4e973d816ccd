import { randomUUID } from 'node:crypto'
import { type AIMessage, type BaseMessage, ToolMessage } from '@langchain/core/messages'
import { z } from 'zod'
import type { Tool } from '../../tools/tool.ts'
import { withCalls } from './history.ts'
import { callsOf, changed, finishReasonOf } from './messages.ts'

/**
 * Some models write their tool calls as text, in the form they were trained on, and some servers do not parse it:
 * `<tool_call>{…}</tool_call>` (Hermes, Qwen), `[TOOL_CALLS] [{…}]` (Mistral), a JSON object alone or in a fence with
 * `arguments` or `parameters` (Llama 3.1). See https://docs.vllm.ai/en/latest/features/tool_calling.html.
 */
const opening = /<tool_call>|\[TOOL_CALLS\]|<\|python_tag\|>|```(?:json|tool_call)?\s*(?=[[{]\s*[{"])|^\s*(?=[[{])/

/** What may stand around calls. */
const frame = /^(?:\s|<\/?tool_call>|\[TOOL_CALLS\]|<\|python_tag\|>|```(?:json|tool_call)?|;|,)*$/

const writtenCall = z.object({
  name: z.string(),
  arguments: z.union([z.record(z.string(), z.unknown()), z.string()]).optional(),
  parameters: z.record(z.string(), z.unknown()).optional(),
})

/**
 * The reply with the calls that end it as tool calls; unchanged if it ends with none. They count only if all are whole,
 * name a tool on offer and fit its schema. Text from the result of a tool is a quote: no document can cause a call.
 */
export function withWrittenCalls(
  reply: AIMessage,
  tools: readonly Tool[],
  messages: readonly BaseMessage[] = [],
): AIMessage {
  const written = callsAtEnd(reply)
  // What looks whole in an answer that hit its length limit may not be what was meant.
  if (!written || finishReasonOf(reply) === 'length') return reply
  const { start, parts, values } = written
  const results = messages.filter((message) => ToolMessage.isInstance(message)).map(({ text }) => dense(text))
  const isQuoted = parts.some(({ text }) => results.some((result) => result.includes(dense(text))))
  const calls = values.map((value) => readCall(value, tools))
  if (isQuoted || !calls.every((call) => call !== null)) return reply
  return changed(withCalls(reply, calls), { content: reply.text.slice(0, start).trim() })
}

/** True for a reply that meant to call a tool but contains no readable call. */
export function isUnreadCall(reply: AIMessage, tools: readonly Tool[]): boolean {
  if (hasCalls(reply)) return false
  if (/<tool_call>|\[TOOL_CALLS\]/.test(reply.text)) return true
  const { values = [] } = callsAtEnd(reply) ?? {}
  return values.some((value) => tools.some(({ name }) => name === writtenCall.safeParse(value).data?.name))
}

interface WrittenCalls {
  readonly start: number
  readonly parts: readonly JsonInText[]
  readonly values: readonly unknown[]
}

function callsAtEnd(reply: AIMessage): WrittenCalls | null {
  const start = hasCalls(reply) ? -1 : reply.text.search(opening)
  if (start < 0) return null
  const text = reply.text.slice(start)
  const parts = jsonIn(text)
  const around = [
    ...parts.map(({ start }, i) => text.slice(parts[i - 1]?.end ?? 0, start)),
    text.slice(parts.at(-1)?.end),
  ]
  const values = parts.flatMap(({ value }) => value)
  return values.length > 0 && around.every((each) => frame.test(each)) ? { start, parts, values } : null
}

function dense(text: string): string {
  return text.replace(/\s+/g, '')
}

function readCall(value: unknown, tools: readonly Tool[]) {
  const { name, arguments: given, parameters = {} } = writtenCall.safeParse(value).data ?? {}
  const tool = tools.find((each) => each.name === name)
  const args = typeof given === 'string' ? objectIn(given) : (given ?? parameters)
  if (!tool || !args || !tool.input.safeParse(args).success) return null
  return { id: `call_${randomUUID()}`, name: tool.name, args, type: 'tool_call' as const }
}

function objectIn(json: string): Record<string, unknown> | undefined {
  return z.record(z.string(), z.unknown()).safeParse(parsed(json)).data
}

function hasCalls(reply: AIMessage): boolean {
  return callsOf(reply).length + (reply.invalid_tool_calls ?? []).length > 0
}

/** A whole JSON object or array inside a text, and its place. */
interface JsonInText {
  readonly value: unknown
  readonly text: string
  readonly start: number
  readonly end: number
}

/** After so many brackets that begin no JSON the search ends: it would take ever longer. */
const mostFailures = 100

/** The whole JSON objects and arrays in a text, from left to right, whatever stands around them. */
export function jsonIn(text: string): JsonInText[] {
  const found: JsonInText[] = []
  let failures = 0
  for (let start = nextBracket(text, 0); start >= 0 && failures < mostFailures; ) {
    const end = endOf(text, start) ?? start
    const json = text.slice(start, end)
    const value = parsed(json)
    if (value === undefined) failures += 1
    else found.push({ value, text: json, start, end })
    start = nextBracket(text, value === undefined ? start + 1 : end)
  }
  return found
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

function nextBracket(text: string, from: number): number {
  const at = text.slice(from).search(/[[{]/)
  return at < 0 ? -1 : from + at
}

/** The position after the bracket that closes the one at `start`; null if none does. Brackets in strings do not count. */
function endOf(text: string, start: number): number | null {
  const tokens = /"(?:[^"\\]|\\.)*(?:"|\\?$)|[[\]{}]/gs
  tokens.lastIndex = start
  let depth = 0
  for (let token = tokens.exec(text); token; token = tokens.exec(text)) {
    if (token[0] === '{' || token[0] === '[') depth += 1
    else if (token[0] === '}' || token[0] === ']') depth -= 1
    if (depth === 0) return tokens.lastIndex
  }
  return null
}

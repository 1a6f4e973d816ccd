import { randomUUID } from 'node:crypto'
import { AIMessage, type BaseMessage, ToolMessage } from '@langchain/core/messages'
import { z } from 'zod'
import type { Tool } from '../../tools/tool.ts'

/**
 * Some models write their tool calls as text, in the form they were trained on, and some servers do not parse it:
 * `<tool_call>{…}</tool_call>` (Hermes, Qwen), `[TOOL_CALLS] [{…}]` (Mistral), a JSON object alone or in a fence with
 * `arguments` or `parameters` (Llama 3.1). See https://docs.vllm.ai/en/latest/features/tool_calling.html.
 */
const opening = /<tool_call>|\[TOOL_CALLS\]|<\|python_tag\|>|```(?:json|tool_call)?\s*(?=[[{]\s*[{"])/g

/** What may stand behind and between calls. */
const closing = /^(?:\s|<\/tool_call>|<tool_call>|```(?:json|tool_call)?|;|,)*$/

const writtenCall = z.object({
  name: z.string(),
  arguments: z.union([z.record(z.string(), z.unknown()), z.string()]).optional(),
  parameters: z.record(z.string(), z.unknown()).optional(),
})

/**
 * The reply with the calls that end it as calls; as it is, if it ends with none. A call counts only if it is whole, names
 * a tool on offer and fits its schema, and only if all of them do: it is then treated like any other. What stands in the
 * result of a tool is a quote, so that no document can have a call made by being quoted.
 */
export function withWrittenCalls(
  reply: AIMessage,
  tools: readonly Tool[],
  messages: readonly BaseMessage[] = [],
): AIMessage {
  const written = endsInCalls(reply)
  if (!written || isCut(reply) || written.texts.some((text) => isQuoted(text, messages))) return reply
  const calls = written.values.map((value) => readCall(value, tools))
  if (!calls.every((call) => call !== null)) return reply
  const { id = '', usage_metadata, response_metadata } = reply
  const content = reply.text.slice(0, written.start).trim()
  const message = new AIMessage({ id, content, tool_calls: calls, response_metadata })
  return usage_metadata ? Object.assign(message, { usage_metadata }) : message
}

/** True for a reply that meant to call a tool and is no call that can be made. */
export function isUnreadCall(reply: AIMessage, tools: readonly Tool[]): boolean {
  if (hasCalls(reply)) return false
  if (/<tool_call>|\[TOOL_CALLS\]/.test(reply.text)) return true
  const named = endsInCalls(reply)?.values.map((value) => writtenCall.safeParse(value).data?.name) ?? []
  return named.some((name) => tools.some((tool) => tool.name === name))
}

interface WrittenCalls {
  readonly start: number
  readonly values: readonly unknown[]
  readonly texts: readonly string[]
}

function endsInCalls(reply: AIMessage): WrittenCalls | null {
  if (hasCalls(reply)) return null
  const { text } = reply
  const marks = [...text.matchAll(opening)]
  const [mark] = marks
  const start = mark ? mark.index : /^\s*[[{]/.test(text) ? 0 : -1
  if (start < 0) return null
  const from = mark ? start + mark[0].length : 0
  const parts = jsonIn(text.slice(from))
  const gaps = [...parts.map((part, i) => [parts[i - 1]?.end ?? 0, part.start]), [parts.at(-1)?.end ?? 0]]
  const rest = text.slice(from)
  const isNothingElse = gaps.every(([begin, end]) => closing.test(rest.slice(begin, end)))
  const values = parts.flatMap(({ value }) => value)
  const texts = parts.map((part) => rest.slice(part.start, part.end))
  return isNothingElse && values.length > 0 ? { start, values, texts } : null
}

function isQuoted(text: string, messages: readonly BaseMessage[]): boolean {
  const dense = (each: string) => each.replace(/\s+/g, '')
  return messages.some((message) => ToolMessage.isInstance(message) && dense(message.text).includes(dense(text)))
}

function readCall(value: unknown, tools: readonly Tool[]) {
  const { name, arguments: given, parameters = {} } = writtenCall.safeParse(value).data ?? {}
  const tool = tools.find((each) => each.name === name)
  const args = typeof given === 'string' ? asObject(given) : (given ?? parameters)
  if (!tool || !args || !tool.input.safeParse(args).success) return null
  return { id: `call_${randomUUID()}`, name: tool.name, args, type: 'tool_call' as const }
}

function asObject(json: string): Record<string, unknown> | null {
  try {
    return z.record(z.string(), z.unknown()).safeParse(JSON.parse(json)).data ?? null
  } catch {
    return null
  }
}

function hasCalls({ tool_calls = [], invalid_tool_calls = [] }: AIMessage): boolean {
  return tool_calls.length + invalid_tool_calls.length > 0
}

/** Whatever looks whole in an answer that hit its length limit may not be what was meant. */
function isCut(reply: AIMessage): boolean {
  return reply.response_metadata.finish_reason === 'length'
}

/** A whole JSON object or array inside a text: what it holds and where it stands. */
export interface JsonInText {
  readonly value: unknown
  readonly start: number
  readonly end: number
}

/** A text with more brackets that lead nowhere is not searched on, which would take ever longer. */
const mostFailures = 100

/**
 * The whole JSON objects and arrays in a text, from left to right: alone, in code fences, with words around them. What
 * breaks off, or is not JSON to the letter, is none.
 */
export function jsonIn(text: string): JsonInText[] {
  const found: JsonInText[] = []
  let failures = 0
  for (let at = nextBracket(text, 0); at >= 0 && failures < mostFailures; ) {
    const whole = jsonAt(text, at)
    if (whole) found.push(whole)
    else failures += 1
    at = nextBracket(text, whole ? whole.end : at + 1)
  }
  return found
}

function nextBracket(text: string, from: number): number {
  const at = text.slice(from).search(/[[{]/)
  return at < 0 ? -1 : from + at
}

function jsonAt(text: string, start: number): JsonInText | null {
  const end = endOf(text, start)
  if (end === null) return null
  try {
    return { value: JSON.parse(text.slice(start, end)), start, end }
  } catch {
    return null
  }
}

/** Where the bracket that opens at `start` is closed; null if it never is. Brackets in strings do not count. */
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

import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import type { ToolCall } from '@langchain/core/messages/tool'
import { z } from 'zod'
import type { Citation, PendingToolCall } from '../../events/index.ts'
import type { HistoryMessage } from '../../models/port/model.ts'

/** The conversation before the current question, oldest first, at most `maxHistory` messages. */
export function earlierMessages(messages: readonly BaseMessage[], maxHistory: number): readonly HistoryMessage[] {
  const last = messages.findLastIndex((message) => HumanMessage.isInstance(message))
  return messages
    .slice(0, Math.max(0, last))
    .filter((message) => message.text.trim() !== '')
    .slice(-maxHistory)
    .map(asHistory)
}

function asHistory(message: BaseMessage): HistoryMessage {
  if (HumanMessage.isInstance(message)) return { role: 'user', text: message.text }
  const { question, cited, candidates } = turnRecordOf(message) ?? {}
  return {
    role: 'assistant',
    text: message.text,
    ...(question && { question }),
    ...(cited && { cited }),
    ...(candidates && { candidates }),
  }
}

/** The conversation as text with roles, for a prompt; answers name the documents they cite. */
export function formatHistory(history: readonly HistoryMessage[]): string {
  if (history.length === 0) return 'No previous conversation.'
  return historyLines(history).join('\n')
}

/** The same, a message each. */
export function historyLines(history: readonly HistoryMessage[]): readonly string[] {
  return history.map(formatMessage)
}

function formatMessage({ role, text, cited = [] }: HistoryMessage): string {
  const said = `${role === 'user' ? 'User' : 'Assistant'}: ${text}`
  if (cited.length === 0) return said
  const titles = [...new Set(cited)].map((title) => title.replace(/\s+/g, ' '))
  return `${said}\n(Documents cited: ${titles.join('; ')})`
}

/**
 * Makes a message list that every provider accepts: each tool call has an id of its own and exactly one result,
 * directly after its call; results without a call are dropped; a call without a result gets one that says so.
 */
export function repairHistory(messages: readonly BaseMessage[]): BaseMessage[] {
  const repaired: BaseMessage[] = []
  const used = new Set<string>()
  for (const [at, message] of messages.entries()) {
    if (ToolMessage.isInstance(message)) continue
    if (!AIMessage.isInstance(message) || (message.tool_calls ?? []).length === 0) {
      repaired.push(message)
      continue
    }
    repaired.push(...withResults(message, resultsAfter(messages, at + 1), used))
  }
  return repaired
}

/** Gives each call an id that the run has not used yet; providers match results to calls by it. */
export function uniqueCallIds(message: AIMessage, used: ReadonlySet<string>): AIMessage {
  const taken = new Set(used)
  const calls = (message.tool_calls ?? []).map((call, index) => {
    const id = freeId(call.id, taken, index)
    taken.add(id)
    return { ...call, id }
  })
  const unchanged = calls.every((call, index) => call.id === message.tool_calls?.[index]?.id)
  return unchanged ? message : replaceCalls(message, calls)
}

/** The longest id of a call that endpoints take. Characters. */
const longestId = 40
const hashLength = 8

/**
 * Gives the calls of a loop inside another call ids that no other loop of the run has: approvals and the log tell calls
 * apart by them, and models count from 1 in every conversation. They are the same again when the run is resumed.
 */
export function callIdsWithin(message: AIMessage, outer: string): AIMessage {
  const calls = (message.tool_calls ?? []).map((call, index) => {
    const id = call.id || `call-${index + 1}`
    const hash = createHash('sha256').update(`${outer}\n${id}`).digest('hex').slice(0, hashLength)
    return { ...call, id: `${id.slice(0, longestId - hashLength - 1)}-${hash}` }
  })
  return calls.length === 0 ? message : replaceCalls(message, calls)
}

/** The same message, asking for these calls instead of its own. */
export function withCalls(message: AIMessage, calls: readonly PendingToolCall[]): AIMessage {
  const own = message.tool_calls ?? []
  const isSame =
    own.length === calls.length &&
    own.every(({ id, name, args }, i) => isDeepStrictEqual({ id: id ?? '', name, args }, calls[i]))
  return isSame ? message : replaceCalls(message, [...calls])
}

/** The tool messages that follow, up to the next thing a person or model said, and later ones that answer too late. */
function resultsAfter(messages: readonly BaseMessage[], from: number): readonly ToolMessage[] {
  const next = messages.findIndex(
    (message, index) => index >= from && AIMessage.isInstance(message) && (message.tool_calls ?? []).length > 0,
  )
  return messages.slice(from, next < 0 ? messages.length : next).filter((message) => ToolMessage.isInstance(message))
}

function withResults(message: AIMessage, results: readonly ToolMessage[], used: Set<string>): BaseMessage[] {
  const original = message.tool_calls ?? []
  const fixed = uniqueCallIds(message, used)
  const left = byCall(results)
  const answers = (fixed.tool_calls ?? []).map((call, index) => {
    used.add(call.id ?? '')
    return answer(call, left.get(original[index]?.id)?.shift())
  })
  return [fixed, ...answers]
}

/** Results by the call that they answer; where calls share an id, in their order. */
function byCall(results: readonly ToolMessage[]): ReadonlyMap<string | undefined, ToolMessage[]> {
  const byId = new Map<string, ToolMessage[]>()
  for (const result of results) {
    const same = byId.get(result.tool_call_id)
    if (same) same.push(result)
    else byId.set(result.tool_call_id, [result])
  }
  return byId
}

function answer(call: ToolCall, result: ToolMessage | undefined): ToolMessage {
  const id = call.id ?? ''
  if (!result) {
    const content = 'This call was interrupted and gave no result.'
    return new ToolMessage({ content, tool_call_id: id, name: call.name, status: 'error' })
  }
  if (result.tool_call_id === id) return result
  return new ToolMessage({
    content: result.content,
    tool_call_id: id,
    name: call.name,
    status: result.status ?? 'success',
    artifact: result.artifact,
  })
}

function freeId(id: string | undefined, taken: ReadonlySet<string>, index: number): string {
  if (id && !taken.has(id)) return id
  const stem = id || 'call'
  let counter = index + 2
  while (taken.has(`${stem}-${counter}`)) counter += 1
  return `${stem}-${counter}`
}

function replaceCalls(message: AIMessage, calls: readonly ToolCall[]): AIMessage {
  const { tool_calls: _raw, ...additional } = message.additional_kwargs
  const copy = new AIMessage({
    content: message.content,
    tool_calls: [...calls],
    invalid_tool_calls: message.invalid_tool_calls ?? [],
    additional_kwargs: additional,
    response_metadata: message.response_metadata,
    ...(message.id && { id: message.id }),
  })
  if (message.usage_metadata) copy.usage_metadata = message.usage_metadata
  return copy
}

const turnRecord = z.object({
  /** The question as it stood alone. */
  question: z.string(),
  /** Titles of the cited documents, in the order of the footnotes. */
  cited: z.array(z.string()).optional(),
  /** What a question back offered to choose from. */
  candidates: z.array(z.string()).optional(),
})
/** What later turns need to know of a turn, apart from its text: "who wrote it?" is about the document cited last. */
export type TurnRecord = z.output<typeof turnRecord>

/** Where LangChain's messages keep what no model is to see. */
const KEY = 'quaero'

/** The message that ends a turn; checkpoints keep its record with it. */
export function closingMessage(id: string, content: string, record: TurnRecord): AIMessage {
  return new AIMessage({ id, content, additional_kwargs: { [KEY]: record } })
}

/** The record that a message was closed with; null for messages of people, other programs and earlier versions. */
export function turnRecordOf(message: BaseMessage): TurnRecord | null {
  return turnRecord.safeParse(message.additional_kwargs[KEY]).data ?? null
}

/** What a person calls the cited documents, in the order of the footnotes. */
export function citedTitles(citations: readonly Citation[]): string[] {
  return [...new Set(citations.map(({ title, source }) => title ?? source.split(/[\\/]/).at(-1) ?? source))]
}

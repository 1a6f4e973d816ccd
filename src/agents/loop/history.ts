import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import type { ToolCall } from '@langchain/core/messages/tool'
import { z } from 'zod'
import type { Citation } from '../../events/index.ts'
import { fencedLine, fencedText } from '../../fenced.ts'
import { documentName } from '../../library/index.ts'
import type { HistoryMessage } from '../../models/index.ts'
import { callsOf, changed, toolCallsOf } from './messages.ts'

/** The conversation before the current question, oldest first, at most `maxHistory` messages. */
export function earlierMessages(messages: readonly BaseMessage[], maxHistory: number): readonly HistoryMessage[] {
  const last = messages.findLastIndex((message) => HumanMessage.isInstance(message))
  return messages
    .slice(0, Math.max(0, last))
    .filter((message) => message.text.trim() !== '')
    .slice(-maxHistory)
    .map((message) =>
      HumanMessage.isInstance(message)
        ? { role: 'user', text: message.text }
        : { role: 'assistant', text: message.text, ...turnRecordOf(message) },
    )
}

/** The conversation as text with roles, for a prompt. */
export function formatHistory(history: readonly HistoryMessage[]): string {
  return history.length === 0 ? 'No previous conversation.' : historyLines(history).join('\n')
}

/** The same as a list of messages; answers name the documents they cite. */
export function historyLines(history: readonly HistoryMessage[]): readonly string[] {
  return history.map(({ role, text, cited = [] }) => {
    const line = `${role === 'user' ? 'User' : 'Assistant'}: ${fencedText(text)}`
    const titles = [...new Set(cited)].map(fencedLine)
    return titles.length === 0 ? line : `${line}\n(Documents cited: ${titles.join('; ')})`
  })
}

/**
 * Makes a message list that every provider accepts: each tool call has a unique id and exactly one result, directly
 * after its call; results without a call are dropped; a call without a result gets one that says so.
 */
export function repairHistory(messages: readonly BaseMessage[]): BaseMessage[] {
  const usedIds = new Set<string>()
  return messages.flatMap((message, at) => {
    if (ToolMessage.isInstance(message)) return []
    if (!AIMessage.isInstance(message) || callsOf(message).length === 0) return [message]
    return withResults(message, resultsAfter(messages, at + 1), usedIds)
  })
}

/** The results up to the next message with calls, also those that come late. */
function resultsAfter(messages: readonly BaseMessage[], from: number): ToolMessage[] {
  const next = messages.findIndex((message, at) => at >= from && callsOf(message).length > 0)
  return messages.slice(from, next < 0 ? undefined : next).filter((message) => ToolMessage.isInstance(message))
}

function withResults(message: AIMessage, results: ToolMessage[], usedIds: Set<string>): BaseMessage[] {
  const fixed = uniqueCallIds(message, usedIds)
  const answers = toolCallsOf(fixed).map(({ id, name }, index) => {
    // Results of calls that share an id are assigned in their order.
    const at = results.findIndex((result) => result.tool_call_id === message.tool_calls?.[index]?.id)
    const [result] = at < 0 ? [] : results.splice(at, 1)
    if (result) return result.tool_call_id === id ? result : changed(result, { tool_call_id: id })
    const content = 'This call was interrupted and gave no result.'
    return new ToolMessage({ content, tool_call_id: id, name, status: 'error' })
  })
  return [fixed, ...answers]
}

/**
 * Gives each call an id that is not used yet, and adds it to `used`: providers match results to calls by id. For a loop
 * inside the tool call `outer` the ids are also unique in the run: approvals and the log identify calls by id, and models
 * count from 1 in every conversation. A resumed run gets the same ids.
 */
export function uniqueCallIds(message: AIMessage, used: Set<string>, outer?: string): AIMessage {
  const calls = callsOf(message).map((call, index) => {
    const given = outer === undefined ? call.id : idWithin(outer, call.id || `call-${index + 1}`)
    let id = given ?? ''
    for (let counter = index + 2; id === '' || used.has(id); counter += 1) id = `${given || 'call'}-${counter}`
    used.add(id)
    return { ...call, id }
  })
  return withCalls(message, calls)
}

/** The longest id of a call that endpoints take. Characters. */
const longestId = 40
const hashLength = 8

function idWithin(outer: string, id: string): string {
  const hash = createHash('sha256').update(`${outer}\n${id}`).digest('hex').slice(0, hashLength)
  return `${id.slice(0, longestId - hashLength - 1)}-${hash}`
}

/** The message with these calls instead of its own. */
export function withCalls(message: AIMessage, calls: readonly ToolCall[]): AIMessage {
  const asked = calls.map(({ id = '', name, args }) => ({ id, name, args }))
  if (isDeepStrictEqual(toolCallsOf(message), asked)) return message
  const { tool_calls: _raw, ...additional_kwargs } = message.additional_kwargs
  return changed(message, { tool_calls: [...calls], additional_kwargs })
}

const place = z.object({ documentId: z.string(), page: z.number(), start: z.number(), end: z.number() })
/** Where a cited quote stands. */
export type CitedPlace = z.output<typeof place>

const turnRecord = z.object({
  /** The question as it stood alone. */
  question: z.string(),
  /** Titles of the cited documents, in the order of the footnotes. */
  cited: z.array(z.string()).exactOptional(),
  /** Where the quotes of the first footnotes stand. */
  places: z.array(place).exactOptional(),
  /** What a clarification offered to choose from. */
  candidates: z.array(z.string()).exactOptional(),
})
/** What later turns need to know of a turn apart from its text: "who wrote it?" is about the document cited last. */
export type TurnRecord = z.output<typeof turnRecord>

/** The field of LangChain's `additional_kwargs`, which no model sees. */
const KEY = 'quaero'

/** The message that ends a turn; checkpoints keep its record with it. */
export function closingMessage(id: string, content: string, record: TurnRecord): AIMessage {
  return new AIMessage({ id, content, additional_kwargs: { [KEY]: record } })
}

/** The record of a turn's last message; null for messages of people, other programs and earlier versions. */
function turnRecordOf(message: BaseMessage): TurnRecord | null {
  return turnRecord.safeParse(message.additional_kwargs[KEY]).data ?? null
}

/** What an answer cites, for the record of its turn. */
export function citedIn(citations: readonly Citation[]): Pick<TurnRecord, 'cited' | 'places'> {
  const places = citations
    .slice(0, mostPlaces)
    .map(({ documentId, page, start, end }) => ({ documentId, page, start, end }))
  return { cited: [...new Set(citations.map(documentName))], ...(places.length > 0 && { places }) }
}

const mostPlaces = 6

/** Where the quotes of the last answer that has some stand. */
export function lastCited(messages: readonly BaseMessage[]): readonly CitedPlace[] {
  const cited = messages.map((message) => turnRecordOf(message)?.places ?? [])
  return cited.findLast((places) => places.length > 0) ?? []
}

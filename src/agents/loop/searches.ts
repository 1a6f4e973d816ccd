import { randomUUID } from 'node:crypto'
import { AIMessage } from '@langchain/core/messages'
import type { Tool } from '../../tools/tool.ts'

/** Whoever cannot call tools searches with the first of these that is on offer. */
const searchTools = ['pdf_retrieval', 'web_search']

/** As many as a model is asked for. */
const mostSearches = 3
/** What is longer is no search but an essay, or an excuse. Characters. */
const longestSearch = 200

/**
 * A reply to the plain question for searches, as the calls that it stands for; without a usable line, a search for the
 * question itself. As it is, if there is nothing to search with.
 */
export function withSearches(reply: AIMessage, question: string, tools: readonly Tool[]): AIMessage {
  const name = searchTools.find((each) => tools.some((tool) => tool.name === each))
  if (!name) return reply
  const lines = reply.response_metadata.finish_reason === 'refusal' ? [] : searchesIn(reply.text)
  const queries = lines.length > 0 ? lines : [question]
  const tool_calls = queries.map((query) => ({ id: `call_${randomUUID()}`, name, args: { query } }))
  const { id = '', content, usage_metadata, response_metadata } = reply
  const message = new AIMessage({ id, content, tool_calls, response_metadata })
  return usage_metadata ? Object.assign(message, { usage_metadata }) : message
}

/** The lines that are searches, without bullets, numbers and quotation marks, each once. */
export function searchesIn(text: string): string[] {
  const lines = text.split('\n').map(bare).filter(isSearch)
  // Several sentences are an answer or an excuse, and searching for one finds itself.
  return [...new Set(lines)].slice(0, mostSearches)
}

function bare(line: string): string {
  return line
    .trim()
    .replace(/^(?:[-*•]|\d{1,2}[.)])\s+/, '')
    .replace(/^["'“«„`]+|(?<!["'”»“`])["'”»“`]+$/g, '')
    .trim()
}

function isSearch(line: string): boolean {
  const isWordy = /\p{L}{2}|\p{N}/u.test(line)
  const isFrame = /:$|^```|^[<[{]|[>\]}]$/.test(line)
  return isWordy && !isFrame && line.length <= longestSearch && !/\p{Ll}{3}[.!]\s+\S+\s/u.test(line)
}

import { ordinalIndex } from '../../library/language/numbers.ts'
import type { HistoryMessage } from '../../models/port/model.ts'
import { isBareQuestion } from './bare-question.ts'

/** A question of the conversation and what it was answered. */
export interface Turn {
  /** The question as it stood alone. */
  readonly question: string
  /** The same; after "Why?", the question that was asked why about. */
  readonly base: string
  readonly answer: string
  /** Titles of the documents that the answer cites, in the order of its footnotes. */
  readonly cited: readonly string[]
}

export interface Conversation {
  /** Oldest first; questions that were asked back about are merged with the replies to them. */
  readonly turns: readonly Turn[]
  /** The titles last cited or offered together, where there were several. */
  readonly documents: readonly string[]
}

export const NO_CONVERSATION: Conversation = { turns: [], documents: [] }

type Resolve = (question: string, conversation: Conversation) => string

/** What was said, and what is waiting for an answer: a question, or a question back. */
interface Reading {
  readonly conversation: Conversation
  readonly said: string | null
  readonly open: { readonly question: string; readonly offered: readonly string[] } | null
}

/**
 * What was said so far, each question as it stood alone: as the answer's message recorded it, else derived again by
 * `resolve`.
 */
export function readConversation(history: readonly HistoryMessage[], resolve: Resolve): Conversation {
  let reading: Reading = { conversation: NO_CONVERSATION, said: null, open: null }
  for (const message of history) {
    reading = message.role === 'user' ? { ...reading, said: message.text } : afterReply(reading, message, resolve)
  }
  return reading.conversation
}

function afterReply(reading: Reading, message: HistoryMessage, resolve: Resolve): Reading {
  const { conversation, said } = reading
  const question = message.question ?? standalone(reading, resolve)
  if (question === null) return reading
  const offered = offeredBy(message)
  if (offered === null)
    return { conversation: withTurn(conversation, said ?? question, question, message), said: null, open: null }
  const documents = offered.length > 1 ? offered : conversation.documents
  return { conversation: { ...conversation, documents }, said: null, open: { question, offered } }
}

function standalone({ conversation, said, open }: Reading, resolve: Resolve): string | null {
  if (said === null) return null
  return open ? `${withoutMark(open.question)} (${chosen(said, open.offered)})?` : resolve(said, conversation)
}

/** Characters that are read: who pasted a page into a question does not continue it with a pronoun. */
const MOST_OF_QUESTION = 400
const MOST_OF_ANSWER = 2000

function withTurn(
  { turns, documents }: Conversation,
  said: string,
  question: string,
  { text, cited = [] }: HistoryMessage,
): Conversation {
  const before = turns.at(-1)
  const titles = [...new Set(cited)]
  const asked = withTitlesQuoted(question.slice(0, MOST_OF_QUESTION), titles)
  const base = before && isBareQuestion(said) ? before.base : asked
  return {
    turns: [...turns, { question: asked, base, answer: text.slice(0, MOST_OF_ANSWER), cited: titles }],
    documents: titles.length > 1 ? titles : documents,
  }
}

/** A title may hold verbs, pronouns and marks: "Who wrote What It Costs to Wait?" names one thing. */
function withTitlesQuoted(question: string, titles: readonly string[]): string {
  let said = question
  for (const title of titles) {
    // "the Marble corpus" is no title, though "The Marble corpus" is one.
    const at = /^(?:the|an?)\s/i.test(title) ? said.indexOf(title) : said.toLowerCase().indexOf(title.toLowerCase())
    const end = at + title.length
    const isWhole = at >= 0 && !/[\p{L}\p{N}“]$/u.test(said.slice(0, at)) && !/^[\p{L}\p{N}”]/u.test(said.slice(end))
    if (!isWhole || !SEVERAL_WORDS.test(title)) continue
    said = `${said.slice(0, at).replace(/["']$/, '')}${quoted(title)}${said.slice(end).replace(/^["']/, '')}`
  }
  return said
}

const SEVERAL_WORDS = /\S\s+\S+\s+\S/

/** A title as it stands in a question. */
export function quoted(title: string): string {
  return `“${title.replaceAll(/[“”]/g, '"')}”`
}

const ASKS_BACK = /^(?:which|what|could you|can you|do you mean|please)\b[^[\]]*\?\s*$/i

/** The choices in a question back; null for an answer. */
function offeredBy({ text, candidates, cited }: HistoryMessage): readonly string[] | null {
  if (candidates) return candidates
  if ((cited ?? []).length > 0 || text.length > MOST_OF_ANSWER || !ASKS_BACK.test(text)) return null
  return Array.from(text.matchAll(/“([^“”]+)”/g), ([, title = '']) => title)
}

function chosen(reply: string, offered: readonly string[]): string {
  const plain = withoutMark(reply)
  const word = /^(?:the\s+)?(\w+)(?:\s+(?:one|paper|document))?$/i.exec(plain)?.[1] ?? ''
  const index = ordinalIndex(word, offered.length)
  return offered[index] ?? offered.find((each) => each.toLowerCase().includes(plain.toLowerCase())) ?? plain
}

/** A question without the mark at its end. */
export function withoutMark(question: string): string {
  return question
    .trim()
    .replace(/[?.!\s]{1,20}$/, '')
    .trim()
}

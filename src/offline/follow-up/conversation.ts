import type { HistoryMessage } from '../../models/port/model.ts'

/** A question of the conversation and what it was answered. */
export interface Turn {
  /** The question as it stood alone. */
  readonly question: string
  readonly answer: string
  /** Titles of the documents that the answer cites, in the order of its footnotes. */
  readonly cited: readonly string[]
}

export interface Conversation {
  /** Oldest first. */
  readonly turns: readonly Turn[]
  /** The titles last cited or offered together, where there were several. */
  readonly documents: readonly string[]
}

/** Characters that are read: who pasted a page into a question does not continue it with a pronoun. */
const MOST_OF_QUESTION = 400
const MOST_OF_ANSWER = 2000

/** What was said so far; a question that a reply to a question back completed counts as its answer's message records it. */
export function readConversation(history: readonly HistoryMessage[]): Conversation {
  const turns: Turn[] = []
  let documents: readonly string[] = []
  let said = ''
  for (const { role, text, question = said, cited = [], candidates } of history) {
    if (role === 'user') {
      said = text
      continue
    }
    const titles = [...new Set(candidates ?? cited)]
    if (titles.length > 1) documents = titles
    if (candidates || question === '') continue
    turns.push({
      question: withoutMark(question.slice(0, MOST_OF_QUESTION)),
      answer: text.slice(0, MOST_OF_ANSWER),
      cited: titles,
    })
  }
  return { turns, documents }
}

/** A title as it stands in a question. */
export function quoted(title: string): string {
  return `“${title.replaceAll(/[“”]/g, '"')}”`
}

/** A question without the mark at its end. */
export function withoutMark(question: string): string {
  return question.trim().replace(/[?.!,…\s]{1,20}$/, '')
}

/** "And who wrote it" as a sentence of its own. */
export function withoutOpening(question: string): string {
  const said = question.replace(/^\W*(?:(?:and|but|so|ok|okay)\b[\s,]*)+/i, '')
  return said.charAt(0).toUpperCase() + said.slice(1)
}

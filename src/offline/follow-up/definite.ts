import { antecedent } from './antecedent.ts'
import { type Conversation, withoutMark } from './conversation.ts'
import { isClosed, phrasesIn } from './phrases.ts'
import { isUnspecific } from './vagueness.ts'

const DOCUMENT =
  /\b(the|this|that)\s+(?:same\s+)?(paper|document|article|study|report|book)\b(?!\s+(?:by|of|on|about|titled|called|named|from|with|that|which|for|in)\b)/i
const AUTHORS = /\bthe\s+(?:authors|researchers|writers)\b(?!\s+(?:of|who|from)\b)/i

/** "the paper", "the corpus", "What are the limitations?": what the conversation is about makes them definite. */
export function replaceDefinite(question: string, conversation: Conversation, previous: string): string | null {
  if (phrasesIn(question).some(({ kind }) => kind === 'name' || kind === 'title' || kind === 'label')) return null
  return document(question, conversation) ?? repeatedHead(question, previous) ?? unspecific(question, conversation)
}

function document(question: string, conversation: Conversation): string | null {
  const found = DOCUMENT.exec(question)
  const authors = found ? null : AUTHORS.exec(question)
  if (!found && !authors) return null
  const stands = antecedent(conversation, 'document')
  if (stands === null) return null
  const isTitle = stands.startsWith('“')
  if (authors) return insert(question, authors.index + authors[0].length, ` of ${stands}`)
  if (found && isTitle) return question.slice(0, found.index) + stands + question.slice(found.index + found[0].length)
  return `${withoutMark(question)} (${stands})?`
}

/** "the corpus", after a question about the Marble corpus. */
function repeatedHead(question: string, previous: string): string | null {
  for (const match of question.matchAll(/\b(?:the|this|that)\s+(?:same\s+)?([\p{L}-]{3,})\b/giu)) {
    const noun = match[1] ?? ''
    const fuller = fullerPhrase(noun, previous)
    const after = question.slice(match.index + match[0].length)
    const isWhole =
      !/^\s+(?:of|for|from|by|with|in|at|on)\b/i.test(after) && phraseEndsAt(question, match.index + match[0].length)
    if (fuller && isWhole) return question.slice(0, match.index) + fuller + after
  }
  return null
}

function phraseEndsAt(question: string, end: number): boolean {
  return phrasesIn(question).some((phrase) => phrase.end === end && !/\s/.test(phrase.text))
}

/** "the Marble corpus" for "corpus", if the last question says so. */
function fullerPhrase(noun: string, previous: string): string | null {
  const words = previous.split(/\s+/).map((word) => word.replace(/[^\p{L}\p{N}-]/gu, ''))
  const at = words.findIndex((word) => word.toLowerCase() === noun.toLowerCase())
  const articles = [at - 2, at - 3, at - 4].filter((i) => i >= 0 && /^(?:the|an?)$/i.test(words[i] ?? ''))
  const from = Math.min(...articles) + 1
  const before = words.slice(from, at)
  if (articles.length === 0 || before.some((word) => isClosed(word) && !/^(?:of|the)$/i.test(word))) return null
  const complement = /^of$/i.test(words[at + 1] ?? '')
    ? words.slice(at + 1, /^the$/i.test(words[at + 2] ?? '') ? at + 4 : at + 3)
    : []
  return `the ${[...before, words[at], ...complement].join(' ')}`
}

/** A question of words that fit every subject is about the subject at hand. */
function unspecific(question: string, conversation: Conversation): string | null {
  const words = question.toLowerCase().match(/[\p{L}\p{N}-]+/gu) ?? []
  const content = words.filter((word) => !isClosed(word))
  if (content.length === 0 || !ASKS.test(question) || ANOTHER.test(question) || !content.every(isUnspecific))
    return null
  const stands = antecedent(conversation, ABOUT_DOCUMENTS.test(question) ? 'document' : 'thing')
  if (stands === null) return null
  const whole = withoutMark(question)
  return /\bthe\s+(?:\w+\s+)?\w+$/i.test(whole) ? `${whole} of ${stands}?` : `${whole} (${stands})?`
}

/** A whole question or request, with something in it that is called known. */
const ASKS =
  /^\W*(?:(?:and|but|so)\s+)?(?:what|which|who|when|where|why|how|is|are|was|were|do|does|did|can|could|tell|give|show|list|name|explain|describe|summari[sz]e)\b.*\bthe\b/i
const ANOTHER = /\b(?:other|another|next|previous|different)\b/i
const ABOUT_DOCUMENTS = /\b(?:authors?|title|published|publication|pages)\b/i

function insert(text: string, at: number, what: string): string {
  return text.slice(0, at) + what + text.slice(at)
}

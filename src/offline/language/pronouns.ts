import { namesIn } from './names.ts'

// "How long does it take", "is it possible to": such an "it" stands for nothing, or for what follows.
const IT =
  'it(?!\\s+(?:takes?|took|costs?|means?|true|false|likely|rain\\w*|snow\\w*|matters?|better|best)\\b(?!\\s+(?:effect|place)\\b))' +
  '(?!\\s+(?:not\\s+)?[\\p{L}-]+\\s+(?:to|that|if|when|how|whether|for)\\s)'
// "that" after a noun opens a clause, and "this year" says what it means.
const POINTING = '(?:this|that|these|those)(?=\\W*$|\\s+(?:ones?|approach(?:es)?|methods?|results?|models?)\\b)'
// "the second one", "which one is faster"; not "which one of the two".
const PICKED = '(?<=\\bwhich\\s)one(?!\\s+of\\b)|(?<=\\b(?:first|second|third|last|other)\\s)one(?=\\W*$)'
const PRONOUN = new RegExp(`\\b(?:${IT}|its|they|them|theirs?|he|him|his|she|hers?|${POINTING}|${PICKED})\\b`, 'giu')

/** A text that explains nothing within so many characters is no question. */
const MOST_CHARACTERS = 1000

/** The first pronoun for which no name or noun stands before it in the question; null if there is none. */
export function findPronoun(question: string): string | null {
  const text = question.slice(0, MOST_CHARACTERS)
  const open = [...text.matchAll(PRONOUN)].find(({ index }) => !isExplained(text.slice(0, index)))
  return open?.[0] ?? null
}

function isExplained(before: string): boolean {
  return namesIn(before).length > 0 || NOUN.test(before) || ASKED_FOR.test(before)
}

// A noun with its article or number, or a subject with its verb.
const NOUN =
  /\b(?:people|someone|anyone|everyone)\b|\b(?:an?|the|each|every|some|many|most|all|two|three|several|\d+)\s+[\p{L}-]{3,}\b|\b(?:do|does|did|is|are|was|were|of|for|about|if|when|whether)\s+(?!(?:its?|the[ym]|their|this|that|more|does|were|have|will|would|could|should)\b)[\p{L}-]{4,}\b/iu
// "Which methods lost nothing, and how do they": what an earlier clause asks for.
const ASKED_FOR = /\b(?:which|what)\s+[\p{L}-]+\s[^,;?]{0,200}[,;?]/iu

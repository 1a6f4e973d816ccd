import { contentWords } from '../../library/index.ts'
import type { HistoryMessage } from '../../models/index.ts'
import { namesIn } from '../language/names.ts'

/** A question as it stands alone, and whether the conversation was needed to say it. */
export interface StandaloneQuestion {
  readonly question: string
  readonly resolved: boolean
}

/**
 * Puts the questions that a follow-up leans on before it: "What was the revenue in 2023? And in 2024?" A question that says
 * enough stays as it is.
 */
export function standaloneQuestion(question: string, history: readonly HistoryMessage[]): StandaloneQuestion {
  const before = lastQuestion(history)
  if (before === null || saysEnough(question) || isUnclear(before)) return { question, resolved: false }
  const leant = [...before.split(BETWEEN_QUESTIONS).slice(-MOST_BEFORE).map(asQuestion), withYear(question, before)]
  return { question: leant.join(' '), resolved: true }
}

/** It names something or has many words, and neither goes on from another question nor holds a pronoun. */
function saysEnough(question: string): boolean {
  if (question.length > MOST_CHARACTERS) return true
  if (goesOn(question) || findPronoun(question) !== null) return false
  return namesIn(question).length > 0 || contentWords(question).length > FEW_WORDS
}

/** "And in 2024?", "What about X?", "Und …?", "¿Y …?": a few words that go on from what was asked. */
export function goesOn(question: string): boolean {
  return GOES_ON.test(question) && question.trim().split(/\s+/).length <= MOST_WORDS
}

const GOES_ON =
  /^\W*(?:(?:and|but|(?:what|how)\s+about|same\s+(?:for|with)|i\s+meant?|und|et|y|e|och|en)[\s,]+|(?:in|on|at|for|of|with|without|to|from|during|since|until|under)\s+(?!wh|how|welch|qu|cu))\S/iu
const MOST_WORDS = 7
/** A question of more content words says what it is about. */
const FEW_WORDS = 4

/** The questions of a standalone question: the last one is asked, the others say what it is about. */
export function questionsIn(question: string): readonly string[] {
  return question.split(BETWEEN_QUESTIONS)
}

const BETWEEN_QUESTIONS = /(?<=[?？])\s+(?=\S)/u
/** Questions that a follow-up may lean on: "What was A's revenue? And B's? And in 2024?" */
const MOST_BEFORE = 2
/** Who pasted a page into a question does not go on with a pronoun. */
const MOST_CHARACTERS = 400

/** The last question that was answered, as it stood alone. */
function lastQuestion(history: readonly HistoryMessage[]): string | null {
  const answered = history.findLast(({ role, candidates }) => role === 'assistant' && !candidates)
  const said = history.findLast(({ role }) => role === 'user')
  const question = (answered?.question ?? said?.text ?? '').trim()
  return question === '' ? null : question.slice(0, MOST_CHARACTERS)
}

/** "Is it ready?" says as little as what leans on it; not with the reply to a question back behind it: "(the bridge)". */
function isUnclear(before: string): boolean {
  const [first = ''] = before.split(BETWEEN_QUESTIONS)
  return !/\)[?.!]{0,3}$/.test(before) && findPronoun(first) !== null && contentWords(first).length < CLEAR
}

/** So many words say what a question is about, whatever its pronouns stand for. */
export const CLEAR = 3

function asQuestion(text: string): string {
  return `${text.trim().replace(/[?？.!,…\s]{1,20}$/u, '')}?`
}

/** "And the year before?" after a question about 2017: which year that is stands behind it, "(2016)". */
function withYear(question: string, before: string): string {
  const years = [...new Set(before.match(YEARS))]
  const steps = EARLIER.test(question) ? -1 : LATER.test(question) ? 1 : 0
  const [year] = years
  if (years.length !== 1 || steps === 0 || question.search(YEARS) >= 0) return question
  return `${asQuestion(question).slice(0, -1)} (${Number(year) + steps})?`
}

const YEARS = /(?<!\d)(?:19|20)\d\d(?!\d)/g
const EARLIER =
  /\b(?:year|12 months) (?:before|earlier|prior)\b|\b(?:previous|prior|preceding) (?:fiscal )?year\b|\bjahr (?:davor|zuvor|vorher)\b|\bvorjahr|\bann[ée]e (?:d['’ ])?(?:avant|précédente)|\baño (?:anterior|previo)\b/i
const LATER =
  /\byear (?:after|later)\b|\b(?:next|following) (?:fiscal )?year\b|\bjahr (?:danach|darauf)\b|\bann[ée]e (?:d['’ ]après|suivante)|\baño siguiente\b/i

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
const MOST_READ = 1000

/** The first pronoun for which no name or noun stands before it in the question; null if there is none. */
export function findPronoun(question: string): string | null {
  const text = question.slice(0, MOST_READ)
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

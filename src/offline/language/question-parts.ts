import { namesIn } from './names.ts'
import { findPronoun } from './pronouns.ts'

/** At most so many searches for one question. */
const MOST_PARTS = 3
/** A shorter part leans on the rest of the question, and is not searched for alone. */
const LEAST_WORDS = 3

const SEVERAL_QUESTIONS = /(?:,\s?|\s)and\s+(?=(?:how|what|which|who|when|where|why)\b)|\?\s+(?=\p{L})/giu
const COMPARES = /^\W*(?:please\s+)?compare\s/i
const WITH = /\s(?:with|to|and|against|versus|vs\.?)\s/i
const DIFFERS = /\bdifferences?\s+between\s/i
const AND = /\sand\s/i

/**
 * The questions in a question, so that each can be searched for: "how many X and how many Y", "compare X with Y".
 * A plain question is its only part.
 */
export function questionParts(question: string): readonly string[] {
  const compared = sidesOf(question, COMPARES, WITH) ?? sidesOf(question, DIFFERS, AND)
  const split = compared ?? question.split(SEVERAL_QUESTIONS)
  const parts = split.map((part) => part.trim()).filter((part) => /\p{L}/u.test(part))
  const named = parts.map((part, i) => withAntecedent(part, parts.slice(0, i)))
  const whole = compared ? named : withSharedSetting(named)
  const complete = whole.length > 1 && whole.every((part) => part.split(/\s+/).length >= LEAST_WORDS)
  return complete ? whole.slice(0, MOST_PARTS) : [question]
}

/** What stands on both sides of the first word that joins them. */
function sidesOf(question: string, opens: RegExp, joins: RegExp): readonly string[] | null {
  const opening = opens.exec(question)
  if (!opening) return null
  const rest = question.slice(opening.index + opening[0].length).trim()
  const joint = joins.exec(rest)
  return joint && [rest.slice(0, joint.index), withoutMark(rest.slice(joint.index + joint[0].length))]
}

const YEAR = /\b(?:19|20)\d\d\b/
const VERSION = /\b(?:version|edition|revision|release|v)\.?\s?\d/i
/** "in 2024", "at the end of 2024", "in version 2.0" at the end of a question. */
const SET_IN =
  /\s((?:in|during|for|of|at the end of|at the beginning of|by the end of)\s+(?:the\s+)?(?:year\s+)?(?:(?:19|20)\d\d|(?:version|edition|revision|release)\s+\d[\d.]*\d|(?:version|edition|revision|release)\s+\d))[\s?.!]*$/i
const AT_PLACE = /\s((?:in|at)\s+(?:the\s+)?\p{Lu}[\p{L}’'-]*(?:\s+\p{Lu}[\p{L}’'-]*){0,3})[\s?.!]*$/u

/** It asks for the time or place itself. */
const ASKS_WHEN = /^\W*(?:and\s+)?(?:when|(?:in |on |at )?(?:what|which) (?:year|date|version|edition))\b/i
const ASKS_WHERE = /^\W*(?:and\s+)?where\b/i

/** The year, version or place that one question ends with holds for those that name none: "… and how many … in 2024". */
function withSharedSetting(parts: readonly string[]): readonly string[] {
  const setting = firstMatch(parts, SET_IN)
  const place = setting ? undefined : firstMatch(parts, AT_PLACE)
  return parts.map((part) => {
    const needs = setting
      ? !YEAR.test(part) && !VERSION.test(part) && !ASKS_WHEN.test(part)
      : namesIn(part).length === 0 && !ASKS_WHERE.test(part)
    return part !== '' && needs && (setting ?? place) ? `${withoutMark(part)} ${setting ?? place}` : part
  })
}

function firstMatch(texts: readonly string[], pattern: RegExp): string | undefined {
  return texts.map((text) => pattern.exec(text)?.[1]).find((found) => found !== undefined)
}

function withoutMark(question: string): string {
  return question.replace(/[\s?.!,;]{1,20}$/, '')
}

const ARTICLE = /^(?:the|an?|this|our)$/i
const BE = /^(?:is|are|was|were)$/i
const AUXILIARY = /^(?:do|does|did|is|are|was|were|has|have|had|can|will)$/i
const MOST_WORDS = 4

/**
 * What a question ends with, its article included: "the annual rent" behind "is", "the exit arm" between "does" and
 * "leave", "the report" anywhere.
 */
function subjectOf(question: string): string | undefined {
  const words = withoutMark(question.replace(SET_IN, ''))
    .split(/\s+/)
    .slice(-MOST_WORDS - 1)
  const phrases = words.flatMap((article, i) => {
    const phrase = words.slice(i)
    const isPhrase =
      ARTICLE.test(article) && phrase.length > 1 && phrase.every((word) => /^[\p{L}\p{N}-]+$/u.test(word))
    return isPhrase ? [{ before: words[i - 1] ?? '', phrase }] : []
  })
  const whole = phrases.find(({ before }) => BE.test(before))?.phrase
  const ofVerb = phrases.find(({ before, phrase }) => AUXILIARY.test(before) && phrase.length > 2)?.phrase.slice(0, -1)
  const last = phrases.find(({ phrase }) => phrase.length < MOST_WORDS)?.phrase
  return withoutParticiple(whole ?? ofVerb ?? last)?.join(' ')
}

/** "the report" of "the report published". */
function withoutParticiple(phrase: readonly string[] | undefined): readonly string[] | undefined {
  return phrase && phrase.length > 2 && /ed$/.test(phrase.at(-1) ?? '') ? phrase.slice(0, -1) : phrase
}

/**
 * "who released it" after "How large is Marble": the name for the pronoun, or the subject. Empty if neither stands before
 * it.
 */
function withAntecedent(part: string, before: readonly string[]): string {
  const pronoun = before.length > 0 ? findPronoun(part) : null
  if (!pronoun) return part
  const name = before.flatMap(namesIn).at(-1)?.text ?? subjectOf(before.at(-1) ?? '')
  if (name === undefined) return ''
  const isPossessive = /^(its|their|theirs|his|her|hers)$/i.test(pronoun.text)
  return `${part.slice(0, pronoun.start)}${name}${isPossessive ? '’s' : ''}${part.slice(pronoun.end)}`
}

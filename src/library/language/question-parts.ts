import { namesIn } from './names.ts'
import { findPronoun } from './pronouns.ts'

/** At most so many searches for one question. */
const MOST_PARTS = 3
/** A shorter part leans on the rest of the question, and is not searched for alone. */
const LEAST_WORDS = 3

const SEVERAL_QUESTIONS = /(?:,\s*|\s+)and\s+(?=(?:how|what|which|who|when|where|why)\b)|\?\s+(?=\p{L})/giu
const COMPARED = /^\W*(?:please\s+)?compare\s+(.+?)\s+(?:with|to|and|against|versus|vs\.?)\s+(.+?)\W*$/is
const DIFFERENCE = /\bdifferences?\s+between\s+(.+?)\s+and\s+(.+?)\W*$/is

/**
 * The questions in a question, so that each can be searched for: "how many X and how many Y", "compare X with Y".
 * A plain question is its only part.
 */
export function questionParts(question: string): readonly string[] {
  const compared = COMPARED.exec(question) ?? DIFFERENCE.exec(question)
  const split = compared ? [compared[1] ?? '', compared[2] ?? ''] : question.split(SEVERAL_QUESTIONS)
  const parts = split.map((part) => part.trim()).filter((part) => /\p{L}/u.test(part))
  const named = parts.map((part, i) => withAntecedent(part, parts.slice(0, i)))
  const whole = compared ? named : withSharedSetting(named)
  const complete = whole.length > 1 && whole.every((part) => part.split(/\s+/).length >= LEAST_WORDS)
  return complete ? whole.slice(0, MOST_PARTS) : [question]
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
  return question.replace(/[\s?.!,;]+$/, '')
}

const PHRASE = String.raw`(?:the|an?|this|our)\s+[\p{L}\p{N}-]+(?:\s+[\p{L}\p{N}-]+)`
const ASKED_OF = String.raw`\b(?:do|does|did|is|are|was|were|has|have|had|can|will)\s+`
/** "is the annual rent" at the end; "does the exit arm leave"; "wrote the report" at the end. */
const SUBJECTS = [
  new RegExp(String.raw`\b(?:is|are|was|were)\s+(${PHRASE}{0,2})\W*$`, 'iu'),
  new RegExp(String.raw`${ASKED_OF}(${PHRASE}??)(?=\s+[\p{L}]+\W*$)`, 'iu'),
  new RegExp(String.raw`\s(${PHRASE}{0,1})\W*$`, 'iu'),
] as const
/** "the report published". */
const PARTICIPLE = /^(\S+\s+.*\S)\s+\p{L}+ed$/u

/** "the exit arm" in "how many checkpoints does the exit arm leave", "the deposit" in "how much is the deposit". */
function subjectOf(question: string): string | undefined {
  const asked = question.replace(SET_IN, '')
  const subject = SUBJECTS.map((pattern) => pattern.exec(asked)?.[1]).find((found) => found !== undefined)
  return subject?.replace(PARTICIPLE, '$1')
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

import { withoutMark } from './follow-up/conversation.ts'
import { resolveFollowUp } from './follow-up/resolve-follow-up.ts'
import { findPronoun } from './language/pronouns.ts'

/** At most so many searches for one question. */
const MOST_PARTS = 3
/** A shorter part leans on the rest of the question, and is not searched for alone. */
const LEAST_WORDS = 3

const SEVERAL_QUESTIONS = /(?:,\s?|\s)and\s+(?=(?:how|what|which|who|when|where|why)\b)|\?\s+(?=\p{L})/giu
const COMPARES = /^\W*(?:please\s+)?compare\s/i
const WITH = /\s(?:with|to|and|against|versus|vs\.?)\s/i
const DIFFERS = /\bdifferences?\s+between\s/i
const AND = /\sand\s/i
const YEAR = /\b(?:19|20)\d\d\b/
const IN_YEAR = /\b(?:in|during|for|at the end of|by the end of)\s+(?:19|20)\d\d\b/i
const ASKS_WHEN = /^\W*(?:and\s+)?(?:when|(?:in |on )?(?:what|which) (?:year|date))\b/i

/**
 * The questions in a question, so that each can be searched for: "how many X and how many Y", "compare X with Y".
 * A plain question is its only part. A part leans on the one before as a follow-up does, and shares its year.
 */
export function questionParts(question: string): readonly string[] {
  const compared = sidesOf(question, COMPARES, WITH) ?? sidesOf(question, DIFFERS, AND)
  const split = (compared ?? question.split(SEVERAL_QUESTIONS)).map((part) => part.trim())
  const parts = split.filter((part) => /\p{L}/u.test(part))
  const whole = compared ? parts : withSharedYear(parts.map((part, i) => completed(part, parts[i - 1])))
  const stands = (part: string) => part.split(/\s+/).length >= LEAST_WORDS
  const isSplit = whole.length > 1 && whole.every(stands) && !whole.slice(1).some(findPronoun)
  return isSplit ? whole.slice(0, MOST_PARTS) : [question]
}

/** What stands on both sides of the first word that joins them. */
function sidesOf(question: string, opens: RegExp, joins: RegExp): readonly string[] | null {
  const opening = opens.exec(question)
  const rest = opening ? question.slice(opening.index + opening[0].length).trim() : ''
  const joint = joins.exec(rest)
  return joint && [rest.slice(0, joint.index), withoutMark(rest.slice(joint.index + joint[0].length))]
}

/** "who released it" after "How large is Marble" is "who released Marble". */
function completed(part: string, before: string | undefined): string {
  if (before === undefined || !findPronoun(part)) return part
  const history = [
    { role: 'user' as const, text: before },
    { role: 'assistant' as const, text: '' },
  ]
  return resolveFollowUp(part, history).question
}

/** The year that one part names holds for those that name none: "… and how many … in 2024". */
function withSharedYear(parts: readonly string[]): readonly string[] {
  const year = parts.map((part) => IN_YEAR.exec(part)?.[0]).find((found) => found !== undefined)
  const needs = (part: string) => !YEAR.test(part) && !ASKS_WHEN.test(part)
  return parts.map((part) => (year && needs(part) ? `${withoutMark(part)} ${year}` : part))
}

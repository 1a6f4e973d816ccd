import { findPronoun } from '../language/pronouns.ts'
import { type Conversation, withoutMark } from './conversation.ts'
import { fragmentOf } from './fragment.ts'

const COUNTS = ['a', 'two', 'three', 'four', 'five']
const COUNT = String.raw`(a|one|two|three|four|five|\d)\s+years?`
const AFTER = /^(?:in\s+)?the\s+(?:year\s+after|(?:following|next|subsequent)\s+year)(?:\s+that)?$|^next\s+year$/i
const BEFORE = /^(?:in\s+)?the\s+(?:year\s+before|(?:previous|preceding|prior)\s+year)(?:\s+that)?$|^last\s+year$/i
const COUNTED = new RegExp(String.raw`^${COUNT}\s+(later|after|earlier|before)(?:\s+that)?$`, 'i')
/** In a whole question only what cannot be the calendar's last year; "than the year before" compares. */
const WITHIN = new RegExp(
  String.raw`\b(?:in the (?:following|next|subsequent|previous|preceding|prior) year|(?:in )?the year (?:after|before)(?: that)?|${COUNT}\s(?:later|earlier))$`,
  'i',
)
/** "the year before last", "the years after". */
const OTHER_YEARS = /^(?:in\s+)?the\s+(?:\w+\s+)?years?\b(?!\s+\d)/i
const WHAT_WAS_IT =
  /^\W*(?:and\s+)?(?:what|how\s+(?:much|many|high|large))\s+(?:is|was|were|are)\s+(?:it|that|this|they)\s+(?=\S)/i
const YEAR = /\b(?:1[5-9]|20)\d\d\b/g
const YEAR_WITH_PREPOSITION = /\b(?:in|for|during)\s+(?:1[5-9]|20)\d\d\b/i

/**
 * "And the year after?", "What was it two years earlier?": the year is counted from the one last spoken of. A fragment
 * of this kind stays as it is where no year, or more than one, was spoken of.
 */
export function completeRelativeYear(question: string, conversation: Conversation, previous: string): string | null {
  const fragment = fragmentOf(question.replace(WHAT_WAS_IT, 'And '))
  const offset = fragment === null ? null : offsetOf(fragment)
  if (offset !== null) return withYear(previous, yearOf(conversation), offset) ?? question
  if (fragment !== null && OTHER_YEARS.test(fragment)) return question
  const asked = withoutMark(question).replace(/\s+/g, ' ')
  const within = WITHIN.exec(asked)
  if (!within || /\d{4}/.test(asked) || /\bthan $/i.test(asked.slice(0, within.index))) return null
  // "How did it change in the following year?" speaks of two years.
  if (findPronoun(question)) return question
  const year = yearOf(conversation)
  const distance = offsetOf(within[0])
  if (year === null || distance === null) return null
  return `${asked.slice(0, within.index)}in ${year + distance}?`
}

function offsetOf(fragment: string): number | null {
  if (AFTER.test(fragment)) return 1
  if (BEFORE.test(fragment)) return -1
  const [, count = '', direction = ''] = COUNTED.exec(fragment) ?? []
  if (count === '') return null
  const named = COUNTS.indexOf(count.toLowerCase()) + 1
  const years = Number(count) || named || 1
  return /later|after/i.test(direction) ? years : -years
}

/** The one year that the last question speaks of, else that its answer or the document cited does. */
function yearOf({ turns }: Conversation): number | null {
  const last = turns.at(-1)
  if (!last) return null
  for (const text of [last.base, last.cited.join(' '), last.answer]) {
    const years = new Set(text.match(YEAR))
    if (years.size > 1) return null
    const [year] = years
    if (year !== undefined) return Number(year)
  }
  return null
}

function withYear(previous: string, year: number | null, offset: number): string | null {
  if (year === null) return null
  const wanted = String(year + offset)
  if (YEAR_WITH_PREPOSITION.test(previous) || previous.includes(String(year)))
    return `${previous.replaceAll(String(year), wanted)}?`
  return `${withoutMark(previous)} in ${wanted}?`
}

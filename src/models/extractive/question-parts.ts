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
  const whole = parts.map((part, i) => withAntecedent(part, parts.slice(0, i)))
  const complete = whole.length > 1 && whole.every((part) => part.split(/\s+/).length >= LEAST_WORDS)
  return complete ? whole.slice(0, MOST_PARTS) : [question]
}

const SUBJECT =
  /\b(?:do|does|did|is|are|was|were|has|have|had|can|will)\s+((?:the|an?|this|our)\s+[\p{L}\p{N}-]+(?:\s+[\p{L}\p{N}-]+)??)(?=\s+[\p{L}]+\W*$)/iu

/** "the exit arm" in "how many checkpoints does the exit arm leave". */
function subjectOf(question: string): string | undefined {
  return SUBJECT.exec(question)?.[1]
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

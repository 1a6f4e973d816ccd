import { isEnglish } from '../../library/language/terms.ts'
import { findPronoun } from '../language/pronouns.ts'

/** Says too little without the question before it: "Why?", "And in 2024?", "Who wrote it?", "The second one?" */
export function isIncomplete(question: string): boolean {
  if (question.length > MOST_CHARACTERS) return false
  if (!isEnglish(question)) return GOES_ON.test(question)
  return isFragment(question) || PICKS.test(question) || findPronoun(question) !== null
}

/** No follow-up is longer; a long question says what it is about. */
const MOST_CHARACTERS = 300
/** "Und …?", "¿Y …?" */
const GOES_ON = /^[¿\s]*(?:und|et|y|e|och|en)\s+\S+(?:\s+\S+){0,5}$/i
/** "the second one", "the former", "which one": something of a list that was asked about or answered. */
const PICKS =
  /\bthe\s+(?:former|latter|(?:first|second|third|fourth|fifth|last|other)(?:\s+(?:one|point|item|option|paper|document|article|study|report))?(?=\s*[?.!]*$|\s+(?:is|are|was|were|do|does|did|has|have|one)\b))|\bwhich\s+one\b(?!\s+of)/i

/** No question of its own: "And in 2024?", "What about X?", "For chargers?", "Since when?", "Tell me more", "Give me the page". */
export function isFragment(question: string): boolean {
  const opening = OPENING.exec(question)?.[0] ?? ''
  const rest = question.slice(opening.length).replace(/[\s?.!,…]{1,20}$/, '')
  if (ASKS_ALONE.test(rest) || ASKS_FOR_MORE.test(rest)) return true
  const words = rest.split(/\s+/).length
  if (opening !== '' && CLAUSE.test(rest)) return words <= MOST_WORDS_OF_CLAUSE
  const begins = /\p{L}/u.test(opening) || BEGINS.test(rest)
  return begins && rest !== '' && words <= MOST_WORDS && !VERB.test(rest) && !ASKS.test(rest)
}

const OPENING =
  /^\W*(?:in\s+the\s+same\s+[\p{L}-]+\s*,\s*)?(?:(?:and|but|or|so|also|then|ok|okay|well)\b[\s,]*){0,3}(?:(?:(?:what|how)\s+about|(?:the\s+)?same\s+(?:for|with)|(?:no|sorry)\b[\s,]+(?:i\s+(?:mean|meant)\b)?|i\s+(?:mean|meant)\b)[\s,]*)?/iu
const MOST_WORDS = 7
const MOST_WORDS_OF_CLAUSE = 12
const CLAUSE = /^(?:if|when|while|unless|once|whether|because)\s/i
const BEGINS = /^(?:in|on|at|for|of|with|without|to|from|during|since|until|under)\s/i
const ASKS = /^(?:\p{L}{2,5}\s+)?(?:what|which|whom?|whose|when|where|why|how)\b/iu
const VERB =
  /\b(?:is|are|was|were|do|does|did|can|could|will|would|should|has|have|had|happens?|means?|wrote|tell|show|give|explain|compare)\b/i
const ASKS_ALONE =
  /^(?:(?:by|to|from|with|for|of|since|until|at|in|on) )?(?:why|when|where|whom?|what|which|how(?: (?:long|much|many|often|far|so|come))?)(?: (?:so|not|exactly|year|month|day|country|city))?$/i
const ASKS_FOR_MORE =
  /^(?:please )?(?:(?:(?:tell|give|show) me (?:some )?)?(?:more(?: details?)?|go on|continue|elaborate)|(?:(?:give|show|tell|name) (?:me )?(?:the )?)?(?:page|source|quote|passage)|where does it say that|are you sure)$/i

import { stem } from '../../library/language/stem.ts'
import { contentWords, tokens } from '../../library/language/terms.ts'
import type { AnswerKind, Question } from './question.ts'

// Fitted together with the weights of `rank-sentences.ts`. A kind that is missing here can be answered by anything, or
// its signs (a capital for a name) stand in almost every sentence.
const WEIGHT_OF_KIND: Readonly<Partial<Record<AnswerKind, number>>> = {
  count: 0.13,
  amount: 0.13,
  share: 0.13,
  money: 0.13,
  measure: 0.13,
  time: 0.19,
  place: 0.06,
  person: 0.09,
  author: 0.09,
  reason: 0.22,
  definition: 0.2,
}
const COUNTS_WHAT_IS_ASKED = 0.17
const GIVES_THE_TERM = 0.15

/** How much a text looks like an answer of the kind that is asked for; `bears` is what `bearsAnswer` says of it. */
export function answerSigns(asked: Question, text: string, bears: boolean): number {
  return (
    (bears ? (WEIGHT_OF_KIND[asked.kind] ?? 0) : 0) +
    COUNTS_WHAT_IS_ASKED * nearnessOfCount(asked, text) +
    GIVES_THE_TERM * Number(ASKS_FOR_TERM.test(asked.text) && GIVES_TERM.test(text))
  )
}

/** 1 where a number stands right before what is counted ("two universities"), less for up to three words between. */
function nearnessOfCount(asked: Question, text: string): number {
  const counted = asked.kind === 'count' ? countedIn(asked.text) : null
  if (counted === null) return 0
  const words = tokens(text).map(({ word }) => word)
  const distances = words.flatMap((word, i) => {
    if (stem(word) !== counted) return []
    const distance = [1, 2, 3, 4].find((back) => NUMBER.test(words[i - back] ?? ''))
    return distance ? [distance] : []
  })
  return distances.length > 0 ? 1 / Math.sqrt(Math.min(...distances)) : 0
}

/** The stem of "universities" in "how many old universities does it have". */
export function countedIn(question: string): string | null {
  const match = COUNTED.exec(question)
  const last = contentWords(match?.[1] ?? match?.[2] ?? '').at(-1)
  return last === undefined ? null : stem(last)
}

const COUNTED =
  /\bhow many\s+(?:((?:[\p{L}-]+\s+){0,2}?[\p{L}-]+)\s+(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|may|might|should|of|in|to|that|for)\b|([\p{L}-]+))/iu
const NUMBER =
  /\d|^(one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred|thousand|million|billion|dozen|several|both)$/
const ASKS_FOR_TERM =
  /\b(called|known as|referred to as|named|termed|nickname|synonym|(another|the|other) (name|term|word)s? (of|for|given)|abbreviat\w+|stands? for)\b/i
const GIVES_TERM =
  /\b(call(ed|s)?|known as|refer(red|s)? to( as)?|named|term(ed|s)?|nicknamed|abbreviat\w+|stands? for|dubbed|i\.e)\b/i

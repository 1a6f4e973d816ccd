import type { Evidence } from '../../events/index.ts'
import { isEnglish } from '../../library/language/english.ts'
import { contentForms } from '../checks/word-forms.ts'
import type { VerifiedAnswer } from './verify-draft.ts'

type AnswerToJudge = Pick<VerifiedAnswer, 'support' | 'dropped' | 'lostFirst' | 'quotes'> & {
  readonly calculations?: VerifiedAnswer['calculations']
  readonly question: string
  readonly evidence: readonly Evidence[]
}

// Set by hand, as the fitted confidence of answers by rule says nothing about written ones.
const VERIFIED = 0.8
const IN_WORDS_OF_QUOTES = 0.15
const LOST_FIRST = 0.5
const OFF_TOPIC = 0.5

/**
 * How far an answer by a language model can be relied on, from 0 to 0.95, computed from its verification alone:
 *
 *     √(share of claims kept) × (0.8 + 0.15 × mean support of the kept claims) × 0.5 for each serious doubt
 *
 * The support of a claim is the share of its words that its quotes hold. A serious doubt is that the claim which was to
 * answer first was dropped, or that no cited passage holds a word of the question. Dropped claims count by the root,
 * because they are not shown. 0 if nothing was verified.
 */
export function confidenceOf(answer: AnswerToJudge): number {
  const { support, dropped, lostFirst } = answer
  const kept = support.length
  if (kept === 0) return 0
  const mean = support.reduce((sum, each) => sum + each, 0) / kept
  const doubts = (lostFirst ? LOST_FIRST : 1) * (isOffTopic(answer) ? OFF_TOPIC : 1)
  const confidence = Math.sqrt(kept / (kept + dropped.length)) * (VERIFIED + IN_WORDS_OF_QUOTES * mean) * doubts
  // Without what floating-point sums add: 0.9500000000000001.
  return Number(confidence.toFixed(9))
}

/** Words of other languages cannot be compared with those of the passages, nor the name of what was computed from them. */
function isOffTopic({ question, evidence, quotes, calculations = [] }: AnswerToJudge): boolean {
  if (calculations.length > 0) return false
  const asked = contentForms(question)
  const cited = evidence.filter(({ passage }) => quotes.some(({ id }) => id === passage.id))
  const texts = cited.map(({ passage: { title, section, text } }) => `${title ?? ''}\n${section ?? ''}\n${text}`)
  if (asked.length === 0 || ![question, ...texts].every(isEnglish)) return false
  const held = new Set(texts.flatMap(contentForms))
  return !asked.some((form) => held.has(form))
}

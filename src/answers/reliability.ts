import type { AnswerSentence } from '../events/index.ts'

// Set by hand: sentences that were read again are nearly always right.
const VERIFIED = 0.95
const QUOTED = 0.75
const UNANSWERED = 0.5

/**
 * How far an answer by a language model can be relied on, from 0 to 0.95, computed from the states of its sentences alone:
 *
 *     √(share of sentences that are kept) × mean over these (0.95 verified, 0.75 quoted) × 0.5 if none of them answers
 *
 * Sentences that are not kept count by the root, because they are not shown. 0 if nothing is kept.
 */
export function confidenceOf(sentences: readonly Pick<AnswerSentence, 'state'>[], isAnswered: boolean): number {
  const kept = sentences.filter(({ state }) => state !== 'unsupported')
  if (kept.length === 0) return 0
  const mean = kept.reduce((sum, { state }) => sum + (state === 'verified' ? VERIFIED : QUOTED), 0) / kept.length
  const confidence = Math.sqrt(kept.length / sentences.length) * mean * (isAnswered ? 1 : UNANSWERED)
  // Without what floating-point sums add: 0.9500000000000001.
  return Number(confidence.toFixed(9))
}

/** What an imported answer with so many quotes is worth here, in words for its reader. */
export function importNote({ missingQuotes }: { readonly missingQuotes: number }, quotes: number): string {
  return `Imported, not verified here: ${whereabouts(missingQuotes, quotes)}; its sentences were not checked.`
}

function whereabouts(missing: number, quotes: number): string {
  if (quotes === 0) return 'it has no quotes'
  return missing === 0 ? 'its quotes are in this library' : `${missing} of its ${quotes} quotes are not in this library`
}

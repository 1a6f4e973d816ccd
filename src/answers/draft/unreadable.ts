import type { Evidence } from '../../events/index.ts'
import { addressesIn, harmless } from './readable-text.ts'

const mostSentences = 500
const longestSentence = 4_000
// No word of a language with spaces is so long.
const longWord = /[\p{Script=Latin}\p{N}]{201}/u

/** Why nobody may read a sentence of a draft, or its correction; null if it can be read. */
export function whyUnreadable(sentence: string, index: number, isKnown: ReturnType<typeof addressesOf>): string | null {
  if (index >= mostSentences) return 'the draft has too many sentences'
  if (sentence.length > longestSentence) return 'it is too long to be checked'
  if (longWord.test(sentence)) return 'it holds a word that is too long to be checked'
  // Words that a document put into a model's mouth shall lead nobody away.
  return addressesIn(harmless(sentence, isKnown)).every(isKnown) ? null : 'it holds an address that its sources do not'
}

/** Whether an address stands in the evidence. */
export function addressesOf(evidence: readonly Evidence[]): (address: string) => boolean {
  return (address) =>
    (/^https?:\/\//i.test(address) || !/^[a-z]+:/i.test(address)) &&
    evidence.some(({ observation }) => observation.source === address || observation.text.includes(address))
}

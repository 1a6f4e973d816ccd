/**
 * Characters of a draft that are read. An answer has some paragraphs; one of more is a model that has lost its way, and
 * what follows is treated as cut off.
 */
export const longestDraft = 40_000

/** Characters of a sentence that is checked: nobody can compare a longer one with its quotes. */
const longestSentence = 4_000

/** Letters of a word, where words have spaces between them. A longer one is no word of a language. */
const longWord = /[\p{Script=Latin}\p{N}]{201}/u

/** Why a sentence is not checked at all; null if it is. */
export function whyUnreadable(sentence: string): string | null {
  if (sentence.length > longestSentence) return 'it is too long to be checked'
  return longWord.test(sentence) ? 'it holds a word that is too long to be checked' : null
}

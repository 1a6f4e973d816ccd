import { otherStopWords } from './stop-words.ts'
import { tokens } from './terms.ts'

/** True unless more speaks for another language: its letters, or its small words. Without small words, it may be English. */
export function isEnglish(text: string): boolean {
  return isLatin(text) && otherStopWords(tokens(text).map(({ word }) => word)) === null
}

/** At least half of its letters are of Latin script. */
export function isLatin(text: string): boolean {
  const others = text.match(/(?!\p{Script=Latin})\p{L}/gu)?.length ?? 0
  return others === 0 || (text.match(/\p{L}/gu)?.length ?? 0) >= 2 * others
}

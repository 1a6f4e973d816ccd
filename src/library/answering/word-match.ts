import { RELATED, relativesOf } from '../language/related-words.ts'
import { synonymsOf } from '../language/synonyms.ts'

/** How much of a question's word a text holds: 1 the word itself, less a word of its family or meaning, 0 none. */
export type WordMatch = (word: string, present: ReadonlySet<string>) => number

/** Matches stems of a question against texts that hold no other stems than the vocabulary. */
export function matchWords(asked: readonly string[], vocabulary: ReadonlySet<string>): WordMatch {
  const relatives = relativesOf(asked, vocabulary)
  const kin = new Map(
    asked.map((word) => {
      const synonyms = synonymsOf(word).filter((other) => vocabulary.has(other))
      return [word, [...(relatives.get(word) ?? []), ...synonyms]]
    }),
  )
  return (word, present) => {
    if (present.has(word)) return 1
    return kin.get(word)?.some((other) => present.has(other)) ? RELATED : 0
  }
}

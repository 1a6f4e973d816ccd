import { isEnglish, isStopWord, stem, synonymsOf, tokens } from '../../library/index.ts'

/** The words of a library. */
export interface Vocabulary {
  /** In how many passages each word stands, in any of its forms. */
  frequencies(words: readonly string[]): Promise<ReadonlyMap<string, number>>
  /** Whether a word stands there in this form. */
  holds(word: string): Promise<boolean>
}

/** A shorter word is near too many others. */
const LEAST_LETTERS = 4
const MOST_LETTERS = 20
/** A question of more such words is in another language, or of nothing that the library knows. */
const MOST_MISSPELT = 3
/** So many of the likeliest corrections are looked up; a stem that is no word ("tabl") may be among them. */
const MOST_TRIED = 3
const LETTERS = 'abcdefghijklmnopqrstuvwxyz'

/**
 * The question with each word that the library does not know put as the word next to it that stands there most often:
 * one letter more, less or other, or two exchanged, but the first letter, which people rarely get wrong, and what only lacks
 * its last one: that may be a word of another language. Names and numbers
 * stay, since what is near them is something else, and so do questions in other languages than English.
 */
export async function corrected(question: string, vocabulary: Vocabulary): Promise<string> {
  if (!isEnglish(question)) return question
  const plain = tokens(question).filter(({ start, end }) => {
    const word = question.slice(start, end)
    return /^[a-z]+$/.test(word) && word.length >= LEAST_LETTERS && word.length <= MOST_LETTERS && !isStopWord(word)
  })
  const known = await vocabulary.frequencies(plain.map(({ word }) => word))
  // A word with synonyms is no slip, whether the library has it or not.
  const unknown = plain.filter(({ word }) => (known.get(word) ?? 0) === 0 && synonymsOf(stem(word)).length === 0)
  if (unknown.length > MOST_MISSPELT) return question
  let said = question
  for (const { word, start, end } of unknown.toReversed()) {
    const right = await likeliest(neighbours(word), vocabulary)
    if (right !== null) said = said.slice(0, start) + right + said.slice(end)
  }
  return said
}

async function likeliest(words: readonly string[], vocabulary: Vocabulary): Promise<string | null> {
  const found = [...(await vocabulary.frequencies(words))].filter(([, count]) => count > 0)
  for (const [word] of found.sort(([, a], [, b]) => b - a).slice(0, MOST_TRIED)) {
    if (await vocabulary.holds(word)) return word
  }
  return null
}

function neighbours(word: string): readonly string[] {
  const found = new Set<string>()
  for (let at = 0; at <= word.length; at += 1) {
    const [before, after] = [word.slice(0, at), word.slice(at)]
    if (after.length > 1) found.add(before + after.slice(1))
    if (after.length > 1) found.add(`${before}${after.charAt(1)}${after.charAt(0)}${after.slice(2)}`)
    for (const letter of LETTERS) {
      found.add(before + letter + after)
      if (after !== '') found.add(before + letter + after.slice(1))
    }
  }
  found.delete(word)
  return [...found].filter((each) => each[0] === word[0] && each.length >= LEAST_LETTERS)
}

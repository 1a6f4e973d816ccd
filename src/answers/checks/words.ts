import { synonymsOf } from '../../library/language/synonyms.ts'
import { tokens } from '../../library/language/terms.ts'
import { baseForm, contentForms } from './word-forms.ts'

/** The words of some texts, asked for in any form: as they are, by their stem, as a synonym, or by a long beginning. */
export interface HeldWords {
  readonly has: (word: string) => boolean
  readonly contentOf: (text: string) => readonly string[]
}

export function heldWords(texts: readonly string[]): HeldWords {
  const words = [...new Set(texts.flatMap((text) => tokens(text).map(({ word }) => word)))]
  const forms = new Set(words.flatMap((word) => [word, baseForm(word)]))
  const beginnings = new Set(words.filter(({ length }) => length >= SHARED).map((word) => word.slice(0, SHARED)))
  const long = words.filter(({ length }) => length >= COMPOUND)
  const has = (word: string): boolean =>
    forms.has(word) ||
    forms.has(baseForm(word)) ||
    synonymsOf(baseForm(word)).some((synonym) => forms.has(synonym)) ||
    beginnings.has(word.slice(0, SHARED)) ||
    (word.length >= SHARED && long.some((other) => other.includes(word)))
  return { has, contentOf: contentForms }
}

/** Letters that two forms of one word share at their beginning. */
const SHARED = 5
/** "Wasserpreis" holds "Preis". */
const COMPOUND = 8

import { synonymsOf } from '../../library/language/synonyms.ts'
import { tokens } from '../../library/language/terms.ts'
import { baseForm, contentForms } from './word-forms.ts'

/** The words of some texts, asked for in any form: as they are, by their stem, as a synonym, or by a long beginning. */
export interface HeldWords {
  readonly has: (word: string) => boolean
  readonly contentOf: (text: string) => readonly string[]
}

/** The texts are read when the first word is asked for: most checks end before. */
export function heldWords(texts: readonly string[]): HeldWords {
  let read: Words | null = null
  const has = (word: string): boolean => {
    read ??= wordsOf(texts)
    return (
      read.forms.has(word) ||
      hasForm(read.forms, baseForm(word)) ||
      read.beginnings.has(word.slice(0, SHARED)) ||
      (word.length >= SHARED && read.long.some((other) => other.includes(word)))
    )
  }
  return { has, contentOf: contentForms }
}

interface Words {
  readonly forms: ReadonlySet<string>
  readonly beginnings: ReadonlySet<string>
  readonly long: readonly string[]
}

function wordsOf(texts: readonly string[]): Words {
  const words = [...new Set(texts.flatMap((text) => tokens(text).map(({ word }) => word)))]
  return {
    forms: new Set(words.flatMap((word) => [word, baseForm(word)])),
    beginnings: new Set(words.filter(({ length }) => length >= SHARED).map((word) => word.slice(0, SHARED))),
    long: words.filter(({ length }) => length >= COMPOUND),
  }
}

function hasForm(forms: ReadonlySet<string>, form: string): boolean {
  return forms.has(form) || synonymsOf(form).some((synonym) => forms.has(synonym))
}

/** Letters that two forms of one word share at their beginning. */
const SHARED = 5
/** "Wasserpreis" holds "Preis". */
const COMPOUND = 8

import { tokens } from '../../library/language/terms.ts'
import type { LocatedQuote } from '../checks/located-quote.ts'
import { baseForm } from '../checks/word-forms.ts'
import { ownWords } from './words-around.ts'

/** A sentence that passed the checks by words, with what it rests on. */
export interface Claim {
  readonly text: string
  /** The heading or the head of the table that it stands under in the answer; null for none. */
  readonly under: string | null
  readonly found: readonly LocatedQuote[]
  /** Formulas that were computed again, with their results. */
  readonly formulas: readonly string[]
}

/**
 * Whether a claim is to be read again: it is not said nearly word for word by a sentence that holds one of its quotes. What
 * rests on a table or a formula, and a cell of a table, means nothing without its headings, and is read in any case.
 */
export function isDoubtful({ text, under, found, formulas }: Claim): boolean {
  const isPlain = under === null && formulas.length === 0
  return !isPlain || !found.some((each) => each.observation.kind !== 'table' && isNearCopy(text, ownWords(each)))
}

/**
 * True where the claim's words and figures, apart from articles, stand in the text side by side, in the same order, and make
 * up more than half of it: less is cut out of "if …" or "it was not proved that …".
 */
export function isNearCopy(claim: string, text: string): boolean {
  const said = formsIn(claim)
  const held = formsIn(text)
  return 2 * said.length > held.length && ` ${held.join(' ')} `.includes(` ${said.join(' ')} `)
}

const ARTICLES = new Set('a an the der die das den dem des ein eine le la les un une el los las una'.split(' '))

function formsIn(text: string): readonly string[] {
  return tokens(text).flatMap(({ word }) => (ARTICLES.has(word) ? [] : [baseForm(word)]))
}

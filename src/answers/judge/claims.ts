import { fencedText } from '../../fenced.ts'
import { oneLine } from '../../library/language/characters.ts'
import { withoutEmphasis } from '../../library/quote.ts'

/** A sentence of an answer, for a reader. */
export interface Claim {
  readonly text: string
  /** The head of the table that it is a row of; null for none. */
  readonly under: string | null
  /** `own`: in the page's own words, and shown for the sake of the others; `heading`: it introduces what follows. */
  readonly kind: 'sentence' | 'own' | 'heading'
  /** Formulas that were computed again, with their results. */
  readonly formulas: readonly string[]
  /** What a program knows of its figures. */
  readonly notes: readonly string[]
}

/** The sentences of an answer for a prompt, numbered from 1, each with notes in parentheses below it. */
export function formatClaims(claims: readonly Claim[]): string {
  return claims.map((claim, index) => `${index + 1}. ${formatClaim(claim)}`).join('\n')
}

/** One sentence without its number: the same text for the same claim. */
export function formatClaim({ text, under, kind, formulas, notes }: Claim): string {
  const remarks = [
    ...(kind === 'own' ? ['these are the words of a page: the verdict is yes'] : []),
    ...(kind === 'heading' ? ['a heading or introduction'] : []),
    ...(under === null ? [] : [`a row of a table with this head: ${lineOf(under)}`]),
    ...formulas.map((formula) => `computed again without an error: ${formula}`),
    ...notes,
  ]
  return [lineOf(text), ...remarks.map((each) => `   (${fencedText(oneLine(each))})`)].join('\n')
}

function lineOf(text: string): string {
  return fencedText(oneLine(withoutEmphasis(text)))
}

import { basename } from 'node:path'
import { fencedLine, fencedText } from '../../fenced.ts'
import { oneLine } from '../../library/language/characters.ts'
import { withoutEmphasis } from '../../library/quote.ts'
import type { LocatedQuote } from '../checks/located-quote.ts'
import { type Claim, wordsAround } from './claim.ts'

/** Claims for a prompt, numbered from 1, each above the words of the pages that hold its quotes; all of it is fenced. */
export function formatClaims(claims: readonly Claim[]): string {
  return claims.map((claim, index) => `Claim ${index + 1}${formatClaim(claim)}`).join('\n\n')
}

/** One claim without its number: the same text for a claim that says the same of the same words. */
export function formatClaim({ text, under, found, formulas }: Claim): string {
  const heading = under === null ? '' : `, under “${lineOf(under)}”`
  const computed = formulas.map((formula) => `(computed from the passages, and right: ${lineOf(formula)})`)
  const passages = [...new Set(found.map(formatPassage))]
  return [`${heading}: ${lineOf(text)}`, ...computed, ...passages].join('\n')
}

function lineOf(text: string): string {
  return fencedText(oneLine(withoutEmphasis(text)))
}

function formatPassage(located: LocatedQuote): string {
  const { title, source, year, section, kind } = located.observation
  const { lead, own } = wordsAround(located)
  const headings = (section ?? '').split(' > ').filter((heading) => heading !== '' && heading !== title)
  const attributes = [
    `document="${fencedLine(title ?? basename(source))}"`,
    ...(year ? [`year="${year}"`] : []),
    ...(headings.length > 0 ? [`section="${fencedLine(headings.join(' > '))}"`] : []),
  ]
  const words = [lead, own].filter((each) => each !== '').join(kind === 'table' ? '\n' : ' ')
  return `<passage ${attributes.join(' ')}>\n${fencedText(words)}\n</passage>`
}

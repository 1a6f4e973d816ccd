import type { Observation } from '../../events/index.ts'
import { fencedLine, fencedText } from '../../fenced.ts'
import { documentName } from '../../library/document-name.ts'
import { oneLine } from '../../library/language/characters.ts'
import { withoutEmphasis } from '../../library/quote.ts'
import type { LocatedQuote } from '../checks/located-quote.ts'
import type { Claim } from './claim.ts'
import { wordsAround } from './words-around.ts'

/** Claims for a prompt, numbered from 1, each above the words of the pages that hold its quotes; all of it is fenced. */
export function formatClaims(claims: readonly Claim[]): string {
  return claims.map((claim, index) => `Claim ${index + 1}${formatClaim(claim)}`).join('\n\n')
}

/** One claim without its number: the same text for a claim that says the same of the same words. */
export function formatClaim({ text, under, found, formulas }: Claim): string {
  const heading = under === null ? '' : `, under “${lineOf(under)}”`
  const said = lineOf(text).replace(LIST_MARK, '')
  const computed = formulas.map((formula) => `(computed from the passages, and right: ${fencedText(oneLine(formula))})`)
  return [`${heading}: ${said}`, ...computed, ...byPassage(found).map(formatPassage)].join('\n')
}

/** Of a list or heading of the answer: no part of what is claimed. A number before a month is that of a day. */
const LIST_MARK =
  /^\s*(?:[-•+–]|#{1,6}|\(?\d{1,3}[.)](?!\s+(?:jan|feb|fév|mar|mär|apr|avr|abr|ma[iy]|jui?n|jui?l|aug|aoû|ago|sep|o[ck]t|nov|d[eé][czk])|\s+\P{L})|\(?[a-z]\))\s+/iu

function lineOf(text: string): string {
  return fencedText(oneLine(withoutEmphasis(text)))
}

/** Quotes of one passage belong together: its header is shown once, above all rows that are quoted. */
function byPassage(found: readonly LocatedQuote[]): readonly Group[] {
  const groups = new Map<string, Group>()
  for (const located of found) {
    const { observation } = located
    const { documentId, page, start, end } = observation
    const key = [documentId, page, start, end].join(' ')
    groups.set(key, { observation, quotes: [...(groups.get(key)?.quotes ?? []), located] })
  }
  return [...groups.values()]
}

interface Group {
  readonly observation: Observation
  readonly quotes: readonly LocatedQuote[]
}

function formatPassage({ observation, quotes }: Group): string {
  const { title, year, section } = observation
  const headings = (section ?? '').split(' > ').filter((heading) => heading !== '' && heading !== title)
  const attributes = [
    `document="${fencedLine(documentName(observation))}"`,
    ...(year ? [`year="${year}"`] : []),
    ...(headings.length > 0 ? [`section="${fencedLine(headings.join(' > '))}"`] : []),
  ]
  return `<passage ${attributes.join(' ')}>\n${fencedText(wordsAround(quotes))}\n</passage>`
}

import { type DocumentRecord, documentName } from '../../library/index.ts'
import type { RunResult } from '../../runs/index.ts'
import { type Claim, cardsIn } from '../cards/claim.ts'
import { pooled } from './findings.ts'

/** Characters of the cards that one section is written from. */
const mostOfCards = 14_000

/** As many of the first cards as the form of a section holds. */
export function withinLength<Of extends Claim>(cards: readonly Of[]): readonly Of[] {
  let length = 0
  return cards.filter(({ text }) => {
    length += text.length + 100
    return length <= mostOfCards
  })
}

export function namesIn({ quotes }: Claim, documents: readonly DocumentRecord[]): string {
  const ids = [...new Set(quotes.map(({ documentId }) => documentId))]
  const named = ids.map((id) => documents.find(({ documentId }) => documentId === id))
  return named.flatMap((each) => (each ? documentName(each) : [])).join('; ')
}

/** So many sentences are worth writing from so many cards. */
export function sentencesFor(cards: number): string {
  const fewest = Math.min(12, Math.max(3, cards))
  return `${fewest} to ${fewest + 4}`
}

/** The sentences of an answer that are kept, parted where it has an empty line. */
export function paragraphsOf(result: RunResult): Claim[][] {
  const paragraphs: Claim[][] = []
  let at = 0
  for (const claim of cardsIn(result)) {
    const begins = result.answer.indexOf(claim.text.slice(0, 40), at)
    const isNew = begins >= 0 && result.answer.slice(at, begins).includes('\n\n')
    if (isNew || paragraphs.length === 0) paragraphs.push([])
    paragraphs.at(-1)?.push(claim)
    if (begins >= 0) at = begins + claim.text.length
  }
  return paragraphs
}

/** Sentences of one document in a section of a digest: those that answer best come first. */
const mostOfDocument = 3

/** What was found, a paragraph for each finding; what two have found alike, once. */
export function paragraphsFound(findings: readonly { readonly result: RunResult }[], isDigest: boolean): Claim[][] {
  const most = isDigest ? mostOfDocument : undefined
  const found = findings.map(({ result }) => cardsIn(result).slice(0, most))
  const once = new Set(pooled(found.flat()))
  return found.map((each) => each.filter((card) => once.has(card))).filter((each) => each.length > 0)
}

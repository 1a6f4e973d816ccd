import type { Candidate, ExtractiveParts } from '../parts.ts'
import { type Claim, phrase } from './phrase.ts'

/** Sentences and rows as a draft, each said so that it reads as an answer, and followed by its quotes. */
export function writeAll(
  chosen: readonly Candidate[],
  question: string,
  { readQuestion, contentStems }: Pick<ExtractiveParts, 'readQuestion' | 'contentStems'>,
): string | null {
  if (chosen.length === 0) return null
  const asked = new Set(readQuestion(question).stems)
  return chosen.map((candidate) => writeClaim(phrase(candidate, asked, contentStems), candidate.id)).join(' ')
}

/** A claim with the quotes of one passage behind it, in the markup that the verification reads. */
export function writeClaim({ text, quotes }: Claim, passageId: string): string {
  const cited = quotes.filter((quote) => quote.trim()).map((quote) => `<cite id="${passageId}">${quote}</cite>`)
  return text + cited.join('')
}

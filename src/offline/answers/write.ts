import type { Candidate, ExtractiveParts } from '../parts/parts.ts'
import type { RuledAnswer } from '../parts/strategy.ts'
import { type Claim, highlighted, phrase } from './phrase.ts'

type Wording = Pick<ExtractiveParts, 'readQuestion' | 'contentStems' | 'answerSpan'>

/**
 * Sentences and rows as an answer, each said so that it reads as one, and followed by its quotes; in the first, what
 * the question asks for is set in bold. Null for none.
 */
export function writeAll(
  chosen: readonly Candidate[],
  question: string,
  parts: Wording,
  basis: RuledAnswer['basis'] = 'sentence',
): RuledAnswer | null {
  if (chosen.length === 0) return null
  const text = chosen.map((candidate, i) => writeOne(candidate, question, parts, i === 0)).join(' ')
  return { text, basis, remarks: [] }
}

/** One sentence or row with its quotes. */
export function writeOne(candidate: Candidate, question: string, parts: Wording, answers = true): string {
  const claim = phrase(candidate, question, parts)
  const text = answers && !candidate.row ? highlighted(claim.text, question, parts) : claim.text
  return writeClaim({ ...claim, text }, candidate.id)
}

/** A claim with the quotes of one passage behind it, in the markup that the verification reads. */
export function writeClaim({ text, quotes }: Claim, passageId: string): string {
  const cited = quotes.filter((quote) => quote.trim()).map((quote) => `<cite id="${passageId}">${quote}</cite>`)
  return text + cited.join('')
}

import { z } from 'zod'
import { answerSentence, calculation, citation } from '../../events/index.ts'
import type { RunResult } from '../../runs/index.ts'

/** Words of a page: `page.slice(start, end) === text` where the document was read. */
export const claimQuote = citation
  .pick({ documentId: true, title: true, source: true, section: true, page: true, start: true, end: true, table: true })
  .extend({ text: z.string() })
export type ClaimQuote = z.output<typeof claimQuote>

/**
 * A sentence of an answer, and what it rests on. `quotes` name their documents by the beginning of the SHA-256 of their
 * bytes, so that a claim is about these very files, on any machine. `formulas` were computed again over figures of the quotes.
 */
export const claim = z.object({
  /** The run, and the place of the sentence in its answer: "<run id>.3". */
  id: z.string(),
  ...answerSentence.pick({ text: true, state: true, reason: true }).shape,
  quotes: z.array(claimQuote),
  formulas: z.array(calculation.pick({ expression: true, value: true })),
  runId: z.string(),
  threadId: z.string(),
  question: z.string(),
})
export type Claim = z.output<typeof claim>

/** A claim that is part of its answer. */
export type KeptClaim = Claim & { readonly state: 'verified' | 'quoted' }

export function isKept(claim: Claim): claim is KeptClaim {
  return claim.state !== 'unsupported'
}

/** What of a claim a proof holds. */
export const provenClaim = claim.pick({ id: true, text: true, state: true, quotes: true, formulas: true })
export type ProvenClaim = z.output<typeof provenClaim>

type Said = Pick<RunResult, 'runId' | 'threadId' | 'question' | 'citations' | 'calculations' | 'sentences'>
type Answered = Said & Pick<RunResult, 'abstained' | 'clarification'>

/** The sentences of a run's answer as claims, those that are not part of it too; none if it has no answer. */
export function claimsOfAnswer({
  runId,
  threadId,
  question,
  citations,
  calculations,
  sentences,
}: Said): readonly Claim[] {
  return sentences.map(({ text, state, reason, markers }, index) => {
    const formulas = calculations.filter(({ marker }) => markers.includes(marker))
    const cited = new Set([...markers, ...formulas.flatMap(({ operands }) => operands.map(({ marker }) => marker))])
    return {
      id: `${runId}.${index + 1}`,
      text,
      state,
      ...(reason !== undefined && { reason }),
      quotes: citations.filter(({ marker }) => cited.has(marker)).map(quoteOf),
      formulas: formulas.map(({ expression, value }) => ({ expression, value })),
      runId,
      threadId,
      question,
    }
  })
}

/** What of a run's answer is kept; nothing if it declines, or asks back. */
export function keptIn(result: Answered): readonly KeptClaim[] {
  return result.abstained || result.clarification !== null ? [] : claimsOfAnswer(result).filter(isKept)
}

/** What of a run's answer rests on words of a page: an absence ("the documents name no date") does not. */
export function cardsIn(result: Answered): readonly KeptClaim[] {
  return keptIn(result).filter(({ quotes }) => quotes.length > 0)
}

function quoteOf({
  quote,
  marker: _,
  label: _label,
  verified: _verified,
  ...place
}: z.output<typeof citation>): ClaimQuote {
  return { ...place, text: quote }
}

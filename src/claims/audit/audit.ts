import { z } from 'zod'
import { runResult } from '../../runs/index.ts'
import { claimQuote } from '../cards/claim.ts'

/** A sentence of a text that others wrote, read over the passages of documents that are nearest to it. */
export const auditedSentence = z.object({
  text: z.string(),
  /** `not read`: it states something, but nobody has read it over the passages, since there is no model or it did not reply. */
  state: z.enum(['supported', 'not supported', 'not checkable', 'not read']),
  reason: z.string().optional(),
  /** Of a supported sentence: words that bear it out. Of one that was not read: those that are nearest. */
  quotes: z.array(claimQuote),
})
export type AuditedSentence = z.output<typeof auditedSentence>

/** A text that others wrote, sentence by sentence. */
export const audit = z.object({
  sentences: z.array(auditedSentence),
  limitedTo: runResult.shape.limitedTo,
  counts: z.object({
    supported: z.number(),
    notSupported: z.number(),
    notCheckable: z.number(),
    notRead: z.number(),
  }),
  /** Share of supported sentences; null unless all that state something were read, since a share of the others would mislead. */
  score: z.number().min(0).max(1).nullable(),
})
export type Audit = z.output<typeof audit>

export function auditOf(sentences: readonly AuditedSentence[], limitedTo: Audit['limitedTo']): Audit {
  const count = (state: AuditedSentence['state']) => sentences.filter((each) => each.state === state).length
  const [supported, notSupported] = [count('supported'), count('not supported')]
  const [read, notRead] = [supported + notSupported, count('not read')]
  return {
    sentences: [...sentences],
    limitedTo,
    counts: { supported, notSupported, notCheckable: count('not checkable'), notRead },
    score: read === 0 || notRead > 0 ? null : supported / read,
  }
}

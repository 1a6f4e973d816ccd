import { z } from 'zod'
import { runResult } from '../../runs/index.ts'
import { claim } from '../cards/claim.ts'

const count = z.number().int().nonnegative()
const document = z.object({ documentId: z.string(), document: z.string() })

/** A section of a report: its sentences in paragraphs; none where nothing was found. */
export const reportSection = z.object({
  heading: z.string(),
  questions: z.array(z.string()),
  paragraphs: z.array(z.array(claim)),
})
export type ReportSection = z.output<typeof reportSection>

/**
 * A text over many documents in which every sentence is a claim with its quotes. A `digest` is what there is without a language
 * model: the quotes that answer each question.
 */
export const report = z.object({
  kind: z.enum(['report', 'digest']),
  title: z.string(),
  question: z.string(),
  /** The first verified sentence of each section. */
  summary: z.array(claim),
  sections: z.array(reportSection),
  /** Sentences of different documents that cannot both be true, and what they disagree about. */
  contradictions: z.array(z.object({ about: z.string(), claims: z.tuple([claim, claim]) })),
  /** Questions that the documents do not answer, after a second try in other words, and what was searched. */
  notFound: z.array(z.object({ question: z.string(), reason: z.string() })),
  /** What could not be asked or written to its end, and is done when the report is asked for again. */
  unfinished: z.array(z.object({ question: z.string(), state: z.enum(['open', 'failed']), reason: z.string() })),
  /** Sentences that were written and are no part of the report, with the reason. */
  unsupported: z.array(claim),
  /** Documents of which no passage was found by any search or reading. */
  unopened: z.array(document),
  /** The documents that were searched. */
  documents: count,
  limitedTo: runResult.shape.limitedTo,
  usage: z.object({ modelCalls: count, inputTokens: count, outputTokens: count, costUsd: z.number().nullable() }),
})
export type Report = z.output<typeof report>

import { z } from 'zod'

/** A number, a yes or no, or a category. */
export type ScoreValue = number | boolean | string

/** What somebody says of a run. */
export const score = z.strictObject({
  runId: z.string(),
  /** One run has one score of a name: the same name again replaces it. */
  name: z.string(),
  value: z.union([z.number(), z.boolean(), z.string()]),
  comment: z.string().nullable(),
  /** Who says it. */
  userId: z.string().nullable(),
  scoredAt: z.iso.datetime(),
})
export type Score = z.output<typeof score>

/**
 * What became of a score outside: it waits for Langfuse, has arrived there, was refused there and is not sent again, or
 * belongs to a copy of a run, which has no trace.
 */
export const delivery = z.enum(['waiting', 'delivered', 'refused', 'local'])
export type Delivery = z.output<typeof delivery>

/** Attaches scores to traces. Never rejects; a score that is aborted by `signal` waits. */
export interface ScoreSender {
  send(score: Score, signal?: AbortSignal): Promise<Exclude<Delivery, 'local'>>
}

export const keptScore = score.extend({ delivery })
export type KeptScore = z.output<typeof keptScore>

/** The confidence of a run's answer, as a score of its trace. Nobody else may give a score of this name. */
export const confidenceScore = 'confidence_score'

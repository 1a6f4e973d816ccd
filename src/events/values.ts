/** Values that several payloads hold. */
import { z } from 'zod'

export const json = z.record(z.string(), z.unknown())
export const count = z.number().int().nonnegative()

/** A tool call as a model asked for it. */
export const toolCall = z.object({ id: z.string(), name: z.string(), args: json })
export type PendingToolCall = z.output<typeof toolCall>

/** Tokens and money of one model call. `null` is "the endpoint did not say" or "no price known", never zero. */
export const usage = z.object({
  inputTokens: count.nullable(),
  outputTokens: count.nullable(),
  costUsd: z.number().nonnegative().nullable(),
  /** Those of the input that the endpoint had cached, and those of the output that are reasoning, where it counts them. */
  cachedInputTokens: count.optional(),
  reasoningTokens: count.optional(),
  /** The parts of `costUsd`. */
  inputCostUsd: z.number().nonnegative().optional(),
  outputCostUsd: z.number().nonnegative().optional(),
})
export type Usage = z.output<typeof usage>

/** A verbatim quote, found again in the stored page text: `page.slice(start, end) === quote`. */
export const citation = z.object({
  marker: count,
  label: z.string(),
  documentId: z.string(),
  title: z.string().nullable(),
  source: z.string(),
  page: count,
  section: z.string().nullable(),
  quote: z.string(),
  start: count,
  end: count,
  /** False for the citation of an imported run whose quote was not found in this library. */
  verified: z.boolean(),
})
export type Citation = z.output<typeof citation>

/**
 * A number of an answer that was computed again from figures of its quotes: `expression` as its writer noted it, `value` in
 * the scale of those figures, and of each figure the citation that has it.
 */
export const calculation = z.object({
  marker: count,
  expression: z.string(),
  value: z.number(),
  operands: z.array(z.object({ value: z.number(), marker: count })),
})
export type Calculation = z.output<typeof calculation>

/** A sentence of a draft that is not shown as part of the answer, and why, in words for a reader. */
export const unsupported = z.object({ text: z.string(), reason: z.string() })
export type Unsupported = z.output<typeof unsupported>

/** Logs of earlier versions hold the sentences alone. */
export function readUnsupported(entries: readonly (Unsupported | string)[]): Unsupported[] {
  return entries.map((each) => (typeof each === 'string' ? { text: each, reason: '' } : each))
}

/** Of an imported run: how many of its quotes are not in this library. Their citations are not verified. */
export const imported = z.object({ missingQuotes: count })
export type Imported = z.output<typeof imported>

/** Words of an answer that answer the question most shortly: `answer.slice(start, end)`. */
export const highlight = z.object({ start: count, end: count })

/** Why a run stopped although it had more to do. */
export const ending = z.object({ reason: z.string(), limit: z.string(), value: z.number() })
export type Ending = z.output<typeof ending>

export const askedBy = z.object({ hook: z.string(), digest: z.string() })
export type AskedBy = z.output<typeof askedBy>

const bound = z.number().nullable()
/** Upper bounds of one run; null is none. */
export const runLimits = z.object({
  modelCalls: bound,
  rounds: bound,
  toolCalls: bound,
  tokens: bound,
  costUsd: bound,
  wallClockMs: bound,
})

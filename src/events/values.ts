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

/** The quoted cells of a table. What is not the same for all of them is null; without labels of rows, if there are others. */
export const quotedTable = z.object({
  caption: z.string().nullable(),
  /** As printed: "CHF million". */
  unit: z.string().nullable(),
  /** The lines and groups that the row stands under, outermost first. */
  section: z.array(z.string()),
  row: z.string().nullable(),
  /** The cells above the column, outermost first. */
  column: z.array(z.string()).nullable(),
  period: z.string().nullable(),
  /** Of each quoted column, the cells above it; and the quoted rows, as many cells each. */
  columns: z.array(z.array(z.string())),
  rows: z.array(z.array(z.string())),
})

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
  /** Where the quote stands in a table: what that says of the quoted cells. */
  table: quotedTable.optional(),
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

/**
 * A sentence of a written answer. `verified`: its quotes stand on their pages, and it is the page's own words, a formula that
 * was computed again, or a second reading found that the passages say so. `quoted`: its quotes stand on their pages, but
 * nobody read it again. `unsupported`: no page has its words, or the reading says no; it is not part of the answer.
 */
export const answerSentence = z.object({
  /** Without markers. */
  text: z.string(),
  state: z.enum(['verified', 'quoted', 'unsupported']),
  /** The footnotes of the sentence. */
  markers: z.array(count),
  /** Why it is not verified, in words for a reader. */
  reason: z.string().optional(),
  /** As it was written, where the second reading has corrected it. */
  correctedFrom: z.string().optional(),
})
export type AnswerSentence = z.output<typeof answerSentence>

/** A sentence of an answer that quotes words which a document no longer has, and the nearest words of now. */
export const fallenClaim = z.object({
  claim: z.object({
    id: z.string(),
    text: z.string(),
    runId: z.string(),
    threadId: z.string(),
    question: z.string(),
  }),
  quotes: z.array(
    z.object({
      quote: citation
        .pick({ documentId: true, title: true, source: true, section: true, page: true })
        .extend({ text: z.string() }),
      stands: z.boolean(),
      change: z.enum(['document changed', 'document gone', 'other words']).nullable(),
      now: z.object({ documentId: z.string(), source: z.string(), page: count, text: z.string() }).nullable(),
    }),
  ),
  /** Why formulas are not computed to their value any more. */
  formulas: z.array(z.string()),
  /** How many answers say it with the same quotes, where they are several; `claim` is that of the first. */
  answers: count.optional(),
})
export type FallenClaim = z.output<typeof fallenClaim>

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

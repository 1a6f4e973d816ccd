import { z } from 'zod'
import { runResult } from '../runs/index.ts'

const count = z.number().int().nonnegative()
const share = z.number().min(0).max(1)

/** The judgement of one question. null: nothing was expected, or there is nothing to judge. */
export const rowScore = z.strictObject({
  id: z.string(),
  thread: z.string().nullable(),
  question: z.string(),
  /** null if the run was refused. */
  runId: z.string().nullable(),
  threadId: z.string().nullable(),
  /** `model_failed`: the run ended, but a fallback replaced the output of a model that failed. */
  status: z.union([runResult.shape.status, z.literal('model_failed'), z.literal('refused')]),
  answer: z.string(),
  clarification: z.string().nullable(),
  abstained: z.boolean(),
  confidence: share.nullable(),
  /** The outcome is as expected: the answer, an abstention, or a question back. */
  right: z.boolean().nullable(),
  /** Right, and with the expected agents, tools and documents. */
  passed: z.boolean().nullable(),
  /** Unmet expectations, in words. */
  problems: z.array(z.string()),
  answerMatch: z.boolean().nullable(),
  documentHit: z.boolean().nullable(),
  /** Share of the citations that are on an expected document and page; and of those expected that are cited. */
  citationPrecision: share.nullable(),
  citationRecall: share.nullable(),
  citations: z.array(
    z.strictObject({ source: z.string(), page: count, label: z.string(), quote: z.string(), verified: z.boolean() }),
  ),
  expectedAbstention: z.boolean().nullable(),
  expectedClarification: z.boolean().nullable(),
  agents: z.array(z.string()),
  tools: z.array(z.string()),
  modelCalls: count,
  toolCalls: count,
  inputTokens: count,
  outputTokens: count,
  /** US dollars; null is unknown. */
  costUsd: z.number().nullable(),
  durationMs: z.number().nonnegative(),
  error: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
})
export type RowScore = z.output<typeof rowScore>

/** True for runs that count as wrong everywhere, even with an answer. */
export function isFailure(status: RowScore['status']): boolean {
  return status === 'failed' || status === 'model_failed' || status === 'refused'
}

const decision = z.strictObject({
  precision: share.nullable(),
  recall: share.nullable(),
  f1: share.nullable(),
  expected: count,
  made: count,
})
export type DecisionScore = z.output<typeof decision>

/** Answers whose confidence lies in one tenth. */
const bin = z.strictObject({ from: share, to: share, answers: count, confidence: share, right: share })
export type CalibrationBin = z.output<typeof bin>

const calibration = z.strictObject({
  answers: count,
  /** Expected calibration error over ten bins of equal width. */
  ece: share,
  /** Mean squared difference of confidence and outcome. */
  brier: share,
  bins: z.array(bin),
})
export type Calibration = z.output<typeof calibration>

const rate = z.strictObject({ share: share.nullable(), of: count, hits: count })
export type Rate = z.output<typeof rate>

export const evalSummary = z.strictObject({
  rows: count,
  passed: rate,
  answerMatch: rate,
  documentHit: rate,
  citationPrecision: share.nullable(),
  citationRecall: share.nullable(),
  quotesVerified: rate,
  abstention: decision,
  clarification: decision,
  calibration: calibration.nullable(),
  /** Runs that failed, whose model failed, or that were refused; they count as wrong everywhere above. */
  failures: count,
  modelCalls: count,
  toolCalls: count,
  inputTokens: count,
  outputTokens: count,
  costUsd: z.number().nullable(),
  latencyMs: z.strictObject({ p50: z.number().nullable(), p95: z.number().nullable() }),
})
export type EvalSummary = z.output<typeof evalSummary>

const outcome = z.strictObject({ passed: z.boolean().nullable(), answer: z.string(), problems: z.array(z.string()) })

const changedRow = z.strictObject({ id: z.string(), question: z.string(), before: outcome, after: outcome })
export type ChangedRow = z.output<typeof changedRow>

/** Two evaluations side by side, over the questions that both have. */
export const comparison = z.strictObject({
  before: evalSummary,
  after: evalSummary,
  /** Passed before, and no longer. */
  broken: z.array(changedRow),
  mended: z.array(changedRow),
  /** The same result with another answer. */
  reworded: z.array(changedRow),
  /** Ids of questions that only one of them has. */
  onlyBefore: z.array(z.string()),
  onlyAfter: z.array(z.string()),
})
export type Comparison = z.output<typeof comparison>

/** A report; `--baseline` reads it again. */
export const evalReport = z.strictObject({
  version: z.literal(1),
  dataset: z.string(),
  model: z.string(),
  /** ISO 8601. */
  startedAt: z.iso.datetime(),
  /** Rows judged by an earlier attempt that was stopped. */
  resumed: count.default(0),
  summary: evalSummary,
  rows: z.array(rowScore),
  /** Its place in Langfuse; absent if it was not reported or did not arrive. */
  experiment: z.strictObject({ dataset: z.string(), run: z.string(), url: z.string() }).optional(),
  /** With the report of `--baseline`. */
  comparison: comparison.optional(),
})
export type EvalReport = z.output<typeof evalReport>

import {
  type Calibration,
  type CalibrationBin,
  type DecisionScore,
  type EvalSummary,
  isFailure,
  type Rate,
  type RowScore,
} from './report.ts'

/** What the rows come to together. Failed runs count as wrong, never as absent. */
export function summarise(rows: readonly RowScore[]): EvalSummary {
  const answered = rows.filter(({ status }) => !isFailure(status))
  const quotes = answered.flatMap(({ citations }) => citations.map(({ verified }) => verified))
  const durations = rows.filter(({ runId }) => runId !== null).map(({ durationMs }) => durationMs)
  return {
    rows: rows.length,
    passed: rateOf(rows.map(({ passed }) => passed)),
    answerMatch: rateOf(rows.map(({ answerMatch }) => answerMatch)),
    documentHit: rateOf(rows.map(({ documentHit }) => documentHit)),
    citationPrecision: meanOf(rows.map(({ citationPrecision }) => citationPrecision)),
    citationRecall: meanOf(rows.map(({ citationRecall }) => citationRecall)),
    quotesVerified: rateOf(quotes),
    abstention: decisionOf(rows, 'expectedAbstention', ({ abstained }) => abstained),
    clarification: decisionOf(rows, 'expectedClarification', ({ status }) => status === 'clarification_needed'),
    calibration: calibrationOf(judgedAnswers(rows)),
    failures: rows.length - answered.length,
    modelCalls: sum(rows.map(({ modelCalls }) => modelCalls)),
    toolCalls: sum(rows.map(({ toolCalls }) => toolCalls)),
    inputTokens: sum(rows.map(({ inputTokens }) => inputTokens)),
    outputTokens: sum(rows.map(({ outputTokens }) => outputTokens)),
    costUsd: costOf(rows),
    latencyMs: { p50: quantile(durations, 0.5), p95: quantile(durations, 0.95) },
  }
}

/** Answers with a confidence of which it is known whether they are right; one to a question without an answer is not. */
function judgedAnswers(rows: readonly RowScore[]): readonly { confidence: number; right: boolean }[] {
  return rows.flatMap(({ confidence, answerMatch, expectedAbstention, abstained, status }) => {
    const isAnswer = !abstained && (status === 'completed' || status === 'limit_reached')
    const right = expectedAbstention === true ? false : answerMatch
    return isAnswer && confidence !== null && right !== null ? [{ confidence, right }] : []
  })
}

function rateOf(outcomes: readonly (boolean | null)[]): Rate {
  const judged = outcomes.filter((each) => each !== null)
  const hits = judged.filter(Boolean).length
  return { share: judged.length === 0 ? null : hits / judged.length, of: judged.length, hits }
}

function meanOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((each) => each !== null)
  return known.length === 0 ? null : sum(known) / known.length
}

/** Over the rows that say whether the decision should be made; a run that failed has not made it. */
function decisionOf(
  rows: readonly RowScore[],
  expectation: 'expectedAbstention' | 'expectedClarification',
  isMade: (row: RowScore) => boolean,
): DecisionScore {
  const judged = rows.filter((row) => row[expectation] !== null)
  const expected = judged.filter((row) => row[expectation] === true)
  const made = judged.filter((row) => !isFailure(row.status) && isMade(row))
  const both = made.filter((row) => row[expectation] === true).length
  const precision = made.length === 0 ? null : both / made.length
  const recall = expected.length === 0 ? null : both / expected.length
  return { precision, recall, f1: harmonicMean(precision, recall), expected: expected.length, made: made.length }
}

function harmonicMean(precision: number | null, recall: number | null): number | null {
  if (precision === null || recall === null) return null
  return precision + recall === 0 ? 0 : (2 * precision * recall) / (precision + recall)
}

/** Unknown as soon as one run's is. */
function costOf(rows: readonly RowScore[]): number | null {
  const costs = rows.map(({ costUsd }) => costUsd)
  return costs.every((cost) => cost !== null) ? sum(costs.filter((cost) => cost !== null)) : null
}

/** The smallest value that so large a share of the values does not exceed; null of none. */
function quantile(values: readonly number[], share: number): number | null {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

interface JudgedAnswer {
  /** The probability that the answer is right, as it was stated. */
  readonly confidence: number
  readonly right: boolean
}

const bins = 10

/**
 * How far stated confidence is from what happened: expected calibration error over ten bins of equal width (Guo et al.,
 * 2017, "On Calibration of Modern Neural Networks"), and the Brier score. null without answers.
 */
export function calibrationOf(answers: readonly JudgedAnswer[]): Calibration | null {
  if (answers.length === 0) return null
  const filled = Array.from({ length: bins }, (_, index) => binOf(answers, index)).filter((bin) => bin !== null)
  const ece = filled.reduce(
    (sum, bin) => sum + (bin.answers / answers.length) * Math.abs(bin.confidence - bin.right),
    0,
  )
  const squares = answers.map(({ confidence, right }) => (confidence - Number(right)) ** 2)
  const brier = squares.reduce((sum, square) => sum + square, 0) / answers.length
  return { answers: answers.length, ece, brier, bins: filled }
}

function binOf(answers: readonly JudgedAnswer[], index: number): CalibrationBin | null {
  const own = answers.filter(({ confidence }) => Math.min(bins - 1, Math.floor(confidence * bins)) === index)
  if (own.length === 0) return null
  const confidence = own.reduce((sum, each) => sum + each.confidence, 0) / own.length
  const right = own.filter((each) => each.right).length / own.length
  return { from: index / bins, to: (index + 1) / bins, answers: own.length, confidence, right }
}

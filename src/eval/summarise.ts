import {
  type Calibration,
  type CalibrationBin,
  type ChangedRow,
  type Comparison,
  type DecisionScore,
  type EvalReport,
  type EvalSummary,
  isFailure,
  type Rate,
  type RowScore,
} from './report.ts'

/** The figures over all rows. Failed runs count as wrong; they are not left out. */
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

/** Answers with a confidence that are known to be right or wrong; an answer to a question without one is wrong. */
function judgedAnswers(rows: readonly RowScore[]): readonly JudgedAnswer[] {
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

/** Over the rows that expect the decision or its absence; a failed run has not made it. */
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

/** null if the cost of one run is unknown. */
function costOf(rows: readonly RowScore[]): number | null {
  const costs = rows.map(({ costUsd }) => costUsd)
  return costs.every((cost) => cost !== null) ? sum(costs.filter((cost) => cost !== null)) : null
}

/** The smallest value that this share of the values does not exceed; null without values. */
function quantile(values: readonly number[], share: number): number | null {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

interface JudgedAnswer {
  readonly confidence: number
  readonly right: boolean
}

const bins = 10

/**
 * How well confidence predicts right answers: expected calibration error over ten bins of equal width (Guo et al., 2017,
 * "On Calibration of Modern Neural Networks"), and the Brier score. null without answers.
 */
export function calibrationOf(answers: readonly JudgedAnswer[]): Calibration | null {
  if (answers.length === 0) return null
  const filled = Array.from({ length: bins }, (_, index) => binOf(answers, index)).filter((bin) => bin !== null)
  const ece = sum(filled.map((bin) => (bin.answers / answers.length) * Math.abs(bin.confidence - bin.right)))
  const brier = sum(answers.map(({ confidence, right }) => (confidence - Number(right)) ** 2)) / answers.length
  return { answers: answers.length, ece, brier, bins: filled }
}

function binOf(answers: readonly JudgedAnswer[], index: number): CalibrationBin | null {
  const own = answers.filter(({ confidence }) => Math.min(bins - 1, Math.floor(confidence * bins)) === index)
  if (own.length === 0) return null
  const confidence = sum(own.map((each) => each.confidence)) / own.length
  const right = own.filter((each) => each.right).length / own.length
  return { from: index / bins, to: (index + 1) / bins, answers: own.length, confidence, right }
}

/** Compares two evaluations by ids and texts of their questions. */
export function compare(before: EvalReport, after: EvalReport): Comparison {
  const earlier = new Map(before.rows.map((row) => [keyOf(row), row]))
  const later = new Set(after.rows.map(keyOf))
  const pairs = after.rows.flatMap((row) => {
    const old = earlier.get(keyOf(row))
    return old ? [{ old, row }] : []
  })
  const changed = (isChange: (pair: (typeof pairs)[number]) => boolean) => pairs.filter(isChange).map(changeOf)
  return {
    before: summarise(pairs.map(({ old }) => old)),
    after: summarise(pairs.map(({ row }) => row)),
    broken: changed(({ old, row }) => old.passed === true && row.passed !== true),
    mended: changed(({ old, row }) => old.passed !== true && row.passed === true),
    reworded: changed(({ old, row }) => old.passed === row.passed && textOf(old) !== textOf(row)),
    onlyBefore: before.rows.filter((row) => !later.has(keyOf(row))).map(({ id }) => id),
    onlyAfter: after.rows.filter((row) => !earlier.has(keyOf(row))).map(({ id }) => id),
  }
}

function keyOf({ id, question }: RowScore): string {
  return JSON.stringify([id, question])
}

function changeOf({ old, row }: { readonly old: RowScore; readonly row: RowScore }): ChangedRow {
  const outcomeOf = (each: RowScore) => ({ passed: each.passed, answer: textOf(each), problems: each.problems })
  return { id: row.id, question: row.question, before: outcomeOf(old), after: outcomeOf(row) }
}

function textOf({ clarification, answer }: RowScore): string {
  return clarification ?? answer
}

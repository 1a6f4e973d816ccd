import { basename, extname } from 'node:path'
import type { Quaero } from '../api.ts'
import { assembleExperiments } from '../assembly/assemble-tracing.ts'
import type { Experiment, ExperimentItem, LangfuseExperiments, ReportedExperiment } from '../langfuse/experiment.ts'
import type { EvalRow } from './dataset.ts'
import { type EvalReport, type EvalSummary, isFailure, type RowScore } from './report.ts'

export { assembleExperiments, type LangfuseExperiments, type ReportedExperiment }

export interface ExperimentNames {
  /** Absent: the dataset's file name without its ending. */
  readonly dataset?: string | undefined
  /** Absent: dataset, model and time. */
  readonly run?: string | undefined
}

/** An evaluation as an experiment in Langfuse. Failed and refused questions are items too, scored 0. */
export async function experimentOf(
  report: EvalReport,
  rows: readonly EvalRow[],
  { quaero, names }: { readonly quaero: Pick<Quaero, 'status'>; readonly names: ExperimentNames },
): Promise<Experiment> {
  const { model, startedAt, summary } = report
  const dataset = names.dataset ?? basename(report.dataset, extname(report.dataset))
  const asked = new Map(rows.map((row) => [row.id, row]))
  return {
    dataset,
    run: names.run ?? `${dataset} ${model} ${startedAt}`,
    metadata: {
      model,
      startedAt,
      questions: summary.rows,
      failed: summary.failures,
      refused: report.rows.filter(({ status }) => status === 'refused').length,
    },
    items: await Promise.all(
      report.rows.map(async (score) => itemOf(score, asked.get(score.id), await timesOf(score, report, quaero))),
    ),
    scores: summaryScores(summary),
  }
}

function itemOf(row: RowScore, asked: EvalRow | undefined, times: Times): ExperimentItem {
  const { id, question, runId, threadId, thread, status, answer, clarification, error } = row
  return {
    id,
    input: question,
    expectedOutput: asked?.expect ?? null,
    metadata: { id, ...(thread !== null && { thread }), ...(asked?.note !== undefined && { note: asked.note }) },
    run: runId === null ? null : { runId, threadId },
    output: clarification ?? answer,
    ...times,
    error: isFailure(status) ? (error?.message ?? status) : null,
    scores: known({
      passed: numeric(row.passed),
      failed: numeric(isFailure(status)),
      answer_match: numeric(row.answerMatch),
      document_cited: numeric(row.documentHit),
      citation_precision: row.citationPrecision,
      citation_recall: row.citationRecall,
      quotes_verified: share(row.citations.map(({ verified }) => verified)),
      abstained_as_expected: asExpected(row.expectedAbstention, row.abstained, status),
      clarified_as_expected: asExpected(row.expectedClarification, status === 'clarification_needed', status),
      confidence: row.confidence,
    }),
  }
}

interface Times {
  readonly startedAt: Date
  readonly endedAt: Date
}

async function timesOf(
  { runId, durationMs }: RowScore,
  report: EvalReport,
  quaero: Pick<Quaero, 'status'>,
): Promise<Times> {
  // A run that was deleted or refused gets the time of the evaluation.
  const status = runId === null ? null : await quaero.status(runId).catch(() => null)
  const startedAt = new Date(status?.startedAt ?? report.startedAt)
  return { startedAt, endedAt: new Date(startedAt.getTime() + durationMs) }
}

function summaryScores(summary: EvalSummary): Readonly<Record<string, number>> {
  const { abstention, clarification, calibration, latencyMs } = summary
  return known({
    passed: summary.passed.share,
    failures: summary.failures,
    answer_match: summary.answerMatch.share,
    document_cited: summary.documentHit.share,
    citation_precision: summary.citationPrecision,
    citation_recall: summary.citationRecall,
    quotes_verified: summary.quotesVerified.share,
    abstention_precision: abstention.precision,
    abstention_recall: abstention.recall,
    clarification_f1: clarification.f1,
    calibration_error: calibration?.ece ?? null,
    brier_score: calibration?.brier ?? null,
    model_calls: summary.modelCalls,
    tool_calls: summary.toolCalls,
    input_tokens: summary.inputTokens,
    output_tokens: summary.outputTokens,
    cost_usd: summary.costUsd,
    latency_p50_ms: latencyMs.p50,
    latency_p95_ms: latencyMs.p95,
  })
}

/** 1 and 0, so that Langfuse can average them. */
function numeric(value: boolean | null): number | null {
  return value === null ? null : Number(value)
}

/** A failed run has made no decision. */
function asExpected(expected: boolean | null, made: boolean, status: RowScore['status']): number | null {
  return expected === null ? null : Number(!isFailure(status) && expected === made)
}

function share(outcomes: readonly boolean[]): number | null {
  return outcomes.length === 0 ? null : outcomes.filter(Boolean).length / outcomes.length
}

function known(scores: Readonly<Record<string, number | null>>): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(scores).flatMap(([name, value]) => (value === null ? [] : [[name, value]])))
}

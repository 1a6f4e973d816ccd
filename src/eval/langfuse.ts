import { createHash, randomUUID } from 'node:crypto'
import { basename, extname } from 'node:path'
import type { AskOptions, Quaero } from '../api.ts'
import { assembleExperiments } from '../assembly/index.ts'
import { RunNotFound } from '../errors.ts'
import { hasEnded } from '../events/index.ts'
import type { BegunExperiment, ExperimentItem, LangfuseExperiments } from '../langfuse/index.ts'
import { runIdOf } from '../runs/index.ts'
import type { EvalRow } from './dataset.ts'
import { conversationsOf } from './evaluate.ts'
import type { Journal } from './journal.ts'
import { type EvalReport, type EvalSummary, isFailure, type RowScore } from './report.ts'

export { assembleExperiments, type LangfuseExperiments }

export interface ExperimentNames {
  /** Absent: the dataset's file name without its ending. */
  readonly dataset?: string | undefined
  /** Absent: dataset and model. The time is added to it. */
  readonly run?: string | undefined
}

interface Evaluation {
  readonly quaero: Pick<Quaero, 'runs' | 'status'>
  readonly rows: readonly EvalRow[]
  readonly journal: Journal
  /** The path of the questions. */
  readonly dataset: string
  readonly names: ExperimentNames
  /** ISO 8601. */
  readonly startedAt: string
  readonly signal: AbortSignal
}

/** An evaluation that is an experiment in Langfuse. */
export interface EvalExperiment {
  readonly experiment: BegunExperiment
  /** How each row is asked. */
  readonly plan: ReadonlyMap<string, Required<Pick<AskOptions, 'threadId' | 'idempotencyKey' | 'traceAttributes'>>>
  /** Sends the scores. Failed and refused questions are scored 0. Throws `LangfuseUnavailable`. */
  finish(report: EvalReport, signal: AbortSignal): Promise<void>
}

/**
 * Begins the experiment, or continues that of the journal, before the questions are asked: the spans of each run carry
 * its id. Throws `LangfuseUnavailable`.
 */
export async function beginExperiment(
  langfuse: LangfuseExperiments,
  { quaero, rows, journal, dataset: path, names, startedAt, signal }: Evaluation,
): Promise<EvalExperiment> {
  const evaluationId = journal.begun?.evaluationId ?? randomUUID()
  const judged = new Map(journal.judged.map(({ id, runId }) => [id, runId]))
  const planned = await plannedRows(rows, { evaluationId, judged, quaero })
  const dataset = names.dataset ?? basename(path, extname(path))
  const model = quaero.status().steps.find(({ step }) => step === 'models')?.detail ?? 'unknown'
  const run = `${names.run ?? `${dataset} ${model}`} - ${startedAt}`
  const metadata = { model, startedAt, questions: rows.length }
  const items = planned.map(({ item }) => item)
  const experiment = await langfuse.begin({ dataset, run, metadata, items }, journal.begun?.experiment ?? null, signal)
  await journal.begin({ evaluationId, experiment })
  return {
    experiment,
    plan: new Map(
      planned.map(({ item, idempotencyKey, threadId }) => {
        return [item.id, { idempotencyKey, threadId, traceAttributes: langfuse.attributesOf(experiment, item) }]
      }),
    ),
    async finish(report, stopped) {
      const scores = new Map(report.rows.map((row) => [row.id, row]))
      const results = planned.flatMap(({ item, threadId }) => {
        const row = scores.get(item.id)
        const { error } = row ?? {}
        const refused = row?.status === 'refused' && error && { refused: { threadId, ...error } }
        return row ? [{ item, scores: rowScores(row), ...refused }] : []
      })
      await langfuse.finish(experiment, results, { scores: summaryScores(report.summary), signal: stopped })
    },
  }
}

interface PlannedRow {
  readonly item: ExperimentItem
  readonly idempotencyKey: string
  readonly threadId: string
}

interface Plan {
  readonly evaluationId: string
  /** The runs of the rows that an earlier attempt has judged, by the row's id. */
  readonly judged: ReadonlyMap<string, string | null>
  readonly quaero: Pick<Quaero, 'runs'>
}

/**
 * Runs and threads of all rows, known before they are asked. Interrupted runs are resumed; a conversation with a run that
 * ended without being judged, since the evaluation stopped at its failure, is asked anew.
 */
async function plannedRows(rows: readonly EvalRow[], { evaluationId, judged, quaero }: Plan) {
  const planned: PlannedRow[] = []
  for (const turns of conversationsOf(rows)) {
    for (let tries = 0; ; tries += 1) {
      const keyOf = (id: string) => digest([evaluationId, id, tries])
      const own = turns.map((row) => {
        const idempotencyKey = keyOf(row.id)
        const item = itemOf(row, runIdOf(idempotencyKey))
        return { item, idempotencyKey, threadId: `eval-${keyOf(turns[0]?.id ?? '')}` }
      })
      const others = own.filter(({ item }) => judged.get(item.id) !== item.runId)
      const ended = await Promise.all(others.map(({ item }) => isOver(item.runId, quaero)))
      if (ended.includes(true)) continue
      planned.push(...own)
      break
    }
  }
  return planned
}

async function isOver(runId: string, { runs }: Pick<Quaero, 'runs'>): Promise<boolean> {
  try {
    return hasEnded((await runs.status(runId)).state)
  } catch (error) {
    if (error instanceof RunNotFound) return false
    throw error
  }
}

function digest(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)
}

function itemOf({ id, question, thread, note, expect }: EvalRow, runId: string): ExperimentItem {
  const metadata = { id, ...(thread !== undefined && { thread }), ...(note !== undefined && { note }) }
  return { id, input: question, expectedOutput: expect ?? null, metadata, runId }
}

function rowScores(row: RowScore): Readonly<Record<string, number>> {
  const { status } = row
  return known({
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
  })
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

import type { Comparison, DecisionScore, EvalSummary, Rate } from './report.ts'

/** One figure of an evaluation, as it is read by people. */
export interface Figure {
  readonly name: string
  readonly value: string
  readonly detail: string
}

/** The figures of a summary, in the order in which they matter; what nothing was expected of is left out. */
export function figuresOf(summary: EvalSummary): readonly Figure[] {
  const { calibration, latencyMs, costUsd, inputTokens, outputTokens, modelCalls, toolCalls, failures } = summary
  return [
    ...rate('passed', summary.passed),
    ...rate('answer matches', summary.answerMatch),
    ...rate('document cited', summary.documentHit),
    ...share('citation precision', summary.citationPrecision, 'of citations, on an expected document and page'),
    ...share('citation recall', summary.citationRecall, 'of expected documents and pages, cited'),
    ...rate('quotes verified', summary.quotesVerified),
    ...decision('abstention', summary.abstention),
    ...decision('clarification', summary.clarification),
    ...(calibration
      ? [
          figure(
            'calibration error',
            calibration.ece.toFixed(3),
            `expected, over ${pluralOf(calibration.answers, 'answer')}`,
          ),
          figure('Brier score', calibration.brier.toFixed(3), '0 is perfect, .25 is a coin'),
        ]
      : []),
    figure(
      'failures',
      String(failures),
      'runs that failed, whose model did, or that were refused; they count as wrong',
    ),
    figure('model calls', String(modelCalls), pluralOf(toolCalls, 'tool call')),
    figure(
      'tokens',
      `${inputTokens} in, ${outputTokens} out`,
      costUsd === null ? 'cost unknown' : `$${costUsd.toFixed(4)}`,
    ),
    ...(latencyMs.p50 === null || latencyMs.p95 === null
      ? []
      : [figure('latency', `${seconds(latencyMs.p50)} median`, `${seconds(latencyMs.p95)} at 95 %`)]),
  ]
}

/** How the questions of two evaluations differ; null where they are the same. */
export function differenceIn({ after, onlyBefore, onlyAfter }: Comparison): string | null {
  if (onlyBefore.length === 0 && onlyAfter.length === 0) return null
  const both = `Compared over the ${pluralOf(after.rows, 'question')} that both have`
  return `${both}: ${onlyBefore.length} of the earlier report are missing here, ${onlyAfter.length} are new.`
}

/** "1 answer", "2 answers". */
export function pluralOf(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}

function rate(name: string, { share: value, hits, of }: Rate): readonly Figure[] {
  return share(name, value, `${hits} of ${of}`)
}

function share(name: string, value: number | null, detail: string): readonly Figure[] {
  return value === null ? [] : [figure(name, `${(100 * value).toFixed(1)} %`, detail)]
}

function decision(name: string, { precision, recall, f1, expected, made }: DecisionScore): readonly Figure[] {
  if (expected === 0 && made === 0) return []
  const shown = (value: number | null) => (value === null ? '–' : value.toFixed(2))
  const detail = `precision ${shown(precision)}, recall ${shown(recall)}; ${made} made, ${expected} expected`
  return [figure(`${name} F1`, shown(f1), detail)]
}

function figure(name: string, value: string, detail: string): Figure {
  return { name, value, detail }
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`
}

import type { ChangedRow, Comparison, DecisionScore, EvalSummary, Rate } from './report.ts'

/** One figure of an evaluation, for people. */
export interface Figure {
  readonly name: string
  readonly value: string
  readonly detail: string
}

/** The figures of a summary, the most important first; figures without any expectation are left out. */
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
          {
            name: 'calibration error',
            value: calibration.ece.toFixed(3),
            detail: `expected, over ${pluralOf(calibration.answers, 'answer')}`,
          },
          { name: 'Brier score', value: calibration.brier.toFixed(3), detail: '0 is perfect, .25 is a coin' },
        ]
      : []),
    {
      name: 'failures',
      value: String(failures),
      detail: 'runs that failed, whose model failed, or that were refused; they count as wrong',
    },
    { name: 'model calls', value: String(modelCalls), detail: pluralOf(toolCalls, 'tool call') },
    {
      name: 'tokens',
      value: `${inputTokens} in, ${outputTokens} out`,
      detail: costUsd === null ? 'cost unknown' : `$${costUsd.toFixed(4)}`,
    },
    ...(latencyMs.p50 === null || latencyMs.p95 === null
      ? []
      : [{ name: 'latency', value: `${seconds(latencyMs.p50)} median`, detail: `${seconds(latencyMs.p95)} at 95 %` }]),
  ]
}

/** How the questions of two evaluations differ; null where they are the same. */
export function differenceIn({ after, onlyBefore, onlyAfter }: Comparison): string | null {
  if (onlyBefore.length === 0 && onlyAfter.length === 0) return null
  const both = `Compared over the ${pluralOf(after.rows, 'question')} that both have`
  return `${both}: ${onlyBefore.length} of the earlier report are missing here, ${onlyAfter.length} are new.`
}

/** The questions whose outcome changed, by the kind of change; kinds without any are left out. */
export function changesOf(comparison: Comparison): readonly { title: string; rows: readonly ChangedRow[] }[] {
  const { broken, mended, reworded } = comparison
  return [
    { title: 'Passed before, and no longer', rows: broken },
    { title: 'Passed now, and not before', rows: mended },
    { title: 'Worded differently', rows: reworded },
  ].filter(({ rows }) => rows.length > 0)
}

function pluralOf(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}

function rate(name: string, { share: value, hits, of }: Rate): readonly Figure[] {
  return share(name, value, `${hits} of ${of}`)
}

function share(name: string, value: number | null, detail: string): readonly Figure[] {
  return value === null ? [] : [{ name, value: `${(100 * value).toFixed(1)} %`, detail }]
}

function decision(name: string, { precision, recall, f1, expected, made }: DecisionScore): readonly Figure[] {
  if (expected === 0 && made === 0) return []
  const shown = (value: number | null) => (value === null ? '–' : value.toFixed(2))
  const detail = `precision ${shown(precision)}, recall ${shown(recall)}; ${made} made, ${expected} expected`
  return [{ name: `${name} F1`, value: shown(f1), detail }]
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`
}

import { harmless } from '../tracing/harmless.ts'
import { differenceIn, figuresOf, pluralOf } from './figures.ts'
import type { Calibration, ChangedRow, Comparison, EvalReport, EvalSummary, RowScore } from './report.ts'

/** An evaluation as one web page that needs nothing else: no script, no font, no connection. */
export function htmlReport(report: EvalReport, comparison: Comparison | null = null): string {
  const { dataset, model, startedAt, summary, rows } = report
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escapeHtml(`Evaluation of ${dataset}`)}</title>
<style>${style}</style>
</head>
<body>
<h1>${escapeHtml(dataset)}</h1>
<p class="quiet">${escapeHtml(model)} · ${escapeHtml(startedAt)} · ${pluralOf(summary.rows, 'question')}${report.experiment ? ` · <a href="${escapeHtml(report.experiment.url)}">in Langfuse</a>` : ''}</p>
<section><h2>Figures</h2>${figures(summary, comparison)}</section>
${summary.calibration ? confidence(summary.calibration) : ''}
${comparison ? changes(comparison) : ''}
<section><h2>Questions</h2>${rows.map(question).join('\n')}</section>
</body>
</html>
`
}

/** Where the questions are not the same, the figures over all are no match for those of the earlier report. */
function figures(summary: EvalSummary, comparison: Comparison | null): string {
  const difference = comparison && differenceIn(comparison)
  if (!comparison || !difference) return figuresTable(summary, comparison)
  return `${figuresTable(summary, null)}<p>${escapeHtml(difference)}</p>${figuresTable(comparison.after, comparison)}`
}

function figuresTable(summary: EvalSummary, comparison: Comparison | null): string {
  const before = comparison && new Map(figuresOf(comparison.before).map(({ name, value }) => [name, value]))
  const cells = figuresOf(summary).map(
    ({ name, value, detail }) =>
      `<tr><th scope="row">${escapeHtml(name)}</th><td>${escapeHtml(value)}</td>${before ? `<td>${escapeHtml(before.get(name) ?? '–')}</td>` : ''}<td class="quiet">${escapeHtml(detail)}</td></tr>`,
  )
  const head = before ? '<thead><tr><th></th><th>now</th><th>before</th><th></th></tr></thead>' : ''
  return `<table>${head}<tbody>${cells.join('\n')}</tbody></table>`
}

/** How often answers were right, by the confidence they stated. */
function confidence({ bins }: Calibration): string {
  const percent = (share: number) => `${Math.round(100 * share)} %`
  const rows = bins.map(
    ({ answers, confidence: stated, right }) =>
      `<tr><td>${percent(stated)}</td><td><meter value="${right}"></meter> ${percent(right)}</td><td>${answers}</td></tr>`,
  )
  const head = '<tr><th>stated confidence</th><th>right</th><th>answers</th></tr>'
  return `<section><h2>Confidence</h2><table><thead>${head}</thead><tbody>${rows.join('\n')}</tbody></table></section>`
}

function changes({ broken, mended, reworded, onlyBefore, onlyAfter }: Comparison): string {
  const list = (title: string, rows: readonly ChangedRow[]) =>
    rows.length === 0 ? '' : `<h3>${title} (${rows.length})</h3>${rows.map(change).join('\n')}`
  const ids = (title: string, names: readonly string[]) =>
    names.length === 0 ? '' : `<p>${title}: ${escapeHtml(names.join(', '))}</p>`
  const body = [
    list('Passed before, and no longer', broken),
    list('Passed now, and not before', mended),
    list('Worded otherwise', reworded),
    ids('Only before', onlyBefore),
    ids('Only now', onlyAfter),
  ].join('')
  return `<section><h2>Changes</h2>${body || '<p>None.</p>'}</section>`
}

function change({ id, question, before, after }: ChangedRow): string {
  return `<details><summary>${escapeHtml(id)} · ${escapeHtml(shortened(question))}</summary>
<p class="quiet">before</p><pre>${escapeHtml(before.answer)}</pre>${problems(before.problems)}
<p class="quiet">now</p><pre>${escapeHtml(after.answer)}</pre>${problems(after.problems)}</details>`
}

function question(row: RowScore): string {
  const { id, question, status, answer, clarification, confidence, citations, durationMs, runId, error } = row
  const mark = row.passed === null ? 'open' : row.passed ? 'passed' : 'failed'
  const facts = [
    status,
    confidence === null ? null : `confidence ${confidence.toFixed(2)}`,
    `${(durationMs / 1000).toFixed(2)} s`,
    row.agents.join(' → ') || null,
    row.tools.join(', ') || null,
    usage(row),
    runId && `run ${runId}`,
  ]
  const judged = judgements(row)
  return `<details class="${mark}"><summary><span class="mark">${marks[mark]}</span> ${escapeHtml(id)} · ${escapeHtml(shortened(question))}</summary>
${question.length > longestTitle ? `<pre>${escapeHtml(question)}</pre>` : ''}
<p class="quiet">${escapeHtml(facts.filter(Boolean).join(' · '))}</p>
${judged.length > 0 ? `<p class="quiet">${escapeHtml(judged.join(' · '))}</p>` : ''}
<pre>${escapeHtml(clarification ?? answer)}</pre>
${problems(row.problems)}
${error ? `<p class="problem">${escapeHtml(`${error.code}: ${error.message}`)}</p>` : ''}
${citations.length > 0 ? `<ol>${citations.map(({ label, quote, page, source }) => `<li>${escapeHtml(label)} <q>${escapeHtml(quote)}</q> <span class="quiet">${escapeHtml(source)}, p. ${page}</span></li>`).join('')}</ol>` : ''}
</details>`
}

/** What was judged of a question, in the words of the figures over all. */
function judgements(row: RowScore): readonly string[] {
  const { answerMatch, documentHit, citationPrecision, citationRecall, citations } = row
  const said = (name: string, value: boolean | null) => (value === null ? [] : [`${name}: ${value ? 'yes' : 'no'}`])
  const share = (name: string, value: number | null) =>
    value === null ? [] : [`${name} ${(100 * value).toFixed(0)} %`]
  const verified = citations.filter((citation) => citation.verified).length
  return [
    ...said('answer matches', answerMatch),
    ...said('document cited', documentHit),
    ...share('citation precision', citationPrecision),
    ...share('citation recall', citationRecall),
    ...(citations.length > 0 ? [`${verified} of ${citations.length} quotes verified`] : []),
    ...(row.expectedAbstention === true ? [`should decline, ${row.abstained ? 'did' : 'did not'}`] : []),
    ...(row.expectedClarification === true
      ? [`should ask back, ${row.status === 'clarification_needed' ? 'did' : 'did not'}`]
      : []),
  ]
}

function usage({ modelCalls, toolCalls, inputTokens, outputTokens, costUsd }: RowScore): string {
  const cost = costUsd === null ? 'cost unknown' : `$${costUsd.toFixed(4)}`
  const calls = `${pluralOf(modelCalls, 'model call')}, ${pluralOf(toolCalls, 'tool call')}`
  return `${calls}, ${pluralOf(inputTokens + outputTokens, 'token')}, ${cost}`
}

/** A question that is a document is told in full where it is opened. Characters. */
const longestTitle = 300

function shortened(question: string): string {
  return question.length > longestTitle ? `${question.slice(0, longestTitle)}…` : question
}

const marks = { passed: '✓', failed: '✗', open: '·' } as const

function problems(texts: readonly string[]): string {
  return texts.map((text) => `<p class="problem">${escapeHtml(text)}</p>`).join('')
}

const style = `
:root { color-scheme: light dark; --ink: #1a1c1e; --quiet: #667078; --line: #d5dade; --good: #1a7f4b; --bad: #b3261e; --paper: #fff }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e8ea; --quiet: #9aa4ac; --line: #3a4147; --good: #5ecb94; --bad: #ff8a80; --paper: #15181b } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.5rem; margin-bottom: 0 } h2 { font-size: 1.15rem; margin-top: 2rem } h3 { font-size: 1rem }
.quiet { color: var(--quiet); font-size: .875rem } .problem { color: var(--bad); margin: .25rem 0 }
table { border-collapse: collapse } th, td { text-align: left; padding: .25rem 1rem .25rem 0; border-bottom: 1px solid var(--line); font-weight: normal } td { font-variant-numeric: tabular-nums }
details { border-bottom: 1px solid var(--line); padding: .35rem 0 } summary { cursor: pointer } .passed .mark { color: var(--good) } .failed .mark { color: var(--bad) }
pre { white-space: pre-wrap; font: inherit; border-left: 3px solid var(--line); padding-left: .75rem; margin: .5rem 0 }
`

const entities: { readonly [character: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Text as it may stand in HTML, in attributes too. Control characters are removed: a page shows them as boxes. */
function escapeHtml(text: string): string {
  return harmless(text).replace(/[&<>"']/g, (character) => entities[character] ?? character)
}

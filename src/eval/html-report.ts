import { harmless } from '../tracing/harmless.ts'
import { changesOf, differenceIn, type Figure, figuresOf } from './figures.ts'
import type { Comparison, EvalReport, RowScore } from './report.ts'

/** An evaluation as one web page: no script, no font, no connection. */
export function htmlReport(report: EvalReport, comparison: Comparison | null = null): string {
  const { dataset, model, startedAt, summary, rows, experiment } = report
  const difference = comparison && differenceIn(comparison)
  const before = comparison ? figuresOf(comparison.before) : []
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
<p>${escapeHtml(`${model} · ${startedAt}`)}${experiment ? ` · <a href="${escapeHtml(experiment.url)}">in Langfuse</a>` : ''}</p>
<h2>Figures</h2>
${figuresTable(figuresOf(summary), difference ? [] : before)}
${difference ? `<p>${escapeHtml(difference)}</p>${figuresTable(figuresOf(comparison.after), before)}` : ''}
${comparison ? changes(comparison) : ''}
<h2>Questions</h2>
${rows.map(question).join('\n')}
</body>
</html>
`
}

function figuresTable(figures: readonly Figure[], before: readonly Figure[]): string {
  const earlier = new Map(before.map(({ name, value }) => [name, value]))
  const isCompared = before.length > 0
  const head = isCompared ? tableRow(['', 'now', 'before', '']) : ''
  const rows = figures.map(({ name, value, detail }) =>
    tableRow([name, value, ...(isCompared ? [earlier.get(name) ?? '–'] : []), detail]),
  )
  return `<table>${head}${rows.join('\n')}</table>`
}

function tableRow(cells: readonly string[]): string {
  return `<tr>${cells.map((cell) => `<td>${escapeHtml(cell)}</td>`).join('')}</tr>`
}

function changes(comparison: Comparison): string {
  const lists = changesOf(comparison).map(({ title, rows }) => {
    const items = rows.map(({ id, question, before, after }) =>
      details(`${id} · ${question}`, [
        `Before: ${before.answer}`,
        ...before.problems,
        `Now: ${after.answer}`,
        ...after.problems,
      ]),
    )
    return `<h3>${title} (${rows.length})</h3>${items.join('\n')}`
  })
  return `<h2>Changes</h2>${lists.join('') || '<p>None.</p>'}`
}

function question(row: RowScore): string {
  const { id, question, status, passed, answer, clarification, confidence, citations, durationMs, runId, error } = row
  const mark = passed === null ? '·' : passed ? '✓' : '✗'
  const facts = [
    status,
    confidence === null ? null : `confidence ${confidence.toFixed(2)}`,
    `${(durationMs / 1000).toFixed(2)} s`,
    runId && `run ${runId}`,
  ]
  return details(`${mark} ${id} · ${question}`, [
    facts.filter(Boolean).join(' · '),
    clarification ?? answer,
    ...row.problems,
    ...(error ? [`${error.code}: ${error.message}`] : []),
    ...citations.map(({ label, quote, page, source }) => `${label} “${quote}” ${source}, p. ${page}`),
  ])
}

function details(summary: string, paragraphs: readonly string[]): string {
  const body = paragraphs.map((text) => `<p>${escapeHtml(text)}</p>`).join('\n')
  return `<details><summary>${escapeHtml(summary)}</summary>\n${body}</details>`
}

const style = `
body { font: 16px/1.5 system-ui, sans-serif; color-scheme: light dark; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
td { padding: .25rem 1rem .25rem 0; border-bottom: 1px solid #8884; font-variant-numeric: tabular-nums }
summary { cursor: pointer } details p { white-space: pre-wrap; margin: .5rem 1rem }
`

const entities: { readonly [character: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Text for HTML, in attributes too, without control characters. */
function escapeHtml(text: string): string {
  return harmless(text).replace(/[&<>"']/g, (character) => entities[character] ?? character)
}

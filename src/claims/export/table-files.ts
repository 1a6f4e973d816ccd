import { extname } from 'node:path'
import { UsageError } from '../../errors.ts'
import { limitInWords } from '../../library/index.ts'
import { jsonWith, textWith } from '../proof/carriers.ts'
import type { Table } from '../table/table.ts'
import { claimsOfTable, noted, shownValue } from '../table/table-text.ts'
import { inHtml, inMarkdown } from './markup.ts'

/** Forms that a table is written in: the ending of the file names it. All but CSV carry their proof. */
export const tableFormats = ['xlsx', 'csv', 'md', 'html', 'json'] as const
export type TableFormat = (typeof tableFormats)[number]

/** The form that a file's ending names. Throws `UsageError`. */
export function tableFormatOf(file: string): TableFormat {
  const ending = extname(file).slice(1).toLowerCase()
  const format = tableFormats.find((each) => each === ending)
  if (format) return format
  throw new UsageError(`A table is written as ${tableFormats.map((each) => `.${each}`).join(', ')}, not as "${file}".`)
}

/** A table as a file. */
export async function tableFile(table: Table, format: TableFormat): Promise<string | Uint8Array> {
  const claims = claimsOfTable(table)
  if (format === 'json') return jsonWith(table, claims)
  if (format === 'md') return textWith('md', toMarkdown(table), claims)
  if (format === 'html') return textWith('html', toHtml(table), claims)
  if (format === 'csv') return toCsv(table)
  // Loaded when it is needed, since it takes time.
  return (await import('./workbook.ts')).workbookOf(table, claims)
}

function toMarkdown(table: Table): string {
  const { head, rows, notes } = noted(table)
  const line = (cells: readonly string[]) => `| ${cells.map(inMarkdown).join(' | ')} |`
  const body = rows.map((cells) =>
    line(cells.map(({ text, markers }) => `${text}${markers.map((each) => ` [${each}]`).join('')}`)),
  )
  const listed = notes.map((note, index) => `- [${index + 1}] ${inMarkdown(note)}`)
  const limit = table.limitedTo ? `${inMarkdown(limitInWords(table.limitedTo))}\n\n` : ''
  return `${limit}${[line(head), line(head.map(() => '---')), ...body].join('\n')}\n\n${listed.join('\n')}\n`
}

function toHtml(table: Table): string {
  const { head, rows, notes } = noted(table)
  const cell = (text: string, markers: readonly number[]) => {
    const links = markers.map(
      (marker) => `<sup><a href="#n${marker}" title="${inHtml(notes[marker - 1] ?? '')}">${marker}</a></sup>`,
    )
    return `<td>${inHtml(text)}${links.join('')}</td>`
  }
  const body = rows.map((cells) => `<tr>${cells.map(({ text, markers }) => cell(text, markers)).join('')}</tr>`)
  const listed = notes.map((note, index) => `<li id="n${index + 1}">${inHtml(note)}</li>`)
  return `<!doctype html>
<html>
<head>
<meta charset="utf-8">
<title>Table</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem; }
table { border-collapse: collapse; }
th, td { border: 1px solid #ccc; padding: .4rem .6rem; text-align: left; vertical-align: top; }
li { margin: .3rem 0; }
</style>
</head>
<body>${
    table.limitedTo
      ? `
<p>${inHtml(limitInWords(table.limitedTo))}</p>`
      : ''
  }
<table>
<thead><tr>${head.map((each) => `<th>${inHtml(each)}</th>`).join('')}</tr></thead>
<tbody>
${body.join('\n')}
</tbody>
</table>
<ol>
${listed.join('\n')}
</ol>
</body>
</html>
`
}

/** A line for each cell: spreadsheets and statistics read it as it is. */
function toCsv({ columns, rows }: Table): string {
  const head = ['document', 'document id', 'column', 'question', 'value', 'state', 'page', 'quote']
  const lines = rows.flatMap(({ document, documentId, cells }) =>
    cells.map((cell, index) => {
      const { id = '', question = '' } = columns[index] ?? {}
      const [first] = cell.quotes
      const quotes = cell.quotes.map(({ text }) => text.replace(/\s+/g, ' ')).join(' … ')
      return [document, documentId, id, question, shownValue(cell), cell.state, first ? String(first.page) : '', quotes]
    }),
  )
  return `${[head, ...lines].map((line) => line.map(inCsv).join(',')).join('\r\n')}\r\n`
}

/** A cell that spreadsheets take for a formula gets an apostrophe. */
function inCsv(text: string): string {
  const harmless = /^[=+\-@\t\r]/.test(text) && !/^[+-]?[\d.,]+%?$/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

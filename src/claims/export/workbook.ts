import { isAbsolute } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Cell, readXlsx, writeXlsx } from 'hucre/xlsx'
import { isWebAddress } from '../../library/index.ts'
import type { ClaimQuote } from '../cards/claim.ts'
import type { Carried } from '../proof/carriers.ts'
import { proof, proofOf } from '../proof/proof.ts'
import type { Table } from '../table/table.ts'
import { commentOf, headOf, noteOf, shownValue } from '../table/table-text.ts'

const proofSheet = 'quaero-proof'
/** A cell of a workbook holds 32,767 characters. */
const mostInCell = 32_000

/** A workbook: the table, each value with its quotes as a comment and a link to its page; then all quotes; then the proof. */
export async function workbookOf(table: Table, claims: Parameters<typeof proofOf>[0]): Promise<Uint8Array> {
  const rows = table.rows.map(({ document, cells }) => [document, ...cells.map(shownValue)])
  const cells = new Map(
    table.rows.flatMap((row, at) => row.cells.map((cell, index) => [`${at + 1},${index + 1}`, noted(cell)] as const)),
  )
  const sheets = [
    { name: 'Table', rows: [['Document', ...table.columns.map(headOf)], ...rows], cells, columns: widths(table) },
    { name: 'Quotes', rows: quoteRows(table) },
  ]
  const json = JSON.stringify(proofOf(claims, shownOf(sheets)))
  const pieces = json.match(new RegExp(`[\\s\\S]{1,${mostInCell}}`, 'g')) ?? []
  return writeXlsx({ sheets: [...sheets, { name: proofSheet, rows: pieces.map((piece) => [piece]), hidden: true }] })
}

/** The sheets of a workbook and its proof. Throws what the reader does for a damaged file. */
export async function workbookCarried(bytes: Uint8Array): Promise<Carried> {
  const { sheets } = await readXlsx(bytes)
  const json = sheets
    .find(({ name }) => name === proofSheet)
    ?.rows.map(([piece]) => `${piece ?? ''}`)
    .join('')
  const shown = shownOf(sheets.filter(({ name }) => name !== proofSheet))
  return { shown, proof: json === undefined ? null : (proof.safeParse(orNull(json)).data ?? null) }
}

function orNull(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return null
  }
}

/** All cells as text, without those at the end of a row that hold nothing. */
function shownOf(sheets: readonly { readonly name: string; readonly rows: readonly (readonly unknown[])[] }[]): string {
  const lines = sheets.map(({ name, rows }) => [
    name,
    ...rows.map((row) =>
      row
        .map((each) => `${each ?? ''}`)
        .join('\t')
        .trimEnd(),
    ),
  ])
  return lines.flat().join('\n').trimEnd()
}

function noted(cell: Table['rows'][number]['cells'][number]): Partial<Cell> {
  const [first] = cell.quotes
  const target = first && addressOf(first)
  return {
    style: { alignment: { wrapText: true, vertical: 'top' } },
    comment: { author: 'Quaero', text: commentOf(cell).slice(0, mostInCell) },
    ...(target && { hyperlink: { target } }),
  }
}

/** null where only the name of a file is known, as to users of a server. */
function addressOf({ source, page }: ClaimQuote): string | null {
  if (isWebAddress(source)) return source
  return isAbsolute(source) ? `${pathToFileURL(source).href}#page=${page}` : null
}

function quoteRows({ columns, rows }: Table): string[][] {
  const quotes = rows.flatMap(({ document, cells }) =>
    cells.flatMap((cell, index) =>
      cell.quotes.map((quote) => [
        document,
        columns[index]?.question ?? '',
        shownValue(cell),
        cell.state,
        `${quote.page}`,
        noteOf(quote),
      ]),
    ),
  )
  return [['Document', 'Question', 'Value', 'State', 'Page', 'Quote'], ...quotes]
}

function widths({ columns }: Table) {
  return [{ width: 40 }, ...columns.map(() => ({ width: 28 }))]
}

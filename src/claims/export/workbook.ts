import { isAbsolute } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Cell, writeXlsx } from 'hucre/xlsx'
import { isWebAddress } from '../../library/index.ts'
import type { ClaimQuote, ProvenClaim } from '../cards/claim.ts'
import type { Table } from '../table/table.ts'
import { commentOf, headOf, noteOf, shownValue } from '../table/table-text.ts'
import { withProof } from './archive.ts'
import { inXml } from './markup.ts'

/** A cell of a workbook holds 32,767 characters. */
const mostInCell = 32_000

/** A workbook: the table, each value with its quotes as a comment and a link to its page; then all quotes; and the proof. */
export async function workbookOf(table: Table, claims: readonly ProvenClaim[]): Promise<Uint8Array> {
  const rows = table.rows.map(({ document, cells }) => [document, ...cells.map(shownValue)].map(inCell))
  const cells = new Map(
    table.rows.flatMap((row, at) => row.cells.map((cell, index) => [`${at + 1},${index + 1}`, noted(cell)] as const)),
  )
  const head = ['Document', ...table.columns.map(headOf)].map(inCell)
  const sheets = [
    { name: 'Table', rows: [head, ...rows], cells, columns: widths(table) },
    { name: 'Quotes', rows: quoteRows(table).map((row) => row.map(inCell)) },
  ]
  return withProof(await writeXlsx({ sheets }), 'xl/_rels/workbook.xml.rels', claims)
}

/** A text that a cell holds unchanged, and that no reader of cells decodes: "_x0041_" would be "A". */
function inCell(text: string): string {
  return inXml(text.slice(0, mostInCell)).replace(/_(?=x[\da-f]{4}_)/gi, '_ ')
}

function noted(cell: Table['rows'][number]['cells'][number]): Partial<Cell> {
  const [first] = cell.quotes
  const target = first && addressOf(first)
  return {
    style: { alignment: { wrapText: true, vertical: 'top' } },
    comment: { author: 'Quaero', text: inCell(commentOf(cell)) },
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

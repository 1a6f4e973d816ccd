import { isAbsolute } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Cell, readXlsx, type Sheet, type WriteSheet, writeXlsx } from 'hucre/xlsx'
import { isWebAddress } from '../../library/index.ts'
import type { ClaimQuote } from '../cards/claim.ts'
import { type Carried, parsed } from '../proof/carriers.ts'
import { proofOf, readProof } from '../proof/proof.ts'
import type { Table } from '../table/table.ts'
import { commentOf, headOf, noteOf, shownValue } from '../table/table-text.ts'
import { inXml } from './markup.ts'

const proofSheet = 'quaero-proof'
/** A cell of a workbook holds 32,767 characters. */
const mostInCell = 32_000

/** A workbook: the table, each value with its quotes as a comment and a link to its page; then all quotes; then the proof. */
export async function workbookOf(table: Table, claims: Parameters<typeof proofOf>[0]): Promise<Uint8Array> {
  const rows = table.rows.map(({ document, cells }) => [document, ...cells.map(shownValue)].map(inCell))
  const cells = new Map(
    table.rows.flatMap((row, at) => row.cells.map((cell, index) => [`${at + 1},${index + 1}`, noted(cell)] as const)),
  )
  const head = ['Document', ...table.columns.map(headOf)].map(inCell)
  const sheets = [
    { name: 'Table', rows: [head, ...rows], cells, columns: widths(table) },
    { name: 'Quotes', rows: quoteRows(table).map((row) => row.map(inCell)) },
  ]
  // In ASCII, without what a reader of cells decodes, so that no piece ends within a character.
  const json = JSON.stringify(proofOf(claims, shownOf(sheets))).replace(/[^\x20-\x7e]|_/g, escaped)
  const pieces = json.match(new RegExp(`.{1,${mostInCell}}`, 'g')) ?? []
  return writeXlsx({ sheets: [...sheets, { name: proofSheet, rows: pieces.map((piece) => [piece]), hidden: true }] })
}

/** The sheets of a workbook and its proof. Throws what the reader does for a damaged file, and `UsageError`. */
export async function workbookCarried(bytes: Uint8Array): Promise<Carried> {
  const { sheets } = await readXlsx(bytes)
  const json = sheets
    .find(({ name }) => name === proofSheet)
    ?.rows.map(([piece]) => `${piece ?? ''}`)
    .join('')
  const shown = shownOf(sheets.filter(({ name }) => name !== proofSheet))
  return { shown, proof: json === undefined ? null : readProof(parsed(json)) }
}

/** A text that a cell holds unchanged, and that no reader of cells decodes: "_x0041_" would be "A". */
function inCell(text: string): string {
  return inXml(text.slice(0, mostInCell)).replace(/_(?=x[\da-f]{4}_)/gi, '_ ')
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

type Shown = Pick<Sheet, 'name'> & {
  readonly rows: readonly (readonly unknown[])[]
  readonly cells?: WriteSheet['cells']
}

/** All cells as text, without those at the end of a row that hold nothing; then the letters and digits of the comments. */
function shownOf(sheets: readonly Shown[]): string {
  const lines = sheets.map(({ name, rows, cells = new Map<string, Partial<Cell>>() }) => [
    name,
    ...rows.map((row) =>
      row
        .map((each) => `${each ?? ''}`)
        .join('\t')
        .trimEnd(),
    ),
    ...[...cells].flatMap(([place, { comment }]) => (comment ? `${place} ${plain(comment.text)}` : [])).sort(),
  ])
  return lines.flat().join('\n').trimEnd()
}

function plain(text: string): string {
  return text.replace(/[^\p{L}\p{N}]+/gu, '')
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

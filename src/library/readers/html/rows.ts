import { cleanLine } from '../common/clean-text.ts'
import type { DocumentWriter } from '../common/document-writer.ts'
import { type HtmlCell, writeTable } from './html-table.ts'

/** Writes rows of cells: empty rows part one table from the next, a row of one cell above a table is a text. */
export function writeRows(writer: DocumentWriter, rows: readonly (readonly string[])[]): void {
  let table: HtmlCell[][] = []
  const settle = (): void => {
    writeTable(writer, table)
    table = []
  }
  for (const row of rows) {
    const texts = row.map((text) => cleanLine(text).replaceAll('|', '¦'))
    const filled = texts.filter((text) => text !== '')
    if (filled.length === 1 && table.length === 0) writer.paragraph(filled[0] ?? '')
    else if (filled.length === 0) settle()
    else table.push(texts.map((text) => ({ text, isHeader: false, columns: 1, rows: 1 })))
  }
  settle()
}

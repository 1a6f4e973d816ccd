import type { ReadDocument } from '../port/document.ts'
import { decodeText } from './common/decode-text.ts'
import { documentWriter } from './common/document-writer.ts'
import type { ReadOptions } from './common/read-options.ts'
import { textCells, writeSheet } from './common/write-table.ts'

/** Reads comma-separated values (RFC 4180), also parted by semicolons, tabs or bars, as one table. One page. */
export async function readCsv(bytes: Uint8Array, options: ReadOptions): Promise<ReadDocument> {
  const writer = documentWriter(options.limits)
  writer.page(1)
  writeSheet(writer, csvRows(decodeText(bytes).replace(/^\ufeff/u, '')).map(textCells))
  return { format: 'csv', title: null, authors: null, year: null, ...writer.finish() }
}

/** The rows of a text; what parts its cells is what parts most in its first line. */
function csvRows(text: string): readonly (readonly string[])[] {
  const mark = separatorOf(text)
  const rows: string[][] = [[]]
  for (let at = 0; at <= text.length; at++) {
    const close = text.charAt(at) === '"' ? closingQuote(text, at + 1) : -1
    const end = endOfCell(text, close < 0 ? at : close + 1, mark)
    rows.at(-1)?.push(close < 0 ? text.slice(at, end) : text.slice(at + 1, close).replaceAll('""', '"'))
    if (text.charAt(end) === '\n') rows.push([])
    at = end
  }
  return rows
}

/** A quote within quotes is written twice. */
function closingQuote(text: string, from: number): number {
  let at = text.indexOf('"', from)
  while (at >= 0 && text.charAt(at + 1) === '"') at = text.indexOf('"', at + 2)
  return at
}

function endOfCell(text: string, from: number, mark: string): number {
  let end = from
  while (end < text.length && text.charAt(end) !== mark && text.charAt(end) !== '\n') end += 1
  return end
}

function separatorOf(text: string): string {
  const first = text.slice(0, Math.max(0, text.indexOf('\n')) || text.length).replace(/"[^"]*"/gu, '')
  const counts = [',', ';', '\t', '|'].map((mark) => ({ mark, count: first.split(mark).length }))
  return counts.reduce((most, each) => (each.count > most.count ? each : most)).mark
}

import type { ReadDocument } from '../port/document.ts'
import { decodeText } from './common/decode-text.ts'
import { documentWriter } from './common/document-writer.ts'
import type { ReadOptions } from './common/read-options.ts'
import { writeRows } from './html/rows.ts'

/** Reads comma-separated values (RFC 4180), also parted by semicolons, tabs or bars, as one table. One page. */
export async function readCsv(bytes: Uint8Array, options: ReadOptions): Promise<ReadDocument> {
  const writer = documentWriter(options.limits)
  writer.page(1)
  writeRows(writer, csvRows(decodeText(bytes).replace(/^\ufeff/u, '')))
  return { format: 'csv', title: null, authors: null, year: null, ...writer.finish() }
}

/** The rows of a text; what parts its cells is what parts most in its first line. */
export function csvRows(text: string): readonly (readonly string[])[] {
  const mark = separatorOf(text)
  const plain = `[^${mark}\\n]*`
  const cells = new RegExp(`(?:"((?:[^"]|"")*)"${plain}|(${plain}))([${mark}\\n]|$)`, 'gu')
  const rows: string[][] = [[]]
  for (const [, quoted, bare = '', end] of text.matchAll(cells)) {
    rows.at(-1)?.push(quoted === undefined ? bare : quoted.replaceAll('""', '"'))
    if (end === '') break
    if (end === '\n') rows.push([])
  }
  return rows
}

function separatorOf(text: string): string {
  const first = text.slice(0, Math.max(0, text.indexOf('\n')) || text.length).replace(/"[^"]*"/gu, '')
  const counts = [',', ';', '\t', '|'].map((mark) => ({ mark, count: first.split(mark).length }))
  return counts.reduce((most, each) => (each.count > most.count ? each : most)).mark
}

import { isTableCaption } from '../common/captions.ts'
import type { Line } from './lines.ts'

/** A table among the lines of a page: `lines.slice(start, end)` with its caption. */
export interface TableSpan {
  readonly start: number
  readonly end: number
  /** The place of its caption, inside the span; null if it has none. */
  readonly caption: { readonly start: number; readonly end: number } | null
}

const anyCaption =
  /^(?:(?:Table|TABLE|Tab\.|Figure|FIGURE|Fig\.|Algorithm|Listing)\s+(?:[A-Z]\.?)?(?:\d+|[IVX]+)(?:\.\d+)*\s*(?:[:.|–—]|$))/u

/** Whether a line begins the caption of a table, figure, algorithm or listing. */
export function beginsCaption(line: Line): boolean {
  return anyCaption.test(line.text)
}

const cellGap = 1.6
const number = /^[-−+±~<>≤≥(]*[$€£]?\d[\d.,]*[%kKMB)]*[*†‡]*$/u

/** Cells are separated by more than 1.6 em. */
function cellCount(line: Line): number {
  const { segments } = line
  if (segments.length <= 1 && !((segments[0]?.gap ?? 0) > cellGap)) return segments.length
  return segments.filter((segment) => segment.gap > cellGap).length + 1
}

/** Finds the tables of a page: rows next to a caption, or at least three clear rows without one. */
export function findTables(lines: readonly Line[], endOfCaption: (start: number) => number): TableSpan[] {
  const spans: TableSpan[] = []
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]
    if (!line || !isTableCaption(line.text)) continue
    const caption = { start: at, end: endOfCaption(at) }
    const above = caption.start - countRows(lines, caption.start - 1, -1, spans.at(-1)?.end ?? 0)
    const below = caption.end + countRows(lines, caption.end, 1, lines.length - 1)
    const useAbove = caption.start - above >= below - caption.end
    const span = useAbove ? { start: above, end: caption.end } : { start: caption.start, end: below }
    if (span.end - span.start === caption.end - caption.start) continue
    spans.push({ ...span, caption })
    at = span.end - 1
  }
  return [...spans, ...tablesWithoutCaption(lines, spans)].sort((one, other) => one.start - other.start)
}

/** The text of a table: caption, then its rows as `a | b | c`. */
export function tableText(lines: readonly Line[], table: TableSpan, caption: string): string[] {
  const own = lines.slice(table.start, table.end).filter((_, at) => !isWithin(table.start + at, table.caption))
  const firstRow = own.findIndex((line) => cellCount(line) >= 2)
  const head = own.slice(0, Math.max(0, firstRow))
  const rows = own.slice(head.length).map((line) => line.segments.map((segment) => cell(segment.text)).join(' | '))
  return [caption, ...head.map((line) => cell(line.text)), ...rows]
}

// The bar separates cells, so a bar within a cell is replaced.
function cell(text: string): string {
  return text.replaceAll('|', '¦')
}

function isWithin(at: number, span: { readonly start: number; readonly end: number } | null): boolean {
  return span !== null && at >= span.start && at < span.end
}

const mostLooseLines = 4

/** Walks over rows, and over loose cells between them; stops at running text, a caption and the end of the column. */
function countRows(lines: readonly Line[], from: number, step: 1 | -1, limit: number): number {
  let rows = 0
  let loose = 0
  for (let at = from; at * step <= limit * step; at += step) {
    const kind = rowKind(lines[at], lines[at - step], lines[from])
    if (kind === 'end' || (kind === 'loose' && loose === mostLooseLines)) break
    loose = kind === 'row' ? 0 : loose + 1
    if (kind === 'row') rows = Math.abs(at - from) + 1
  }
  return rows
}

function rowKind(line: Line | undefined, before: Line | undefined, first: Line | undefined): 'row' | 'loose' | 'end' {
  if (!line || beginsCaption(line) || (before && isFar(before, line))) return 'end'
  if (isRow(line) || cellCount(line) >= 2) return 'row'
  return isLooseCell(line, first) ? 'loose' : 'end'
}

const farInEms = 6

function isFar(one: Line, other: Line): boolean {
  return Math.abs(one.y - other.y) > farInEms * Math.max(one.size, other.size)
}

function isLooseCell(line: Line, reference: Line | undefined): boolean {
  const similar = !reference || Math.abs(line.size - reference.size) < 0.25 * reference.size
  return similar && line.text.length <= 30 && !/[.;:]$/u.test(line.text)
}

/** Three cells or more, or two numbers or more at its end. */
export function isRow(line: Line): boolean {
  return cellCount(line) >= 3 || endsInNumbers(line.text)
}

function endsInNumbers(text: string): boolean {
  const words = text.split(' ')
  const trailing = words.length - 1 - words.findLastIndex((word) => !number.test(word))
  return trailing >= 2 && words.length <= 24
}

const fewestRows = 3

function tablesWithoutCaption(lines: readonly Line[], taken: readonly TableSpan[]): TableSpan[] {
  const spans: TableSpan[] = []
  const isFree = (at: number): boolean => !taken.some((span) => isWithin(at, span))
  for (let start = 0; start < lines.length; start++) {
    let end = start
    while (end < lines.length && isClearRow(lines[end]) && isFree(end) && !isFarStep(lines, start, end)) end++
    if (end - start >= fewestRows) spans.push({ start, end, caption: null })
    start = Math.max(start, end - 1)
  }
  return spans
}

function isFarStep(lines: readonly Line[], start: number, at: number): boolean {
  const [before, line] = [lines[at - 1], lines[at]]
  return at > start && before !== undefined && line !== undefined && isFar(before, line)
}

function isClearRow(line: Line | undefined): boolean {
  return line !== undefined && cellCount(line) >= 2 && !beginsCaption(line) && isRow(line)
}

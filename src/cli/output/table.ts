import type { Redact } from '../../redact.ts'
import { columnsOf, cutTo, padded, plainText, wrapped } from './plain-text.ts'

/** How wide a table may be, and how credentials are hidden in it before it is cut. */
export interface TableBounds {
  readonly width: number
  readonly hide: Redact
}

/** Rows under a heading, in aligned columns two spaces apart; the longest columns are cut to fit `width`, if given. */
export function formatTable(
  heading: readonly string[],
  rows: readonly (readonly (string | number)[])[],
  bounds: TableBounds = unbounded,
): string {
  const lines = [heading, ...rows].map((row) => row.map(cell))
  const fitting = fitted(widthsOf(lines), bounds.width)
  const fit = (value: string, columns: number) =>
    isPath(value) ? endOf(bounds.hide(value), columns) : shorten(value, columns, bounds.hide)
  return lines.map((line) => alignedLine(line, fitting, (value, column) => fit(value, fitting[column] ?? 0))).join('\n')
}

/** The same for findings that matter to their end: the last column is wrapped. */
export function formatFindings(
  heading: readonly string[],
  rows: readonly (readonly (string | number)[])[],
  width: number,
): string {
  const lines = [heading, ...rows].map((row) => row.map(cell))
  const widths = widthsOf(lines)
  const start = widths.slice(0, -1).reduce((sum, each) => sum + each + gap.length, 0)
  const last = widths.length - 1
  const broken = (value: string) =>
    wrapped(value, Math.max(narrowest, width - start)).replaceAll('\n', `\n${' '.repeat(start)}`)
  return lines.map((line) => alignedLine(line, widths, (value, at) => (at === last ? broken(value) : value))).join('\n')
}

/** The beginning of a text, on one line, in so many columns. Credentials are hidden before the cut: half of one is not recognised. */
export function shorten(text: string, columns: number, hide: Redact): string {
  const line = hide(cell(text))
  return columnsOf(line) <= columns ? line : `${cutTo(line, columns - 1)}…`
}

/** An ISO time as minutes in UTC, for tables. */
export function formatTime(iso: string | null): string {
  return iso ? iso.slice(0, 16).replace('T', ' ') : '-'
}

/** "1 page", "2 pages". */
export function pluralOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** Nothing is cut; the stream hides credentials when the table is printed. */
const unbounded: TableBounds = { width: Number.POSITIVE_INFINITY, hide: (text) => text }

function cell(value: string | number): string {
  return plainText(String(value)).replace(/\s+/g, ' ').trim()
}

/** A file is told by the end of its path. */
function isPath(value: string): boolean {
  return /[\\/]/.test(value) && !/[\s"{}]/.test(value)
}

function endOf(path: string, columns: number): string {
  if (columnsOf(path) <= columns) return path
  const characters = [...path]
  while (characters.length > 1 && columnsOf(characters.join('')) >= columns) characters.shift()
  return `…${characters.join('')}`
}

const gap = '  '
/** A column is not cut to less than this. */
const narrowest = 20

function widthsOf(lines: readonly (readonly string[])[]): readonly number[] {
  return (lines[0] ?? []).map((_, column) => Math.max(...lines.map((line) => columnsOf(line[column] ?? ''))))
}

/** The widths with the greatest of them lessened until all fit. */
function fitted(widths: readonly number[], width: number): readonly number[] {
  const fitting = [...widths]
  let over = widths.reduce((sum, each) => sum + each, gap.length * (widths.length - 1)) - width
  for (; over > 0; over -= 1) {
    const greatest = Math.max(...fitting)
    if (greatest <= narrowest) break
    fitting[fitting.lastIndexOf(greatest)] = greatest - 1
  }
  return fitting
}

function alignedLine(
  line: readonly string[],
  widths: readonly number[],
  shown: (value: string, column: number) => string,
): string {
  const cells = line.map((value, column) => padded(shown(value, column), widths[column] ?? 0))
  return cells.join(gap).trimEnd()
}

import type { Redact } from '../../redact.ts'
import { plainText } from './plain-text.ts'

/** How wide a table may be, and how credentials are hidden in it before it is cut. */
export interface TableBounds {
  readonly width: number
  readonly hide: Redact
}

/** Rows under a heading, in aligned columns two spaces apart; the last column is cut to fit `width`, if given. */
export function formatTable(
  heading: readonly string[],
  rows: readonly (readonly (string | number)[])[],
  bounds: TableBounds = unbounded,
): string {
  const lines = [heading, ...rows].map((row) => row.map(cell))
  const widths = heading.map((_, column) => Math.max(...lines.map((line) => lengthOf(line[column] ?? ''))))
  return lines.map((line) => formatLine(line, widths, bounds)).join('\n')
}

/** The beginning of a text, on one line. Credentials are hidden before the cut: half of one is not recognised. */
export function shorten(text: string, length: number, hide: Redact): string {
  const line = hide(cell(text))
  const characters = [...line]
  return characters.length <= length ? line : `${characters.slice(0, Math.max(0, length - 1)).join('')}…`
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

function formatLine(line: readonly string[], widths: readonly number[], { width, hide }: TableBounds): string {
  const last = line.length - 1
  const padded = line.slice(0, last).map((value, column) => value.padEnd(paddingOf(value, widths[column] ?? 0)))
  const start = padded.map((value) => `${value}  `).join('')
  return `${start}${shorten(line[last] ?? '', Math.max(20, width - lengthOf(start)), hide)}`.trimEnd()
}

// padEnd counts UTF-16 units, people count characters.
function paddingOf(value: string, width: number): number {
  return width + value.length - lengthOf(value)
}

function lengthOf(value: string): number {
  return [...value].length
}

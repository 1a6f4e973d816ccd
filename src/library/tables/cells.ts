import { oneLine } from '../language/characters.ts'
import type { GridRow, PlacedCell } from '../port/document.ts'
import { isPeriod, periodIn } from './periods.ts'

/** A cell with its words. */
export interface ViewedCell extends PlacedCell {
  readonly text: string
}

export interface ViewedRow extends Omit<GridRow, 'cells'> {
  /** The whole line. */
  readonly text: string
  readonly cells: readonly ViewedCell[]
}

/** How many columns the cells of some rows reach over. */
export function widthOf(rows: readonly ViewedRow[]): number {
  let width = 0
  for (const { cells } of rows) for (const { column, columns } of cells) width = Math.max(width, column + columns)
  return width
}

/** The rows of a table with the words of the page that they stand on. */
export function viewRows(rows: readonly GridRow[], page: string): readonly ViewedRow[] {
  return rows.map((row) => ({
    ...row,
    // A cell that stands alone at the beginning names rows.
    isHeader: row.isHeader && row.cells.some(({ column }) => column > 0),
    text: page.slice(row.start, row.end),
    cells: row.cells.map((cell) => ({ ...cell, text: page.slice(cell.start, cell.end) })),
  }))
}

const FIGURE =
  /^[^\p{L}\d]*\d[^\p{L}]*(?:[kKMB](?![\p{L}])[^\p{L}]*)?$|^(?:n\/?a|n\.a\.|n\.m\.|nm|[$€£¥]?\s?[-–—]{1,3}\s?%?|\.\.|…)$/iu
/** Between the ends of a range. */
const TO = /(?<=\d\s?)(?:to|bis|à|a)(?=\s?[-–−+]?\d)/u
/** "yes", "90 days": no figures, but nothing that would name a column. */
const VALUE = /^(?:yes|no|none|[✓✔✗✘×])$|^\d[\d.,]*\s\p{L}+$/iu

/** "15.2M", "28.9M (35.6%)", "90.41 ± 0.06", "2 / 44", "−20 to 45", "— %", "n/a". */
export function isFigure(cell: string): boolean {
  return FIGURE.test(cell.replace(TO, '–'))
}

/** What stands in a body and names no column: a figure that is no period, or a short answer. */
export function isValue(cell: string): boolean {
  return (isFigure(cell) || VALUE.test(cell)) && !isPeriod(cell)
}

export function holdsPeriod(cell: string): boolean {
  return periodIn(cell) !== null
}

/** Behind a name: "*", "†", "(1)", "(a)", "[2]", "¹". The ² of "km²" is none. */
const MARK =
  /(?:\s?[*†‡§#]{1,4}|\s?\((?:\d{1,2}|[a-fijn-ru-z])(?:,\s?(?:\d{1,2}|[a-z])){0,4}\)|\s?\[\d{1,2}\]|(?<=\p{L}{3}|[)\].,:])\s?[¹²³⁰-⁹ᵃ-ᶻ](?:,?[¹²³⁰-⁹ᵃ-ᶻ]){0,4})$/u
const mostMarks = 3

/** Names are stored with every row, so what is no name but a text must not be repeated there as a whole. */
const longestName = 200

/** A text cut to the length of a name, never within a character. */
export function shortened(text: string): string {
  return text.slice(0, longestName).replace(/[\ud800-\udbff]$/, '')
}

/** The name in a cell, without footnote marks, leader dots and a colon at its end. */
export function nameIn(cell: string): string {
  let name = cell.trim()
  for (let marks = 0; marks < mostMarks; marks += 1) {
    const shorter = withoutLeader(name.replace(MARK, ''))
    // What is nothing but a mark is a name.
    if (shorter === name || shorter === '') break
    name = shorter
  }
  return shortened(oneLine(name.replace(/^[*†‡]\s?/u, '') || name))
}

function withoutLeader(name: string): string {
  let end = name.length
  while (end > 0 && ' .…:_·'.includes(name.charAt(end - 1))) end -= 1
  const cut = name.slice(end)
  return cut.trim() === '.' ? name : name.slice(0, end)
}

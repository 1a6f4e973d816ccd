import { hasLetter } from '../../language/characters.ts'
import { isValue } from '../../tables/cells.ts'
import { type Cells, type GridCell, placeCells, plainCell } from '../../tables/grid.ts'
import { isPeriod } from '../../tables/periods.ts'
import { unitOfLine } from '../../tables/units.ts'
import type { GridOptions } from '../../tables/write-grid.ts'
import { cleanLine } from './clean-text.ts'
import type { DocumentWriter } from './document-writer.ts'

/** Writes a table row by row; what has one cell in each row only places its text, and is written as text. */
export function writeTable(writer: DocumentWriter, cells: Cells, options?: GridOptions): void {
  const rows = placeCells(cells)
  if (rows.filter((row) => row.cells.length > 1).length > 1) writer.table(rows, options)
  else
    for (const row of rows)
      writer.paragraph(
        row.cells
          .map(({ text }) => text)
          .join(' ')
          .trim(),
      )
}

/** The cells of a row of plain texts. */
export function textCells(texts: readonly string[]): readonly GridCell[] {
  return texts.map((text) => plainCell(cleanLine(text)))
}

/**
 * Writes a sheet: empty rows part one table from the next, and so do empty columns between two that have names of rows of
 * their own; a row of one cell above a table is a text.
 */
export function writeSheet(writer: DocumentWriter, rows: Cells, options?: GridOptions): void {
  writeBeside(writer, rows, mostBeside, options)
}

/** Tables of a sheet beside each other: each is looked for in all that stands right of the one before. */
const mostBeside = 16

function writeBeside(writer: DocumentWriter, rows: Cells, most: number, options?: GridOptions): void {
  let stretch: (readonly GridCell[])[] = []
  const settle = (): void => {
    writeStretch(writer, stretch, most, options)
    stretch = []
  }
  for (const row of rows) {
    if (row.some(({ text }) => text !== '')) stretch.push(row)
    else settle()
  }
  settle()
}

function writeStretch(writer: DocumentWriter, rows: Cells, most: number, options?: GridOptions): void {
  const at = most > 1 ? partingColumn(rows) : null
  if (at !== null) {
    writeBeside(
      writer,
      rows.map((row) => row.slice(0, at)),
      1,
      options,
    )
    writeBeside(
      writer,
      rows.map((row) => row.slice(at)),
      most - 1,
      options,
    )
    return
  }
  const titles = rows.findIndex((row) => !isTitle(row))
  for (const row of titles < 0 ? rows : rows.slice(0, titles))
    writer.paragraph(row.find(({ text }) => text !== '')?.text ?? '')
  if (titles >= 0) writeTable(writer, rows.slice(titles), options)
}

/** One text in a row: a period or a unit that stands above some column is none. */
function isTitle(row: readonly GridCell[]): boolean {
  const [only, ...more] = row.filter(({ text }) => text !== '')
  if (!only || more.length > 0) return false
  return row.indexOf(only) === 0 || (!isPeriod(only.text) && unitOfLine(only.text) === null)
}

/** Where a second table begins beside the first: behind an empty column, with names of rows in its own first column. */
function partingColumn(rows: Cells): number | null {
  const { texts, spans, pairs } = columnsOfSheet(rows)
  for (let column = 1; column < texts.length - 1; column += 1) {
    if (isFilled(texts[column]) || (spans[column] ?? 0) > 0) continue
    const begin = nextFilled(texts, column)
    if ((pairs[column] ?? 0) > 1 && beginsTable(texts, begin)) return begin
    // The same holds for all empty columns before it.
    column = begin
  }
  return null
}

function nextFilled(texts: readonly (readonly string[])[], column: number): number {
  let next = column + 1
  while (next < texts.length && !isFilled(texts[next])) next += 1
  return next
}

function beginsTable(columns: readonly (readonly string[])[], begin: number): boolean {
  const [texts = [], beside = []] = [columns[begin], columns[begin + 1]]
  if (beside.length < 2) return false
  const names = texts.filter((text) => hasLetter(text) && !isValue(text))
  return names.length > 1 && names.length * 2 > texts.length
}

function isFilled(texts: readonly string[] | undefined): boolean {
  return texts !== undefined && texts.length > 0
}

/** For each column its texts, how many cells reach over it from the left, and how many rows hold two texts before it. */
function columnsOfSheet(rows: Cells) {
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0)
  const texts = Array.from({ length: width }, (): string[] => [])
  const spans = new Map<number, number>()
  const pairs = new Map<number, number>()
  for (const row of rows) {
    row.forEach(({ text, columns }, at) => {
      if (text !== '') texts[at]?.push(text)
      if (columns > 1) change(spans, at + 1, 1)
      if (columns > 1) change(spans, at + columns, -1)
    })
    const second = secondFilled(row)
    if (second > 0) change(pairs, second + 1, 1)
  }
  return { texts, spans: sums(spans, width), pairs: sums(pairs, width) }
}

function secondFilled(row: readonly GridCell[]): number {
  const first = row.findIndex(({ text }) => text !== '')
  return row.findIndex(({ text }, at) => at > first && text !== '')
}

function change(changes: Map<number, number>, at: number, by: number): void {
  changes.set(at, (changes.get(at) ?? 0) + by)
}

/** What all changes up to each of some columns come to. */
function sums(changes: ReadonlyMap<number, number>, width: number): readonly number[] {
  let sum = 0
  return Array.from({ length: width }, (_, at) => {
    sum += changes.get(at) ?? 0
    return sum
  })
}

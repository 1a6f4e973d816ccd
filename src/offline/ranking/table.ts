import { cellsOf, headerOf, isFigure, isRow } from '../../library/language/table.ts'

/** A table as the readers write it: a caption, then rows of cells with bars between them. */
export interface Table {
  readonly caption: string
  /** What stands above the columns; empty if nothing does. */
  readonly header: readonly string[]
  /** The header as it stands in the text, with its line ends. */
  readonly headerText: string
  /** Whether each cell of `header` certainly names one column. */
  readonly namesColumns: boolean
  /** How many values follow the label in the rows that have all their cells. */
  readonly valueCounts: ReadonlySet<number>
  /** Line on which the first row stands, and the first below the header. */
  readonly first: number
  readonly body: number
}

/** One row, with what gives it its meaning. */
export interface TableRow {
  readonly table: Table
  /** The words that the row begins with: what its figures are about. */
  readonly label: string
  /** The first cell of the label. */
  readonly name: string
  /** The cells behind the label, each with the name of its column where that is certain. */
  readonly values: readonly { readonly column: string | null; readonly value: string }[]
  /** A line of its own above the row that says what kind of rows follow. */
  readonly group: string | null
}

/** Reads the lines of a table: what stands before the first row is the caption, then come header and rows. */
export function readTable(lines: readonly string[]): Table {
  const { rows: headerRows, text: headerText, first, body } = headerOf(lines)
  const bodyCells = lines.filter(isRow).slice(headerRows.length).map(cellsOf)
  const names = namesOf(headerRows.map(cellsOf), bodyCells)
  const header = names ?? headerRows.flatMap(cellsOf)
  const full = bodyCells.filter((cells) => cells.length === header.length)
  return {
    caption: lines.slice(0, first).join(' '),
    header,
    headerText,
    namesColumns: names !== null,
    valueCounts: new Set(full.map((cells) => cells.length - labelLength(cells))),
    first,
    body,
  }
}

/** Reads one row of a table; `before` are the lines above it. */
export function readRow(line: string, table: Table, before: readonly string[] = []): TableRow {
  const cells = cellsOf(line)
  const labelEnd = labelLength(cells)
  const values = cells.slice(labelEnd)
  // Leading cells that span several rows are left out further down, so columns are counted from the right.
  const missing = table.header.length - cells.length
  const isNamed = table.namesColumns && (missing === 0 || (missing > 0 && table.valueCounts.has(values.length)))
  return {
    table,
    label: cells.slice(0, labelEnd).join(', '),
    name: cells[0] ?? '',
    values: values.map((value, i) => ({ column: (isNamed && table.header[missing + labelEnd + i]) || null, value })),
    group: before.slice(table.first).findLast((each) => !isRow(each)) ?? null,
  }
}

/**
 * A name for each column; null where it is not certain which name belongs to which: header lines of different length
 * cannot be joined column by column, and a header shorter than a row leaves open which columns it spans.
 */
function namesOf(
  header: readonly (readonly string[])[],
  body: readonly (readonly string[])[],
): readonly string[] | null {
  const [top, ...below] = header
  if (!top || below.some((line) => line.length !== top.length)) return null
  if (body.some((cells) => cells.length > top.length)) return null
  return top.map((_, i) => header.map((line) => line[i] ?? '').join(' '))
}

function labelLength(cells: readonly string[]): number {
  const firstFigure = cells.findIndex((cell, i) => i > 0 && isFigure(cell))
  return firstFigure > 0 ? firstFigure : 1
}

/** A table as the readers write it: a caption, then rows of cells with bars between them. */
export interface Table {
  readonly caption: string
  /** Names of the columns; empty if there are none. */
  readonly header: readonly string[]
  /** The header as it stands in the text. */
  readonly headerText: string
  /** Line on which the first row stands, and the first with figures. */
  readonly first: number
  readonly body: number
}

/** One row, with what gives it its meaning. */
export interface TableRow {
  readonly table: Table
  /** The words that the row begins with: what its figures are about. */
  readonly label: string
  /** The cells behind the label, each with the name of its column where that is certain. */
  readonly values: readonly { readonly column: string | null; readonly value: string }[]
  /** A line of its own above the row that says what kind of rows follow. */
  readonly group: string | null
}

/** Whether a line is a row of a table. */
export function isRow(line: string): boolean {
  return line.includes(' | ')
}

/** Reads the lines of a table: what stands before the first row is the caption, rows without figures are its header. */
export function readTable(lines: readonly string[]): Table {
  const first = lines.findIndex(isRow)
  let body = first
  while (body < lines.length - 1 && !hasFigures(lines[body] ?? '')) body += 1
  const headers = lines.slice(first, body).filter(isRow)
  const most = Math.max(0, ...headers.map((line) => cellsOf(line).length))
  const headerText = headers.findLast((line) => cellsOf(line).length === most) ?? ''
  return {
    caption: lines.slice(0, first).join(' '),
    header: headerText ? cellsOf(headerText) : [],
    headerText,
    first,
    body,
  }
}

/** Reads one row of a table; `before` are the lines above it. */
export function readRow(line: string, table: Table, before: readonly string[] = []): TableRow {
  const cells = cellsOf(line)
  const firstFigure = cells.findIndex((cell, i) => i > 0 && isFigure(cell))
  const labelEnd = firstFigure > 0 ? firstFigure : 1
  const values = cells.slice(labelEnd)
  // Leading cells that span several rows are left out further down, so columns are counted from the right.
  const offset = table.header.length - values.length
  const named = offset >= 0 && (offset > 0 || cells.length > table.header.length)
  return {
    table,
    label: cells.slice(0, labelEnd).join(', '),
    values: values.map((value, i) => ({ column: (named && table.header[offset + i]) || null, value })),
    group: before.slice(table.first).findLast((each) => !isRow(each)) ?? null,
  }
}

function cellsOf(row: string): readonly string[] {
  return row.split(' | ').map((cell) => cell.trim())
}

/** Two figures, or more figures than words, make a row of values; years alone are names of columns. */
function hasFigures(line: string): boolean {
  const cells = cellsOf(line).slice(1)
  const figures = cells.filter((cell) => isFigure(cell) && !/^(19|20)\d\d$/.test(cell))
  return figures.length >= 2 || figures.length * 2 > cells.length
}

const FIGURE = /^[^\p{L}]*\d[^\p{L}]*(?:[kKMB](?![\p{L}])[^\p{L}]*)?$|^(?:n\/?a|[-–—])$/iu

/** "15.2M", "28.9M (35.6%)", "90.41 ± 0.06", "2 / 44", "n/a". */
function isFigure(cell: string): boolean {
  return FIGURE.test(cell)
}

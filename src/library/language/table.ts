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

/** Whether a line is a row of a table. */
export function isRow(line: string): boolean {
  return line.includes(' | ')
}

/** Reads the lines of a table: what stands before the first row is the caption, then come header and rows. */
export function readTable(lines: readonly string[]): Table {
  const first = lines.findIndex(isRow)
  const rows = lines.filter(isRow)
  const headerRows = rows.slice(0, headerLength(rows))
  const body = headerRows.length === 0 ? first : lines.indexOf(headerRows.at(-1) ?? '', first) + 1
  const bodyCells = rows.slice(headerRows.length).map(cellsOf)
  const names = namesOf(headerRows.map(cellsOf), bodyCells)
  const header = names ?? headerRows.flatMap(cellsOf)
  const full = bodyCells.filter((cells) => cells.length === header.length)
  return {
    caption: lines.slice(0, first).join(' '),
    header,
    headerText: headerRows.length > 0 ? lines.slice(first, body).join('\n') : '',
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

/** Cells of a row. A bar at its beginning stands behind an empty cell, as in the corner of a table. */
function cellsOf(row: string): readonly string[] {
  const cells = row.split(' | ').map((cell) => cell.trim())
  return cells[0]?.startsWith('| ') ? ['', cells[0].slice(2), ...cells.slice(1)] : cells
}

/**
 * How many rows are header: the first, unless it holds figures; in a table of figures also those below that hold no
 * value, as long as they have not a cell for each column, are the first that has, or go on in the middle of names.
 */
function headerLength(rows: readonly string[]): number {
  if (rows.length < 2 || hasFigures(rows[0] ?? '')) return 0
  const width = Math.max(...rows.map((row) => cellsOf(row).length))
  const isWide = (row: string | undefined) => cellsOf(row ?? '').length === width
  let length = 1
  while (
    mostHaveFigures(rows.slice(length + 1)) &&
    !hasValue(rows[length] ?? '') &&
    !(isWide(rows[length]) && rows.slice(0, length).some(isWide) && !goesOn(rows[length] ?? ''))
  ) {
    length += 1
  }
  return length
}

/** "transaction | (bytes)": most cells begin as no name does. */
function goesOn(row: string): boolean {
  const cells = cellsOf(row)
  return cells.filter((cell) => /^[\p{Ll}([/%+#]/u.test(cell)).length * 2 > cells.length
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

function mostHaveFigures(rows: readonly string[]): boolean {
  return rows.filter(hasFigures).length * 2 > rows.length
}

/** Two figures, or more figures than words, make a row of values; years alone are names of columns. */
function hasFigures(line: string): boolean {
  const cells = cellsOf(line).slice(1)
  const figures = cells.filter((cell) => isFigure(cell) && !isYear(cell))
  return figures.length >= 2 || figures.length * 2 > cells.length
}

function hasValue(line: string): boolean {
  return cellsOf(line)
    .slice(1)
    .some((cell) => !isYear(cell) && (isFigure(cell) || VALUE.test(cell)))
}

function isYear(cell: string): boolean {
  return /^(19|20)\d\d$/.test(cell)
}

const FIGURE = /^[^\p{L}\d]*\d[^\p{L}]*(?:[kKMB](?![\p{L}])[^\p{L}]*)?$|^(?:n\/?a|[-–—])$/iu
/** "yes", "90 days": no figures, but nothing that would name a column. */
const VALUE = /^(?:yes|no|none|[✓✔✗✘×])$|^\d[\d.,]*\s\p{L}+$/iu

/** "15.2M", "28.9M (35.6%)", "90.41 ± 0.06", "2 / 44", "n/a". */
function isFigure(cell: string): boolean {
  return FIGURE.test(cell)
}

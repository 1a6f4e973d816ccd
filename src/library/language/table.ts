/** Whether a line is a row of a table. */
export function isRow(line: string): boolean {
  return line.includes(' | ')
}

/** The header of a table. */
export interface TableHeader {
  readonly rows: readonly string[]
  /** As it stands in the text, with its line ends; empty if there is none. */
  readonly text: string
  /** Line on which the first row of the table stands, and the first below the header. */
  readonly first: number
  readonly body: number
}

/** Finds the header among the lines of a table as the readers write it: a caption, then rows of cells with bars between. */
export function headerOf(lines: readonly string[]): TableHeader {
  const first = lines.findIndex(isRow)
  const all = lines.filter(isRow)
  const rows = all.slice(0, headerLength(all))
  const body = rows.length === 0 ? first : lines.indexOf(rows.at(-1) ?? '', first) + 1
  return { rows, text: rows.length > 0 ? lines.slice(first, body).join('\n') : '', first, body }
}

/** Cells of a row. A bar at its beginning stands behind an empty cell, as in the corner of a table. */
export function cellsOf(row: string): readonly string[] {
  const cells = row.split(' | ').map((cell) => cell.trim())
  return cells[0]?.startsWith('| ') ? ['', cells[0].slice(2), ...cells.slice(1)] : cells
}

/**
 * How many rows are header: the first, unless it holds figures; in a table of figures also those below that hold no
 * value, as long as they lack cells for some columns, are the first that has all, or continue names.
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
export function isFigure(cell: string): boolean {
  return FIGURE.test(cell)
}

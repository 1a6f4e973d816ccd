import type { ViewedRow } from './cells.ts'
import { holdsPeriod, isFigure, isValue } from './cells.ts'
import { isPeriod } from './periods.ts'
import { isUnit, unitOfCell, unitOfLine } from './units.ts'

/** Lines of a header: each of them is stored with every column. */
const mostOfHeader = 8

/** Rows of a table that share a header. */
export interface HeadedRows {
  /** Those that name its columns, outermost first; they may stand above an earlier part. */
  readonly header: readonly ViewedRow[]
  /** Names that stand alone above a new header. */
  readonly titles: readonly ViewedRow[]
  /** Those rows of the header with which this part begins. */
  readonly begins: readonly ViewedRow[]
  readonly body: readonly ViewedRow[]
}

/**
 * Divides the rows of a table by what names their columns: a line of periods, units or names between its rows begins a new
 * header. What a new line does not say again stays: units below keep the periods above them.
 */
export function headedRows(rows: readonly ViewedRow[]): readonly HeadedRows[] {
  const isOfFigures = figureColumns(rows)
  const length = headerLength(rows)
  const top = rows.slice(0, length)
  const parts: (Omit<HeadedRows, 'body'> & { readonly body: ViewedRow[] })[] = [
    { header: top, titles: [], begins: top, body: [] },
  ]
  for (let at = length; at < rows.length; ) {
    const end = endOfHeader(rows, at, isOfFigures)
    const part = parts.at(-1)
    const row = rows[at]
    if (!part || !row) break
    if (end === rows.length) {
      for (const rest of rows.slice(at)) part.body.push(rest)
      break
    }
    if (end === at || part.body.length === 0) {
      part.body.push(row)
      at += 1
      continue
    }
    const fresh = rows.slice(at, end)
    const last = part.body.findLastIndex(({ cells }) => cells.length > 1)
    const titles = part.body.splice(last + 1)
    parts.push({ header: renewed(part.header, fresh), titles, begins: fresh, body: [] })
    at = end
  }
  return parts
}

/** Where the new header that begins at this row ends; at the row itself if it is none. */
function endOfHeader(rows: readonly ViewedRow[], at: number, isOfFigures: ReadonlySet<number>): number {
  let end = at
  while (end < rows.length && isNewHeader(rows[end], isOfFigures)) end += 1
  return end
}

function isNewHeader(row: ViewedRow | undefined, isOfFigures: ReadonlySet<number>): boolean {
  if (!row) return false
  const named = row.cells.filter(({ column }) => column > 0)
  if (named.length === 0 || named.some(({ text }) => isValue(text))) return false
  if (row.isHeader) return true
  if (!named.every(({ column }) => isOfFigures.has(column))) return false
  const corner = row.cells.find(({ column }) => column === 0)?.text ?? ''
  const isBare = corner === '' || isPeriod(corner) || unitOfLine(corner) !== null
  const stated = named.filter(({ text }) => isPeriod(text) || unitOfLine(text) !== null)
  return stated.length === named.length ? isBare || named.length > 1 : named.length > 1
}

/** Columns most of whose cells are figures and no periods. */
function figureColumns(rows: readonly ViewedRow[]): ReadonlySet<number> {
  const counts = new Map<number, { figures: number; all: number }>()
  for (const { text, column } of rows.flatMap(({ cells }) => cells)) {
    const count = counts.get(column) ?? { figures: 0, all: 0 }
    count.all += 1
    if (isFigure(text) && !isPeriod(text)) count.figures += 1
    counts.set(column, count)
  }
  return new Set(
    [...counts].flatMap(([column, { figures, all }]) => (figures * 2 >= all && figures > 0 ? [column] : [])),
  )
}

type Kind = 'name' | 'period' | 'unit'

/** What stays of a header above new lines: nothing that is of their kind, or stands below what is. */
function renewed(header: readonly ViewedRow[], fresh: readonly ViewedRow[]): readonly ViewedRow[] {
  const kinds = new Set(fresh.map(kindOf))
  const first = kinds.has('name') ? 0 : header.findIndex((row) => kinds.has(kindOf(row)))
  return [...header.slice(0, first < 0 ? header.length : first), ...fresh].slice(-mostOfHeader)
}

function kindOf({ cells }: ViewedRow): Kind {
  const named = cells.filter(({ column }) => column > 0)
  if (named.length > 0 && named.every(({ text }) => unitOfLine(text) !== null)) return 'unit'
  return named.some(({ text }) => holdsPeriod(text)) ? 'period' : 'name'
}

/**
 * How many rows are header: those that the file says; else the first, unless it holds values; in a table of figures also
 * those below that hold none, as long as they lack cells for some columns, are the first that has all, or continue names.
 */
function headerLength(rows: readonly ViewedRow[]): number {
  const stated = rows.findIndex((row) => !row.isHeader)
  if (rows.length < 2 || stated < 0) return 0
  if (stated === 0 && hasValues(rows[0])) return 0
  const width = rows.reduce((most, { cells }) => Math.max(most, cells.length), 0)
  const isWide = (row: ViewedRow | undefined) => row?.cells.length === width
  let length = Math.min(Math.max(1, stated), mostOfHeader)
  while (length < Math.min(rows.length - 1, mostOfHeader) && goesOn(rows, length, isWide)) length += 1
  return length
}

function goesOn(rows: readonly ViewedRow[], length: number, isWide: (row: ViewedRow | undefined) => boolean): boolean {
  const row = rows[length]
  const named = row?.cells.filter(({ column }) => column > 0) ?? []
  // A name that stands alone is one of rows.
  if (!row || named.length === 0) return false
  if (named.some(({ text }) => isValue(text)))
    return isUnnamed(row, rows.slice(length + 1)) && named.some(({ text }) => isUnit(text))
  const first = rows.findIndex((other, at) => at > length && hasValues(other))
  if (first < 0 || !mostHaveFigures(rows.slice(first))) return false
  if (named.every(({ text }) => isPeriod(text) || unitOfLine(text) !== null)) return true
  const hasLabel = named.length < row.cells.length
  // A header with a name for each column, and one for the rows, is complete.
  const isComplete = rows.slice(0, length).some(isWide)
  return isComplete ? continuesNames(row) : !hasLabel || isWide(row) || named.length > 1
}

/** Whether a row has no name, and all below have one. */
function isUnnamed(row: ViewedRow, below: readonly ViewedRow[]): boolean {
  const hasName = ({ cells }: ViewedRow) => cells[0]?.column === 0
  return !hasName(row) && below.every(hasName)
}

/** "transaction | (bytes)": most cells, and that of the rows' names, begin as no name does. In "Monday | closed" one does. */
function continuesNames({ cells }: ViewedRow): boolean {
  const isNamed = cells[0]?.column === 0 && !GOES_ON.test(cells[0].text)
  return !isNamed && cells.filter(({ text }) => GOES_ON.test(text)).length * 2 > cells.length
}

const GOES_ON = /^[\p{Ll}([/%+#]/u

function mostHaveFigures(rows: readonly ViewedRow[]): boolean {
  const filled = rows.filter(({ cells }) => cells.length > 1)
  return filled.filter(hasValues).length * 2 > filled.length
}

/** Two figures, or more figures than words, make a row of values; periods alone are names of columns. */
function hasValues(row: ViewedRow | undefined): boolean {
  const named = row?.cells.filter(({ column }) => column > 0) ?? []
  const figures = named.filter(({ text }) => (isFigure(text) || unitOfCell(text) !== null) && !isPeriod(text))
  return figures.length >= 2 || figures.length * 2 > named.length
}

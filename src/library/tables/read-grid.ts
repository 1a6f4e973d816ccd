import type { PageGrid, TableColumn, TableRow } from '../port/document.ts'
import { isFigure, nameIn, shortened, type ViewedCell, type ViewedRow, viewRows, widthOf } from './cells.ts'
import { columnsUnder } from './columns.ts'
import { type HeadedRows, headedRows } from './header.ts'
import { isPeriod } from './periods.ts'
import { labelColumns, rowsIn } from './rows.ts'
import {
  exceptionIn,
  isMoney,
  isScale,
  type NearTable,
  statedBeside,
  unitInTitle,
  unitOfFigures,
  unitOfLine,
} from './units.ts'

/** Rows with one header, and all that is said above them. */
export interface ReadTable {
  readonly caption: string | null
  readonly unit: string | null
  readonly columns: readonly TableColumn[]
  readonly rows: readonly TableRow[]
  /** The words beside the table that state its unit, where it does not. */
  readonly statedBeside: string | null
  /** Where its own first line begins. */
  readonly start: number
  /** Its caption and header as lines, which each part of it needs. */
  readonly head: readonly string[]
  /** What another with as many columns and no header of its own goes on with. */
  readonly context: TableContext
}

interface TableContext {
  readonly lines: readonly string[]
  readonly header: readonly ViewedRow[]
  readonly labels: ReadonlySet<number>
  readonly width: number
}

export interface AroundGrid {
  /** The lines above it that say what it is. */
  readonly above: readonly string[]
  /** The heading right above it. */
  readonly heading: string | null
  /** The words before and behind it, of which the nearest may state the unit of a table that states none. */
  readonly near: NearTable
  /** The table before, if nothing but names of rows stands between. */
  readonly before: ReadTable | null
}

/** The tables of a grid: one, unless a new header begins within it. */
export function readGrid(grid: PageGrid, page: string, around: AroundGrid): readonly ReadTable[] {
  const rows = viewRows(grid.rows, page)
  const first = Math.max(
    0,
    rows.findIndex(({ cells }) => cells.length > 1 || (cells[0]?.column ?? 0) > 0),
  )
  const [top, ...others] = headedRows(rows.slice(first))
  if (!top) return []
  const begun = beginning(grid, around, { rows, leading: rows.slice(0, first), top })
  return [
    begun,
    ...others.map(({ header, titles, begins, body }) =>
      readPart(body, {
        ...{ header, isExact: grid.isExact, heading: around.heading, near: around.near, continued: null },
        ...{ lines: begun.context.lines, width: begun.context.width },
        start: (titles[0] ?? begins[0] ?? grid).start,
        section: titles.map(({ text }) => nameIn(text)),
      }),
    ),
  ]
}

interface Beginning {
  readonly rows: readonly ViewedRow[]
  /** Lines of one cell before all others. */
  readonly leading: readonly ViewedRow[]
  readonly top: HeadedRows
}

function beginning(
  grid: PageGrid,
  { above, heading, near, before }: AroundGrid,
  { rows, leading, top }: Beginning,
): ReadTable {
  const width = widthOf(rows)
  const hasHeader = top.header.length > 0
  const continued = !hasHeader && before?.context.width === width ? before : null
  const lines = grid.caption === null ? above : [...above, grid.caption]
  // Without a header below it, a line that stands alone at the beginning names rows.
  const isTitle = hasHeader || (continued === null && lines.length === 0)
  const own = isTitle ? [...lines, ...leading.map(({ text }) => text)] : lines
  const isAgain = own.length === 0 && haveSameNames(top.header, before?.context)
  return readPart(isTitle ? top.body : [...leading, ...top.body], {
    ...{ isExact: grid.isExact, heading, near, continued, width, start: grid.start },
    lines: (isAgain ? before : continued)?.context.lines ?? own,
    header: continued?.context.header ?? top.header,
    section: continued ? sectionAfter(continued, above) : [],
  })
}

/** Whether the columns of a table have the names of those before it, and what is said above those holds for both. */
function haveSameNames(header: readonly ViewedRow[], before: TableContext | undefined): boolean {
  if (!before || header.length === 0) return false
  const namesOf = (rows: readonly ViewedRow[]) =>
    rows
      .flatMap(({ cells }) => cells.flatMap(({ column, text }) => (before.labels.has(column) ? [] : [text])))
      .join('\n')
  return namesOf(header) === namesOf(before.header)
}

interface Part extends Omit<TableContext, 'labels'> {
  readonly start: number
  readonly isExact: boolean
  readonly heading: string | null
  readonly near: NearTable
  readonly continued: ReadTable | null
  readonly section: readonly string[]
}

function readPart(body: readonly ViewedRow[], part: Part): ReadTable {
  const { lines, header, isExact, heading, near, continued, width } = part
  const labels = continued?.context.labels ?? labelColumns(body)
  const titles = lines.length > 0 || heading === null ? lines : [heading]
  const corners = header.flatMap(({ cells }) =>
    cells.filter(({ column }) => labels.has(column)).map(({ text }) => text),
  )
  const lone = header.filter(isUnitAlone).flatMap(({ cells }) => cells.map(({ text }) => text))
  const named = namesFigures(header, body, labels) ? corners : corners.filter(isTelling)
  const own = firstOf([...titles, ...named, ...lone], unitInTitle)
  const beside = own !== null || statesUnit(header) ? null : (continued?.statedBeside ?? statedBeside(near))
  const unit = own ?? continued?.unit ?? unitOfFigures(beside ?? '')
  const exception = firstOf([...titles, ...corners, ...lone, beside ?? ''], exceptionIn)
  const columns = columnsUnder(
    header.filter((row) => !isUnitAlone(row)),
    { labels, isExact, unit, body },
  )
  const caption = titles
    .filter((line) => unitOfLine(line) === null || /\p{L}{3}/u.test(line.split(/[([]/u)[0] ?? ''))
    .map(nameIn)
  return {
    caption: shortened(caption.join(' ')) || null,
    ...{ unit, statedBeside: beside, columns, start: part.start },
    rows: rowsIn(body, { labels, exception, section: part.section }),
    head: [...lines, ...header.map(({ text }) => text)],
    context: { lines, header, labels, width },
  }
}

/** "(In thousands)" in a line of its own below the names of columns is meant for all of them. */
function isUnitAlone({ cells }: ViewedRow): boolean {
  const [only, ...more] = cells
  return only !== undefined && more.length === 0 && only.column > 0 && isTelling(only.text)
}

/** Columns that state their own units, as "EUR" and "TEUR", need none beside them. */
function statesUnit(header: readonly ViewedRow[]): boolean {
  return header.some(({ cells }) =>
    cells.some(({ text }) => {
      const unit = unitOfLine(text)
      return unit !== null && isMoney(unit)
    }),
  )
}

function firstOf(lines: readonly string[], read: (line: string) => string | null): string | null {
  return lines.map(read).find((found) => found !== null) ?? null
}

/** Above names of rows, and beside periods alone, "Average wait (minutes)" says what the figures are. */
function namesFigures(header: readonly ViewedRow[], body: readonly ViewedRow[], labels: ReadonlySet<number>): boolean {
  const isLabel = ({ column }: ViewedCell) => labels.has(column)
  const names = header.flatMap(({ cells }) => cells.filter((cell) => !isLabel(cell)))
  const rows = body.flatMap(({ cells }) => cells.filter(isLabel))
  return names.length > 0 && names.every(({ text }) => isPeriod(text)) && rows.every(({ text }) => !isFigure(text))
}

/** A corner states the unit of the table by a scale or a currency; another is that of the rows' own names. */
function isTelling(corner: string): boolean {
  const unit = unitOfLine(corner)
  return unit !== null && (isScale(unit) || isMoney(unit) || unit === '%')
}

function sectionAfter({ rows }: ReadTable, between: readonly string[]): readonly string[] {
  if (between.length > 0) return between.map(nameIn)
  const last = rows.at(-1)
  if (!last) return []
  return last.cells.length === 1 ? [...last.section, last.label] : last.section
}

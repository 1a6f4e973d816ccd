import type { TableColumn } from '../port/document.ts'
import { nameIn, type ViewedCell, type ViewedRow, widthOf } from './cells.ts'
import { hasMonth, hasYear, isPeriod, isYear, periodIn } from './periods.ts'
import { isScale, signOf, unitOfLine } from './units.ts'

export interface ColumnOptions {
  readonly labels: ReadonlySet<number>
  /** Whether a name never belongs to columns beyond its own. */
  readonly isExact: boolean
  readonly unit: string | null
  readonly body: readonly ViewedRow[]
}

/** How many columns of a table have names. */
const mostColumns = 500

/** What each column of some rows is called, from the lines that name it. */
export function columnsUnder(header: readonly ViewedRow[], options: ColumnOptions): readonly TableColumn[] {
  const width = Math.min(mostColumns, Math.max(widthOf(header), widthOf(options.body)))
  const lines = header.map((row, at) => cellsAbove(row, width, at === header.length - 1, options))
  const signs = signsIn(options)
  const [nameOf, unitOf] = [remembered(nameIn), remembered(unitOfLine)]
  const corners = header.flatMap(({ cells }) =>
    cells.filter(({ column }) => options.labels.has(column)).map(({ text }) => text),
  )
  return Array.from({ length: width }, (_, column) => {
    const texts = lines.flatMap((line) => line[column]?.text ?? [])
    const path = texts.map(nameOf).filter((name, at, all) => name !== '' && name !== all[at - 1])
    const isLabel = options.labels.has(column)
    const unit = isLabel ? null : (texts.map(unitOf).findLast((stated) => stated !== null) ?? signs.get(column) ?? null)
    return { path, unit, period: isLabel ? null : completed(joinedPeriods(texts), corners), isLabel }
  })
}

/** "Oct" beside "2022-2023", or "2023" beside "Year ended June 30,", where that stands above the names of rows. */
function completed(period: string | null, corners: readonly string[]): string | null {
  if (period === null) return null
  const isWhole = hasYear(period)
  if (isWhole && !isYear(period)) return period
  for (const corner of corners) {
    const found = periodIn(corner)
    if (found === null || hasYear(found) === isWhole) continue
    if (!isWhole) return `${period} ${found}`
    if (hasMonth(found)) return joinedPeriods([corner, period])
  }
  return period
}

/** A line that spans columns is read once, not for each of them. */
function remembered<T>(read: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>()
  return (text) => {
    const found = known.get(text)
    if (found !== undefined) return found
    const result = read(text)
    known.set(text, result)
    return result
  }
}

/** The cell of a header line above each column: its own, one that spans it, or one that stands alone before it. */
function cellsAbove(
  { cells }: ViewedRow,
  width: number,
  isInnermost: boolean,
  { labels, isExact }: ColumnOptions,
): readonly (ViewedCell | null)[] {
  const above = Array.from({ length: width }, (): ViewedCell | null => null)
  for (const cell of cells) {
    const end = Math.min(width, cell.column + cell.columns)
    for (let column = cell.column; column < end; column += 1) above[column] ??= cell
  }
  const [only, ...more] = cells.filter(({ column }) => !labels.has(column))
  // "Year ended December 31," above the middle of several years is meant for each.
  if (only && more.length === 0 && !isInnermost && isPeriod(only.text) && !hasYear(only.text)) {
    return above.map((own, column) => own ?? (labels.has(column) ? null : only))
  }
  if (isExact) return above
  let before: ViewedCell | null = null
  let next = 0
  return above.map((own, column) => {
    for (let cell = cells[next]; cell && cell.column < column; cell = cells[next]) {
      before = labels.has(cell.column) || (isInnermost && !isPeriod(cell.text)) ? null : cell
      next += 1
    }
    return own ?? (labels.has(column) ? null : before)
  })
}

/**
 * Statements print a currency's sign at the first figure of a column and at its totals only, and its scale above the table;
 * without one, a sign at the first and another figure is meant for all.
 */
function signsIn({ unit, body }: ColumnOptions): ReadonlyMap<number, string> {
  if (unit !== null && !isScale(unit)) return new Map()
  const found = new Map<number, { readonly isFirst: boolean; readonly sign: string | null; readonly count: number }>()
  for (const { column, text } of body.flatMap(({ cells }) => cells)) {
    const sign = signOf(text)
    const known = found.get(column)
    if (!known) found.set(column, { isFirst: sign !== null, sign, count: 1 })
    else if (known.sign === null) found.set(column, { ...known, sign })
    else if (known.sign === sign) found.set(column, { ...known, count: known.count + 1 })
  }
  const meant = [...found].flatMap(([column, { isFirst, sign, count }]): [number, string][] => {
    if (sign === null) return []
    if (unit !== null) return [[column, `${sign} ${unit}`]]
    return isFirst && count > 1 ? [[column, sign]] : []
  })
  return new Map(meant)
}

/** One period of those that stand one below the other: "Three months ended June 30," above "2023". */
export function joinedPeriods(texts: readonly string[]): string | null {
  const found = texts.flatMap((text) => {
    const period = periodIn(text)
    return period === null ? [] : [nameIn(text).endsWith(`${period},`) ? `${period},` : period]
  })
  const own = found.filter((period, at) => period !== found[at - 1])
  const last = own.at(-1)
  if (last === undefined) return null
  // A year below another, as "2023" below "2023 and 2022", says it all.
  const parts = hasYear(last) && own.slice(0, -1).some(hasYear) ? [last] : own
  return parts.join(' ').replace(/,$/u, '')
}

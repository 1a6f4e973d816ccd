import { hasLetter } from '../../language/characters.ts'
import { isFigure } from '../../tables/cells.ts'
import type { PlacedRow, PlacedText } from '../../tables/grid.ts'
import { columnsOf, type Interval, overlapped } from '../../tables/intervals.ts'
import { isPeriod } from '../../tables/periods.ts'
import { isUnit } from '../../tables/units.ts'
import { placeNames } from './header-names.ts'
import type { Line, Segment } from './lines.ts'
import { type Cell, dividedAt, joined, middleOf, widthOfText } from './printed-cells.ts'

/** The lines of a table as rows, each cell in the column at whose place it is printed. */
export function placeByPosition(lines: readonly Line[]): readonly PlacedRow[] {
  const printed = onBaselines(inPrintedOrder(lines))
  const length = headerLength(printed.map((line) => cellsOf(line)))
  const body = printed.slice(length)
  const units = unitColumns(body)
  const rows = joinWrapped(body.map((line) => cellsOf(line, units)))
  const columns = columnsIn(rows)
  const placed = rows.map((row) => row.flatMap((cell) => place(cell, columns)))
  return [...placeHeader(printed.slice(0, length), columns), ...placed].map((cells) => ({
    isHeader: false,
    cells: joinSame(cells),
  }))
}

/** The lines above the first row: that has figures, and a name where rows have theirs or nothing but figures. */
function headerLength(rows: readonly (readonly Cell[])[]): number {
  const [names] = columnsIn(rows)
  const isRow = (row: readonly Cell[]) =>
    hasFigures(row) && row.every(({ text, ...place }, at) => at > 0 || isFigure(text) || !names || isOver(names, place))
  return Math.max(0, rows.findIndex(isRow))
}

function isOver(one: Interval, other: Interval): boolean {
  return one.from < other.to && other.from < one.to
}

/** Where units stand that rows have in a column of their own. */
function unitColumns(lines: readonly Line[]): readonly Interval[] {
  const cells = lines.flatMap(({ segments }) => segments.slice(1).map(cellOf))
  const figures = columnsOf(cells.filter(({ text }) => isFigure(text)).map((cell) => [cell]))
  return cells.filter((cell) => {
    const { first, end } = overlapped(figures, cell)
    return hasLetter(cell.text) && isUnit(cell.text) && first === end
  })
}

/** Where the columns of some lines stand, of which the first names rows. */
export function columnsOfLines(lines: readonly Line[]): readonly Interval[] {
  return columnsIn(onBaselines(lines).map((line) => cellsOf(line)))
}

export function valueColumns(lines: readonly Line[]): readonly Interval[] {
  return columnsOfLines(lines).slice(1)
}

/** The lines above the first figures from top to bottom, and each from left to right, however they are drawn. */
function inPrintedOrder(lines: readonly Line[]): readonly Line[] {
  const body = Math.max(
    0,
    lines.findIndex((line) => hasFigures(cellsOf(line))),
  )
  const isBeside = (one: Line, other: Line) => Math.abs(one.y - other.y) < 0.3 * one.size
  const header = lines
    .slice(0, body)
    .toSorted((one, other) => (isBeside(one, other) ? one.x - other.x : other.y - one.y))
  return [...header, ...lines.slice(body)]
}

/** What the file draws apart on one baseline is one line of a table. */
function onBaselines(lines: readonly Line[]): readonly Line[] {
  const joined: Line[] = []
  for (const line of lines) {
    const before = joined.at(-1)
    const isSame = before && Math.abs(before.y - line.y) < 0.3 * line.size && line.x >= before.end
    if (isSame)
      joined[joined.length - 1] = { ...before, end: line.end, segments: [...before.segments, ...line.segments] }
    else joined.push(line)
  }
  return joined
}

function columnsIn(rows: readonly (readonly Cell[])[]): readonly Interval[] {
  const body = rows.filter(hasFigures)
  // Without figures, only the first line may be of names, which need not stand where their columns do.
  return columnsOf(body.length > 0 ? body : rows.length > 1 ? rows.slice(1) : rows)
}

function hasFigures(row: readonly Cell[]): boolean {
  const figures = row.slice(1).filter(({ text }) => isFigure(text) && !isPeriod(text))
  return figures.length > 0
}

const openSign = /^[$€£¥(]+$/u
const closeSign = /^[)%*†‡¹²³⁰-⁹]+$/u

/** A line's cells; a sign stands with its figure, also where the line has it behind the figure before, unless it is a unit. */
function cellsOf({ segments }: Line, units: readonly Interval[] = []): readonly Cell[] {
  const cells: Cell[] = []
  let sign: Cell | null = null
  for (const segment of segments) {
    const { body, opening } = withoutOpening(cellOf(segment))
    const last = cells.at(-1)
    const isOwn = body !== null && units.some((unit) => isOver(unit, body))
    if (body && last && !sign && !isOwn && closeSign.test(body.text) && /\d/.test(last.text))
      cells[cells.length - 1] = joined(last, body, '')
    else if (body) {
      cells.push(sign ? joined(sign, body, '') : body)
      sign = null
    }
    sign = opening ?? sign
  }
  if (sign) cells.push(sign)
  return cells
}

/** "44,538 $" is a figure and the sign of the next. */
function withoutOpening(cell: Cell): { readonly body: Cell | null; readonly opening: Cell | null } {
  if (openSign.test(cell.text)) return { body: null, opening: cell }
  const [, text = '', sign = ''] = /^(.*[\d)%—–-])\s?([$€£¥])$/u.exec(cell.text) ?? []
  if (sign === '') return { body: cell, opening: null }
  const width = ((cell.to - cell.from) * (sign.length + 1)) / cell.text.length
  return {
    body: { text, from: cell.from, to: cell.to - width },
    opening: { text: sign, from: cell.to - width / 2, to: cell.to },
  }
}

function cellOf({ text, x, end }: Segment): Cell {
  return { text, from: x, to: end }
}

/** As "of the year", or "(pence)"; "(1)" begins a note. */
const GOES_ON = /^(?:\p{Ll}|\((?!\w{1,2}\)))/u

/** Whether a line is the rest of the name in the row above it. */
export function goesOnName({ segments, text, x, y, size }: Line, above: Line | undefined): boolean {
  const isBelow = above !== undefined && above.y - y < 1.3 * size && Math.abs(above.x - x) <= size
  return isBelow && segments.length === 1 && GOES_ON.test(text) && !/[.;]$/u.test(text)
}

/** The name of a row that is printed on two lines is one: its second line begins as no name does. */
function joinWrapped(rows: readonly (readonly Cell[])[]): readonly (readonly Cell[])[] {
  const result: (readonly Cell[])[] = []
  for (const row of rows) {
    const before = result.at(-1)
    const [name] = row
    const [above, ...values] = before ?? []
    const goesOn =
      name && above && GOES_ON.test(name.text) && Math.abs(name.from - above.from) < 3 * (name.to - name.from)
    if (
      goesOn &&
      hasLetter(above.text) &&
      !isFigure(above.text) &&
      (row.length === 1 || values.length === 0) &&
      !(row.length === 1 && values.length === 0)
    ) {
      result[result.length - 1] = [
        { ...joined(above, name, ' '), to: Math.max(above.to, name.to) },
        ...values,
        ...row.slice(1),
      ]
    } else result.push(row)
  }
  return result
}

/** A cell in its column; what is drawn as one over several columns is divided if its words are theirs. */
function place(cell: Cell, columns: readonly Interval[]): readonly PlacedText[] {
  const { first, end } = overlapped(columns, cell)
  if (end - first > 1) {
    const parts = dividedAt(cell, columns, { first, end })
    const texts = parts.map((part) => part?.text ?? '')
    if (areValues(texts) || standsAtEnd(cell, texts, columns[end - 1]))
      return parts.flatMap((part, at) => (part ? [placed(part, first + at, 1)] : []))
  }
  if (end === first) return [placed(cell, nearest(cell, columns), 1)]
  // Words over the next column are still those of the first; a figure belongs where most of it is.
  return isFigure(cell.text)
    ? [placed(cell, mostCovered(cell, columns, first, end), 1)]
    : [placed(cell, first, end - first)]
}

function placed({ text }: Cell, column: number, columns: number): PlacedText {
  return { text, column, columns, isGroup: false }
}

/** Of a row: behind what it begins with, figures, or all of it names beside others. */
function areValues([name = '', ...values]: readonly string[]): boolean {
  return (
    name !== '' && values.length > 0 && values.every((value) => value === '' || isFigure(value)) && values.at(-1) !== ''
  )
}

/** Two names of which the second begins or ends where its column does. */
function standsAtEnd(cell: Cell, texts: readonly string[], column: Interval | undefined): boolean {
  const [name = '', last = '', ...more] = texts
  if (!column || name === '' || last === '' || more.length > 0) return false
  const from = cell.to - (widthOfText(last) / widthOfText(cell.text)) * (cell.to - cell.from)
  return Math.abs(cell.to - column.to) <= aligned || Math.abs(from - column.from) <= 2 * aligned
}

/** Of a header's last line: a name each, but no period over several. */
function areNames(parts: readonly string[]): boolean {
  return (
    parts.every((part) => /^[\p{L}\d(%]/u.test(part)) &&
    (parts.every(isPeriod) || !isPeriod(parts.join(' '))) &&
    !/^\(.*\)$/u.test(parts.join(' '))
  )
}

function mostCovered(cell: Cell, columns: readonly Interval[], first: number, end: number): number {
  const shared = (at: number) => Math.min(cell.to, columns[at]?.to ?? 0) - Math.max(cell.from, columns[at]?.from ?? 0)
  let best = first
  for (let at = first + 1; at < end; at += 1) if (shared(at) > shared(best)) best = at
  return best
}

function nearest(cell: Interval, columns: readonly Interval[]): number {
  const distances = columns.map((column) => Math.max(column.from - cell.to, cell.from - column.to))
  return Math.max(0, distances.indexOf(Math.min(...distances)))
}

const aligned = 1.5

/** Names above columns; what is drawn as one in the last line of them is divided if its words are names each. */
function placeHeader(header: readonly Line[], columns: readonly Interval[]): readonly (readonly PlacedText[])[] {
  const rows = header.map((line) => cellsOf(line))
  const end =
    1 + rows.findLastIndex((row) => row.length > 1 || row.some((cell) => middleOf(cell) > (columns[0]?.to ?? 0)))
  const names = rows
    .slice(0, end)
    .map((row, at) => (at === end - 1 ? row.flatMap((cell) => dividedNames(cell, columns)) : row))
  const lines = header.slice(0, end).map(({ y, size }, at) => ({ y, size, names: names[at] ?? [] }))
  const reaches = placeNames(lines, columns)
  return [
    ...names.map((row, at) =>
      row.map((cell, name) => {
        const { first, end: behind } = reaches[at]?.[name] ?? { first: 0, end: 1 }
        return placed(cell, first, behind - first)
      }),
    ),
    // Names of rows below those of columns.
    ...rows.slice(end).map((row) => row.flatMap((cell) => place(cell, columns))),
  ]
}

function dividedNames(cell: Cell, columns: readonly Interval[]): readonly Cell[] {
  const reach = overlapped(columns, cell)
  const parts = reach.end - reach.first > 1 ? dividedAt(cell, columns, reach) : []
  const isDivided = parts.length > 0 && areNames(parts.map((part) => part?.text ?? ''))
  return isDivided ? parts.filter((part) => part !== null) : [cell]
}

/** Two texts in one place are one. */
function joinSame(cells: readonly PlacedText[]): readonly PlacedText[] {
  const result = new Map<number, PlacedText>()
  for (const cell of cells) {
    const before = result.get(cell.column)
    result.set(cell.column, before ? { ...before, text: `${before.text} ${cell.text}` } : cell)
  }
  return [...result.values()].sort((one, other) => one.column - other.column)
}

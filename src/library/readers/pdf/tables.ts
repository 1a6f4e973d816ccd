import { isFigure } from '../../tables/cells.ts'
import type { PlacedRow } from '../../tables/grid.ts'
import { type Interval, overlapped } from '../../tables/intervals.ts'
import { isTableCaption } from '../common/document-writer.ts'
import { columnsOfLines, goesOnName, placeByPosition, valueColumns } from './columns.ts'
import type { Line } from './lines.ts'

/** A table among the lines of a page: `lines.slice(start, end)` with its caption. */
export interface TableSpan {
  readonly start: number
  readonly end: number
  /** The place of its caption, inside the span; null if it has none. */
  readonly caption: { readonly start: number; readonly end: number } | null
}

const anyCaption =
  /^(?:(?:Table|TABLE|Tab\.|Figure|FIGURE|Fig\.|Algorithm|Listing)\s+(?:[A-Z]\.?)?(?:\d+|[IVX]+)(?:\.\d+)*\s*(?:[:.|–—]|$))/u

/** Whether a line begins the caption of a table, figure, algorithm or listing. */
export function beginsCaption(line: Line): boolean {
  return anyCaption.test(line.text)
}

const cellGap = 1.6
const number = /^[-−+±~<>≤≥(]*[$€£]?\d[\d.,]*[%kKMB)]*[*†‡]*$/u

/** Cells are separated by more than 1.6 em. */
function cellCount(line: Line): number {
  const { segments } = line
  if (segments.length <= 1 && !((segments[0]?.gap ?? 0) > cellGap)) return segments.length
  return segments.filter((segment) => segment.gap > cellGap).length + 1
}

/** Finds the tables of a page: rows next to a caption, or at least three clear rows without one. */
export function findTables(lines: readonly Line[], endOfCaption: (start: number) => number): TableSpan[] {
  const spans: TableSpan[] = []
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]
    if (!line || !isTableCaption(line.text)) continue
    const caption = { start: at, end: endOfCaption(at) }
    const above = caption.start - countRows(lines, caption.start - 1, -1, spans.at(-1)?.end ?? 0)
    const below = caption.end + countRows(lines, caption.end, 1, lines.length - 1)
    const useAbove = caption.start - above >= below - caption.end
    const span = useAbove ? { start: above, end: caption.end } : { start: caption.start, end: below }
    if (span.end - span.start === caption.end - caption.start) continue
    spans.push({ ...span, caption })
    at = span.end - 1
  }
  const plain = joinedSpans(lines, rowsWithoutCaption(lines, spans)).filter((span) => isLong(lines, span))
  const all = [...spans, ...plain].sort((one, other) => one.start - other.start)
  const begun = all.map((span, at) => ({ ...span, start: grownStart(lines, span, all[at - 1]?.end ?? 0) }))
  return begun.map((span, at) => ({ ...span, end: grownEnd(lines, span, begun[at + 1]?.start ?? lines.length) }))
}

/** Names that stand alone between rows, or between them and the names of columns. */
const mostNames = 3
/** How far above its first row the names of its columns may begin, in ems, and how many lines they are. */
const farthestAbove = 14
const mostLinesAbove = 60
const longestName = 60
const longestLabel = 150

/** Parts of a table between which names stand alone, as "Current liabilities:", are one. */
function joinedSpans(lines: readonly Line[], spans: readonly TableSpan[]): readonly TableSpan[] {
  const joined: TableSpan[] = []
  for (const span of spans) {
    const before = joined.at(-1)
    if (before && isOneTable(lines, before, span)) joined[joined.length - 1] = { ...before, end: span.end }
    else joined.push(span)
  }
  return joined
}

/** Rows of a table that tell where its columns stand. */
const mostCompared = 60

function isOneTable(lines: readonly Line[], one: TableSpan, other: TableSpan): boolean {
  const between = lines.slice(one.end, other.start)
  for (let at = one.end; at <= other.start; at += 1) if (isApart(lines[at - 1], lines[at])) return false
  const columns = valueColumns(lines.slice(Math.max(one.start, one.end - mostCompared), one.end))
  if (between.length > mostNames || !between.every((line) => isName(line) || isRowOf(line, columns))) return false
  const others = valueColumns(lines.slice(other.start, other.end))
  return others.length > 0 && others.every((column) => isOver(columns, column))
}

/** Whether a line may name a row, or a table: no sentence. */
export function isName({ segments, text }: Line): boolean {
  return segments.length === 1 && text.length <= longestLabel && !/[.!?;]$/u.test(text) && !isTableCaption(text)
}

function isApart(above: Line | undefined, line: Line | undefined): boolean {
  return !above || !line || isFar(above, line) || line.y > above.y + line.size || line.rotation !== above.rotation
}

/** A file may draw a name of several lines in one go, and the names beside it before or after. */
function isNear(line: Line, below: Line | undefined, top: Line | undefined): boolean {
  if (!below || !top || isFar(line, below) || line.rotation !== below.rotation || beginsCaption(line)) return false
  return line.y - top.y <= farthestAbove * line.size
}

/** Where a table begins with the lines above its rows that stand over its columns of values, and names between these. */
function grownStart(lines: readonly Line[], { start, end, caption }: TableSpan, from: number): number {
  const columns = caption ? [] : columnsOfLines(lines.slice(start, end))
  const top = lines[start]
  let first = start
  for (let at = start - 1; at >= from && start - at <= mostLinesAbove && first - at <= mostNames + 1; at -= 1) {
    const [line, below] = [lines[at], lines[at + 1]]
    if (!line || !isNear(line, below, top)) break
    if (namesColumns(line, columns) || isRowOf(line, columns.slice(1))) first = at
    else if (!isName(line)) break
  }
  return first
}

/** Where it ends, with rows of a name and one value, and names that stand alone before more rows. */
function grownEnd(lines: readonly Line[], { start, end, caption }: TableSpan, to: number): number {
  const columns = caption ? [] : valueColumns(lines.slice(start, end))
  let last = end
  for (let at = end; at < to && at - last <= mostNames; at += 1) {
    const line = lines[at]
    if (!line || isApart(lines[at - 1], line) || beginsCaption(line)) break
    if (isRowOf(line, columns) || (at === last && goesOnName(line, lines[at - 1]))) last = at + 1
    else if (!isName(line)) break
  }
  return last
}

/** A name, and values that stand in the columns. */
function isRowOf({ segments }: Line, columns: readonly Interval[]): boolean {
  const values = segments.slice(1)
  const areOver = values.every(
    ({ x, end, text }) => text.length <= longestName && isOver(columns, { from: x, to: end }),
  )
  return areOver && values.some(({ text }) => isFigure(text))
}

function isOver(columns: readonly Interval[], place: Interval): boolean {
  const { first, end } = overlapped(columns, place)
  return end > first
}

/** Whether all of a line, or all but its first part, stands over columns of values, or beside another right of the names of rows. */
function namesColumns({ segments, size }: Line, [names, ...values]: readonly Interval[]): boolean {
  const left = (values[0]?.from ?? 0) - 2 * size
  const right = (values.at(-1)?.to ?? 0) + 8 * size
  if (segments.some(({ text, end }) => text.length > longestName || end > right)) return false
  const isBeside = segments.length > 1
  const over = segments.filter(
    ({ x, end }) => x >= left || (x > (names?.to ?? left) && (isBeside || (x + end) / 2 >= left)),
  )
  return over.length > 0 && over.length >= segments.length - 1
}

/** The rows of a table, each cell in the column at whose place it is printed. */
export function tableRows(lines: readonly Line[], table: TableSpan): readonly PlacedRow[] {
  const own = lines.slice(table.start, table.end).filter((_, at) => !isWithin(table.start + at, table.caption))
  return placeByPosition(own)
}

function isWithin(at: number, span: { readonly start: number; readonly end: number } | null): boolean {
  return span !== null && at >= span.start && at < span.end
}

const mostLooseLines = 4

/** Walks over rows, and over loose cells between them; stops at running text, a caption and the end of the column. */
function countRows(lines: readonly Line[], from: number, step: 1 | -1, limit: number): number {
  let rows = 0
  let loose = 0
  for (let at = from; at * step <= limit * step; at += step) {
    const kind = rowKind(lines[at], lines[at - step], lines[from])
    if (kind === 'end' || (kind === 'loose' && loose === mostLooseLines)) break
    loose = kind === 'row' ? 0 : loose + 1
    if (kind === 'row') rows = Math.abs(at - from) + 1
  }
  return rows
}

function rowKind(line: Line | undefined, before: Line | undefined, first: Line | undefined): 'row' | 'loose' | 'end' {
  if (!line || beginsCaption(line) || (before && isFar(before, line))) return 'end'
  if (isRow(line) || cellCount(line) >= 2) return 'row'
  return isLooseCell(line, first) ? 'loose' : 'end'
}

const farInEms = 6

function isFar(one: Line, other: Line): boolean {
  return Math.abs(one.y - other.y) > farInEms * Math.max(one.size, other.size)
}

function isLooseCell(line: Line, reference: Line | undefined): boolean {
  const similar = !reference || Math.abs(line.size - reference.size) < 0.25 * reference.size
  return similar && line.text.length <= 30 && !/[.;:]$/u.test(line.text)
}

/** Three cells or more, or two numbers or more at its end. */
export function isRow(line: Line): boolean {
  return cellCount(line) >= 3 || endsInNumbers(line.text)
}

function endsInNumbers(text: string): boolean {
  const words = text.split(' ')
  const trailing = words.length - 1 - words.findLastIndex((word) => !number.test(word))
  return trailing >= 2 && words.length <= 24
}

const fewestRows = 3

function isLong(lines: readonly Line[], { start, end }: TableSpan): boolean {
  const own = lines.slice(start, end)
  const rows = own.filter((line) => !isName(line)).length
  return rows >= fewestRows && !(own.filter(isClearRow).length < 2 && isCounted(own))
}

/** Rows one below the other: whole tables, or parts of them. */
function rowsWithoutCaption(lines: readonly Line[], taken: readonly TableSpan[]): TableSpan[] {
  const spans: TableSpan[] = []
  const isFree = (at: number): boolean => !taken.some((span) => isWithin(at, span))
  const endOf = (start: number, isIn: (line: Line) => boolean): number => {
    let end = start
    for (let line = lines[end]; line && isIn(line) && isFree(end) && !isFarStep(lines, start, end); line = lines[end])
      end++
    return end
  }
  for (let start = 0; start < lines.length; start++) {
    const first = lines[start]
    let end = endOf(start, (line) => isClearRow(line) || endsInValue(line))
    const clear = lines.slice(start, end).filter(isClearRow).length
    if (clear < 2) end = first ? endOf(start, (line) => isPair(line, first)) : start
    if (clear > 0 || end - start >= fewestRows) spans.push({ start, end, caption: null })
    start = Math.max(start, end - 1)
  }
  return spans
}

/** A name and one figure. */
function endsInValue({ segments }: Line): boolean {
  const last = segments[1]
  return segments.length === 2 && last !== undefined && last.gap > cellGap && isFigure(last.text)
}

const longestValue = 30

/** A name and one value, which begins or ends where that of the first row does. */
function isPair(line: Line | undefined, first: Line): boolean {
  if (line?.segments.length !== 2 || first.segments.length !== 2) return false
  const [name, value] = line.segments
  const other = first.segments[1]
  if (!name || !value || !other || beginsCaption(line) || line.rotation !== first.rotation) return false
  const isValue = /\d/u.test(value.text) && value.text.length <= longestValue && !/(?:\.\s?){3}/u.test(line.text)
  const [near, isAligned] = [0.3 * line.size, (one: number, two: number) => Math.abs(one - two) <= near]
  return isValue && value.gap > cellGap && (isAligned(value.x, other.x) || isAligned(value.end, other.end))
}

/** Numbers that only grow are those of pages, in a list of contents. */
function isCounted(lines: readonly Line[]): boolean {
  const numbers = lines.map(({ segments }) => Number(segments[1]?.text ?? ''))
  return numbers.every((number, at) => Number.isInteger(number) && number >= (numbers[at - 1] ?? 0))
}

function isFarStep(lines: readonly Line[], start: number, at: number): boolean {
  const [before, line] = [lines[at - 1], lines[at]]
  return at > start && before !== undefined && line !== undefined && isFar(before, line)
}

function isClearRow(line: Line | undefined): boolean {
  return line !== undefined && cellCount(line) >= 2 && !beginsCaption(line) && isRow(line)
}

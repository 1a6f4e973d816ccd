import type { Observation } from '../../events/index.ts'
import { type Figure, figuresIn } from '../../library/arithmetic/figure.ts'
import { equal, magnitude, negated, tenTo, times } from '../../library/arithmetic/fraction.ts'
import { type DecimalMark, decimalMarkOf } from '../../library/arithmetic/numeral.ts'
import type { Quantity } from '../../library/arithmetic/quantity.ts'
import { isEnglish } from '../../library/language/english.ts'
import { cellsOf, headerOf, isRow } from '../../library/language/table.ts'
import { type TableUnit, unitAbove, unitSaid } from './unit-line.ts'

/** A quote found on its page, as far as its figures need it. */
export interface FoundQuote {
  readonly quote: string
  /** Where it begins on its page, as the passage does. */
  readonly start: number
  readonly observation: Pick<Observation, 'text' | 'kind' | 'section' | 'start'> & Pick<Partial<Observation>, 'table'>
  /** The page around the quote. */
  readonly near: string
}

/** A figure of a formula, and the figure of a quote that it is. */
export interface Operand {
  readonly figure: Figure
  readonly quoted: QuotedFigure
}

/** A figure of a quote, with what its table says of it. */
export interface QuotedFigure {
  readonly figure: Figure
  readonly scale: number
  readonly unit: string | null
  readonly located: FoundQuote
  /** Which of the quotes has it. */
  readonly place: number
  /** The heading of its column; empty without a table. */
  readonly column: string
  /** The first cell of its row. */
  readonly row: string
  /** The headings of all columns, and the first cells of all rows. */
  readonly columns: readonly string[]
  readonly rows: readonly string[]
}

type Placed = Pick<QuotedFigure, 'scale' | 'unit' | 'column' | 'row' | 'columns' | 'rows'>

/** The mark before decimals in a document, by what stands around a quote. */
export function decimalMarkNear({ near, quote }: FoundQuote): DecimalMark {
  return decimalMarkOf(near) ?? (isEnglish(`${quote}\n${near}`) ? '.' : ',')
}

export function quotedFigures(located: readonly FoundQuote[]): readonly QuotedFigure[] {
  return located.flatMap((each, place) => {
    const table = tableAround(each)
    const cellAt = table === null ? null : cellsIn(table)
    return figuresIn(each.quote, decimalMarkNear(each)).map((figure) => ({
      figure,
      located: each,
      place,
      ...(table === null || cellAt === null ? plain(figure) : inTable(figure, table, cellAt(figure.start))),
    }))
  })
}

function plain({ scale, unit }: Figure): Placed {
  return { scale: scale ?? scaleOfUnit(unit), unit, column: '', row: '', columns: [], rows: [] }
}

interface Table {
  /** The line of the quote's first figure, up to the quote. */
  readonly before: string
  readonly quote: string
  readonly header: readonly string[]
  readonly rows: readonly string[]
  readonly unit: TableUnit
}

/** A unit line stands so close above the rows. */
const mostLinesAbove = 8

/** The table that a quote stands in; null if it stands in a text. */
function tableAround({ observation, near, quote, start }: FoundQuote): Table | null {
  const { text, kind } = observation
  if (kind !== 'table' && !isRow(quote) && !looksLikeRow(quote)) return null
  const offset = start - observation.start
  const at = text.startsWith(quote, offset) ? offset : text.indexOf(quote)
  const lines = text.split('\n')
  const above = near.slice(0, Math.max(0, near.indexOf(quote))).split('\n')
  const header = headerOf(lines)
  const isAbove = (line: string) => header.rows.includes(line) || !(isRow(line) || looksLikeRow(line))
  const own = [observation.section ?? '', observation.table ?? '', ...lines.slice(0, Math.max(0, header.body))]
  return {
    before: at < 0 ? '' : text.slice(text.lastIndexOf('\n', at - 1) + 1, at),
    quote,
    header: header.rows,
    rows: lines
      .slice(Math.max(0, header.body))
      .filter(isRow)
      .map((line) => cellsOf(line)[0] ?? ''),
    unit: unitAbove([...above.filter(isAbove).slice(-mostLinesAbove), ...own]),
  }
}

/** "Net sales 5,583 5,014 4,662", where the reader found no table. */
function looksLikeRow(quote: string): boolean {
  return (
    /\d[)%\s]{0,3}$/.test(quote) && (quote.match(/(?<![\d.,])\d[\d.,]*/g)?.length ?? 0) >= 2 && !/[.;]\s/.test(quote)
  )
}

interface Cell {
  readonly row: string
  readonly index: number
  /** Of all columns of its line. */
  readonly headings: readonly string[]
}

/** Which cell of the quoted lines a figure stands in, by its place in the quote. */
function cellsIn({ before, quote, header }: Table): (at: number) => Cell {
  const headers = header.map(cellsOf)
  let start = 0
  const lines = (before + quote).split('\n').map((line) => {
    const cells = cellsOf(line)
    const headings = cells.map((_, at) =>
      headers
        .map((each) => headingOf(each, at, cells.length))
        .join(' ')
        .trim(),
    )
    const from = start
    start += line.length + 1
    return {
      from,
      row: cells[0] ?? '',
      headings,
      bars: Array.from(line.matchAll(/ \| /g), ({ index }) => from + index),
    }
  })
  return (at) => {
    const place = before.length + at
    const line = lines.findLast(({ from }) => from <= place)
    const index = (line?.bars.findLastIndex((bar) => bar < place) ?? -1) + 1
    return { row: line?.row ?? '', headings: line?.headings ?? [], index }
  }
}

function inTable(figure: Figure, table: Table, { row, index, headings }: Cell): Placed {
  const column = headings[index] ?? ''
  const place = { column, row, columns: headings.slice(1), rows: table.rows }
  if (figure.scale !== null || figure.unit === 'percent') return { ...plain(figure), ...place }
  const said = [unitSaid(column), unitSaid(row)]
  const unit = figure.unit ?? said.find((each) => each.unit !== null)?.unit ?? null
  if (unit === 'percent') return { ...place, scale: -2, unit }
  const isSingle = isPerUnit(row) || isPerUnit(column)
  const scale = isSingle ? 0 : (said.find((each) => each.scale !== null)?.scale ?? table.unit.scale ?? 0)
  return { ...place, scale, unit: unit ?? (isSingle ? null : table.unit.unit) }
}

/** The heading above a cell; a header that lacks the corner is counted from its end. */
function headingOf(cells: readonly string[], index: number, width: number): string {
  return cells[cells.length === width ? index : index - (width - cells.length)] ?? ''
}

/** "Diluted earnings per share" is in no millions. */
function isPerUnit(text: string): boolean {
  return /\b(?:per share|per unit|je aktie|par action|por acción)\b/iu.test(text)
}

function scaleOfUnit(unit: string | null): number {
  return unit === 'percent' || unit === 'point' ? -2 : 0
}

/** What a figure of a formula stands for, if it is this one of a quote; null if it is another. */
export function standsFor(figure: Figure, quoted: QuotedFigure): Quantity | null {
  if (figure.unit !== null && quoted.unit !== null && figure.unit !== quoted.unit) return null
  if (figure.unit === 'percent' && quoted.unit === null) return null
  const scale = figure.scale ?? quoted.scale
  const value = times(figure.value, tenTo(scale))
  const theirs = times(quoted.figure.value, tenTo(quoted.scale))
  if (!equal(magnitude(value), magnitude(theirs))) return null
  return { value, scale, isSpelled: figure.scale !== null, unit: quoted.unit ?? figure.unit }
}

/** A figure of a quote as its own sign has it. */
export function signedValue({ figure, scale }: QuotedFigure) {
  const value = times(figure.value, tenTo(scale))
  return figure.isNegative ? negated(value) : value
}

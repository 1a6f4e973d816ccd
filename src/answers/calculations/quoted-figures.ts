import type { Observation } from '../../events/index.ts'
import { type Figure, figuresIn } from '../../library/arithmetic/figure.ts'
import { equal, magnitude, negated, tenTo, times } from '../../library/arithmetic/fraction.ts'
import { type DecimalMark, decimalMarkOf } from '../../library/arithmetic/numeral.ts'
import type { Quantity } from '../../library/arithmetic/quantity.ts'
import { isEnglish } from '../../library/language/english.ts'
import { cellsOf, headerOf, isRow } from '../../library/language/table.ts'
import { type TableUnit, unitAbove, unitLinesAbove, unitSaid } from './unit-line.ts'

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
function tableAround(located: FoundQuote): Table | null {
  const { observation, quote, start } = located
  const above = linesAbove(located)
  if (above === null) return null
  const { text } = observation
  const offset = start - observation.start
  const at = text.startsWith(quote, offset) ? offset : text.indexOf(quote)
  const { lines, header, headings } = above
  return {
    before: at < 0 ? '' : text.slice(text.lastIndexOf('\n', at - 1) + 1, at),
    quote,
    header: [...headings, ...header],
    rows: lines
      .slice(header.length)
      .filter(isRow)
      .map((line) => cellsOf(line)[0] ?? ''),
    unit: unitAbove([...above.near, ...above.own]),
  }
}

/** Lines above a table's passage that say what its figures are: their unit, and the years of its columns where it names none. */
export function headingsAbove(located: FoundQuote): readonly string[] {
  const above = linesAbove(located)
  const row = lineOf(located)
  // A sentence may end in figures as a row does.
  if (above === null || !(located.observation.kind === 'table' || isRow(row) || looksLikeRow(row))) return []
  const isInside = (line: string) => located.observation.kind === 'table' && above.lines.includes(line)
  const outside = above.all.filter((line) => !isInside(line) && !row.startsWith(line))
  const units = unitLinesAbove([...above.near.filter((line) => outside.includes(line)), ...above.own])
  const isNamed = above.header.some((line) => YEAR.test(line))
  const years = isNamed ? [] : outside.filter((line) => yearsAtEnd(line).length > 1).slice(-1)
  return outside.filter((line) => units.includes(line) || years.includes(line))
}

/** The whole line of the page that a quote begins on. */
function lineOf({ near, quote }: FoundQuote): string {
  const at = Math.max(0, near.indexOf(quote))
  const end = near.indexOf('\n', at)
  return near.slice(near.lastIndexOf('\n', at - 1) + 1, end < 0 ? near.length : end)
}

const YEAR = /(?<!\d)(?:19|20)\d\d(?!\d)/

/** What stands above a quote that is part of a table; null if it stands in a text. */
function linesAbove({ observation, near, quote }: FoundQuote) {
  const { text, kind, section, table } = observation
  if (kind !== 'table' && !isRow(quote) && !looksLikeRow(quote)) return null
  const lines = text.split('\n')
  const { rows, body } = headerOf(lines)
  const header = lines.slice(0, Math.max(0, body))
  const above = near.slice(0, Math.max(0, near.indexOf(quote))).split('\n')
  const isHeading = (line: string) => !lines.includes(line) && yearsAtEnd(line).length > 1
  const isAbove = (line: string) => rows.includes(line) || !(isRow(line) || looksLikeRow(line))
  return {
    all: above,
    lines,
    header,
    headings: above.filter(isHeading).slice(-mostLinesAbove),
    near: above.filter(isAbove).slice(-mostLinesAbove),
    own: [section ?? '', table ?? '', ...header],
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
  /** The heading of its column. */
  readonly column: string
  /** The headings of all columns of its line but the first. */
  readonly columns: readonly string[]
}

/** Which cell of the quoted lines a figure stands in, by its place in the quote. */
function cellsIn({ before, quote, header }: Table): (at: number) => Cell {
  let start = 0
  const lines = (before + quote).split('\n').map((line) => {
    const cells = cellsOf(line)
    const perLine = header.map((each) => headingsOf(cells, each))
    const headings = cells.map((_, at) =>
      perLine
        .map((each) => each[at] ?? '')
        .join(' ')
        .trim(),
    )
    const from = start
    start += line.length + 1
    return {
      from,
      row: cells[0] ?? '',
      headings,
      columns: headings.slice(1),
      bars: Array.from(line.matchAll(/ \| /g), ({ index }) => from + index),
    }
  })
  return (at) => {
    const place = before.length + at
    const line = lines.findLast(({ from }) => from <= place)
    const index = (line?.bars.findLastIndex((bar) => bar < place) ?? -1) + 1
    return { row: line?.row ?? '', column: line?.headings[index] ?? '', columns: line?.columns ?? [] }
  }
}

function inTable(figure: Figure, table: Table, { row, column, columns }: Cell): Placed {
  const place = { column, row, columns, rows: table.rows }
  if (figure.scale !== null || figure.unit === 'percent') return { ...plain(figure), ...place }
  const said = [unitSaid(column), unitSaid(row)]
  const unit = figure.unit ?? said.find((each) => each.unit !== null)?.unit ?? null
  if (unit === 'percent') return { ...place, scale: -2, unit }
  const isSingle = isPerUnit(row) || isPerUnit(column)
  const scale = isSingle ? 0 : (said.find((each) => each.scale !== null)?.scale ?? table.unit.scale ?? 0)
  return { ...place, scale, unit: unit ?? (isSingle ? null : table.unit.unit) }
}

const SYMBOLS = /^[$€£¥%()\s–—-]*$/

/**
 * What a line of a header says of each cell of a row: by place if it has as many cells, or lacks the corner; else by order,
 * if it has as many headings, or years at its end, as the row has figures. Signs in cells of their own are not counted.
 */
function headingsOf(cells: readonly string[], line: string): readonly string[] {
  const heads = cellsOf(line)
  const lacking = cells.length - heads.length
  if (isRow(line) && (lacking === 0 || lacking === 1)) return cells.map((_, at) => heads[at - lacking] ?? '')
  const figures = cells.flatMap((cell, at) => (at > 0 && /\d/.test(cell) ? [at] : []))
  const named = isRow(line) ? heads.filter((head) => !SYMBOLS.test(head)) : []
  const inOrder = [named, named.slice(1), yearsAtEnd(line)].find(({ length }) => length === figures.length) ?? []
  const headingAt = new Map(figures.map((at, order) => [at, inOrder[order]]))
  return cells.map((_, at) => headingAt.get(at) ?? '')
}

/** "Years ended June 30, 2023 2022" names two columns. */
function yearsAtEnd(line: string): readonly string[] {
  const run =
    /(?:(?<![\d.,])(?:19|20)\d\d\W{1,6}(?:\p{L}{3,9}\.? \d{1,2}, )?){1,9}$/u.exec(
      `${line.slice(-160).trimEnd()} `,
    )?.[0] ?? ''
  return run.match(/(?:19|20)\d\d/g) ?? []
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

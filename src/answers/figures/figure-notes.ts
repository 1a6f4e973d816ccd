import {
  type DecimalMark,
  decimalMarkOf,
  documentName,
  endWithout,
  type Figure,
  figuresIn,
  readingsOf,
  type TablePlace,
  tableAt,
  toNumber,
} from '../../library/index.ts'
import type { TabledEvidence } from '../quotes/quoted-table.ts'
import type { FigureSources } from './check-formulas.ts'

/** What a program knows of the figures of a claim, of which `computed` has the digits of the results of its formulas. */
export type FigureNotes = (claim: string, computed: readonly number[]) => readonly string[]

/**
 * Notes on figures over these sources, a line each, for the reader of a claim: which of them stand in cells of the passages'
 * tables, and which stand neither in the passages nor in the question, not even with more digits or in another scale, and are
 * no result. They decide nothing: such a figure may be counted or computed.
 */
export function notesOnFigures({ evidence, question }: FigureSources): FigureNotes {
  // A sentence may name its document by a title or a file with a figure in it.
  const names = new Set(evidence.map(({ observation }) => documentName(observation)))
  const texts = [question, ...names, ...evidence.map(({ observation }) => observation.text)]
  const markOfAll = once(() => decimalMarkOf(texts.join('\n')) ?? '.')
  // All claims of an answer are read over the same figures.
  const sourcesIn = {
    '.': once(() => figuresOf(texts, evidence, '.')),
    ',': once(() => figuresOf(texts, evidence, ',')),
  }
  return (claim, computed) => {
    const mark = decimalMarkOf(claim) ?? markOfAll()
    const figures = figuresIn(claim, mark, true)
      .slice(0, mostFigures)
      .filter((figure) => !isSmall(figure))
    if (figures.length === 0) return []
    const { values, cells } = sourcesIn[mark]()
    const placed = figures.filter((figure) => !isYear(figure)).flatMap((figure) => placesOf(figure, cells, computed))
    const isKnown = (figure: Figure) => [...computed, ...values].some((value) => isRounded(figure, value))
    const apart = figuresIn(claim, mark)
    const missing = figures.filter(
      (figure) => !isKnown(figure) && !apart.some((each) => isWithin(each, figure) && isKnown(each)),
    )
    return [
      ...[...new Set(placed)].slice(0, mostPlaced),
      ...new Set(missing.map(({ written }) => `${written.trim()} stands nowhere in these words`)),
    ]
  }
}

function figuresOf(texts: readonly string[], evidence: readonly TabledEvidence[], mark: DecimalMark) {
  const figures = texts.flatMap((text) => readingsOf(text, decimalMarkOf(text) ?? mark))
  return {
    values: [...new Set(figures.map(({ value }) => toNumber(value)))],
    cells: evidence.flatMap((passage) => cellsOf(passage, mark)),
  }
}

function once<T>(work: () => T): () => T {
  let done: { readonly value: T } | undefined
  return () => {
    done ??= { value: work() }
    return done.value
  }
}

const mostFigures = 12
/** Lines about cells under one claim. */
const mostPlaced = 6
/** A figure that stands in more cells is not told apart by them. */
const mostCells = 3
/** Passages that overlap have the same cells. */
const mostFound = 4 * mostCells

/** A number of things, which its writer may have counted. */
function isSmall({ value, decimals }: Figure): boolean {
  return decimals === 0 && toNumber(value) <= 10
}

function isWithin(one: Figure, other: Figure): boolean {
  return one.start >= other.start && one.end <= other.end
}

function isYear({ value, decimals, unit, scale }: Figure): boolean {
  return decimals === 0 && unit === null && scale === null && toNumber(value) >= 1900 && toNumber(value) < 2100
}

/** Digits enough for it not to come near other figures by chance. */
const TELLING = 100

/** A cell that holds a figure, beside the names of its row. */
interface FigureCell {
  readonly value: number
  readonly written: string
  readonly place: () => TablePlace | null
}

function cellsOf({ observation, tables = [] }: TabledEvidence, fallback: DecimalMark): readonly FigureCell[] {
  const textOf = ({ start, end }: { readonly start: number; readonly end: number }) =>
    observation.text.slice(Math.max(0, start - observation.start), Math.max(0, end - observation.start))
  const mark = decimalMarkOf(observation.text) ?? fallback
  return tables.flatMap((table) =>
    table.rows
      .flatMap(({ cells }) => cells)
      .filter(([column]) => !table.columns[column]?.isLabel)
      .flatMap(([, start, end]) =>
        readingsOf(textOf({ start, end }), mark).map(({ value, written }) => ({
          value: toNumber(value),
          written: written.trim(),
          place: () => tableAt([table], start, textOf),
        })),
      ),
  )
}

/** The cells with a figure as it is written, else in another scale, else rounded; none where there are many. */
function placesOf(figure: Figure, cells: readonly FigureCell[], computed: readonly number[]): readonly string[] {
  const shown = toNumber(figure.value)
  const isSame = (value: number) => Math.abs(value - shown) <= 1e-9 * shown
  const isScaled = (value: number) => POWERS.some((power) => isSame(value * 10 ** power))
  // A result stands in no cell that only comes near it.
  const isNear = (value: number) => !computed.some(isSame) && isRounded(figure, value)
  const ways = shown * 10 ** figure.decimals < TELLING ? [isSame] : [isSame, isScaled, isNear]
  const found =
    ways.map((isMeant) => cells.filter(({ value }) => isMeant(value))).find(({ length }) => length > 0) ?? []
  if (found.length > mostFound) return []
  const lines = new Set(found.map((cell) => lineOf(figure, cell)))
  return lines.size <= mostCells ? [...lines] : []
}

/** "5,583: row Net revenue, column Q1 2023, USD millions" */
function lineOf({ written, value }: Figure, cell: FigureCell): string {
  const { row = null, section = [], column, period = null, unit = null } = cell.place() ?? {}
  const rows = nameOf([...section, row ?? ''].filter((name) => name !== '').join(' > '))
  const columns = nameOf((column ?? []).join(' > '))
  const named = [...(rows ? [`row ${rows}`] : []), ...(columns ? [`column ${columns}`] : [])]
  const further = [period, unit].flatMap((each) => (each ? [nameOf(each)] : []))
  const figure = toNumber(value) === cell.value ? written.trim() : `${written.trim()} (${cell.written})`
  return `${figure}: ${[...named, ...further.filter((each) => !columns.includes(each))].join(', ')}`
}

const longestName = 120

/** A name of a table as part of a note in parentheses: its own could close the note, and open another. */
function nameOf(name: string): string {
  return name.slice(0, longestName).replace(/[(（]/g, '[').replace(/[)）]/g, ']')
}

/** Whether the figure has the digits of a value, as many as it shows, in whatever thousands or percent. */
function isRounded({ value, decimals }: Figure, real: number): boolean {
  const shown = toNumber(value)
  const half = stepOf(shown, decimals) / 2
  return POWERS.some((power) => Math.abs(Math.abs(real) * 10 ** power - shown) <= half * (1 + 1e-9))
}

const POWERS = [0, 2, 3, -3, 6, -6, 9, -9]

/** Of the last digit that counts: 0.1 of "11.3", 10 of "460". */
function stepOf(shown: number, decimals: number): number {
  if (decimals > 0) return 10 ** -decimals
  const digits = String(shown)
  const zeros = digits.length - endWithout(digits, (digit) => digit === '0')
  return 10 ** Math.min(zeros, digits.length - 2)
}

import { hasLetter } from '../language/characters.ts'
import type { TableRow } from '../port/document.ts'
import type { ViewedRow } from './cells.ts'
import { isFigure, isValue, nameIn } from './cells.ts'
import { isPeriod, periodIn } from './periods.ts'
import { isUnit, unitIn, unitOfLine } from './units.ts'

/** Lines, and columns, under which a row stands: each of its rows is stored with all of their names. */
const deepest = 4

/** The columns whose cells name rows, or groups of rows. */
export function labelColumns(body: readonly ViewedRow[]): ReadonlySet<number> {
  const main = isNumbering(body, 0) && isOfNames(body, 1) ? 1 : 0
  const labels = new Set([main])
  for (let column = main; labels.size < deepest && standsBeside(body, column); column += 1) labels.add(column + 1)
  return labels
}

function cellsIn(body: readonly ViewedRow[], column: number) {
  return body.flatMap(({ cells }) => cells.filter((cell) => cell.column === column))
}

/** "1", "2", "3": numbers of rows. */
function isNumbering(body: readonly ViewedRow[], column: number): boolean {
  const texts = cellsIn(body, column).map(({ text }) => text.replace(/[.)]$/u, ''))
  const isNext = (text: string, at: number) =>
    /^\d{1,4}$/u.test(text) && (at === 0 || Number(text) >= Number(texts[at - 1]))
  return texts.length > 1 && Number(texts[0]) <= 1 && texts.every(isNext)
}

function isOfNames(body: readonly ViewedRow[], column: number): boolean {
  const texts = cellsIn(body, column).map(({ text }) => text)
  const names = texts.filter((text) => hasLetter(text) && !isValue(text) && !isFigure(text))
  return names.length > 0 && names.length * 2 > texts.length
}

/** Whether the cells of a column are groups of the rows that the next one names. */
function standsBeside(body: readonly ViewedRow[], column: number): boolean {
  if (!isOfNames(body, column + 1)) return false
  const has = (row: ViewedRow, at: number) => row.cells.some((cell) => cell.column === at)
  const beside = body.filter((row) => has(row, column + 1) && row.cells.length > 1)
  const under = beside.filter((row) => !has(row, column)).length
  const grouped = beside.filter((row) => row.cells.some((cell) => cell.column === column && cell.isGroup)).length
  return under * 4 >= beside.length && under > 0 ? true : grouped * 2 > beside.length
}

export interface RowOptions {
  readonly labels: ReadonlySet<number>
  /** What the table's unit does not hold for: "per share data". */
  readonly exception: string | null
  /** Under which the first row stands. */
  readonly section?: readonly string[]
}

/** The rows of a table under the lines and groups that they stand under; lines that name none have no cells of values. */
export function rowsIn(
  body: readonly ViewedRow[],
  { labels, exception, section = [] }: RowOptions,
): readonly TableRow[] {
  const reader = new RowReader(labels, section)
  const units = unitColumn(body, labels)
  return body.map((row) => tableRow(row, { ...reader.nameOf(row), exception, units }))
}

/** A column with nothing but units says what the figures of its rows count in. */
function unitColumn(body: readonly ViewedRow[], labels: ReadonlySet<number>): number | null {
  const texts = new Map<number, string[]>()
  for (const { column, text } of body.flatMap(({ cells }) => cells)) {
    const known = texts.get(column)
    if (known) known.push(text)
    else texts.set(column, [text])
  }
  const isOfUnits = (all: readonly string[]) => all.length > 1 && all.every(isUnit)
  return [...texts].find(([column, all]) => !labels.has(column) && isOfUnits(all))?.[0] ?? null
}

interface Section {
  readonly name: string
  /** Whether no row has followed it. */
  readonly isOpen: boolean
}

/** Names rows one after the other. */
class RowReader {
  readonly #labels: ReadonlySet<number>
  /** The column that names rows; those before it name groups of them. */
  readonly #main: number
  #sections: readonly Section[]
  #groups = new Map<number, string>()

  constructor(labels: ReadonlySet<number>, section: readonly string[]) {
    this.#labels = labels
    this.#main = [...labels].at(-1) ?? 0
    this.#sections = section.slice(-deepest).map((name) => ({ name, isOpen: false }))
  }

  nameOf(row: ViewedRow): Pick<TableRow, 'label' | 'section'> {
    const named = row.cells.filter(({ column }) => this.#labels.has(column))
    const [only] = named
    if (only && row.cells.length === 1 && isSection(only.text)) return this.#open(nameIn(only.text))
    this.#sections = this.#sections.map(({ name }) => ({ name, isOpen: false }))
    for (const { column, text } of named) if (column !== this.#main) this.#groups.set(column, nameIn(text))
    const own = named.find(({ column }) => column === this.#main)
    const label = nameIn((own ?? named.at(-1))?.text ?? '')
    // A row that is named where groups are, as "Total", belongs to none.
    const groups = own || named.length === 0 ? [...this.#groups.values()] : []
    const section = [...this.#sections.map(({ name }) => name), ...groups]
    this.#sections = withoutClosed(this.#sections, label)
    return { label, section }
  }

  /** A line right below another divides it further. */
  #open(label: string): Pick<TableRow, 'label' | 'section'> {
    const above = this.#sections.filter(({ isOpen }) => isOpen).slice(1 - deepest)
    this.#sections = [...above, { name: label, isOpen: true }]
    this.#groups = new Map()
    return { label, section: above.map(({ name }) => name) }
  }
}

const longestSection = 120

/** No unit, no note below the table. */
function isSection(text: string): boolean {
  return (
    text.length <= longestSection &&
    !/[.;]$/u.test(text) &&
    !/^(?:\(\w{1,2}\)|[*†‡¹²³⁰-⁹])/u.test(text) &&
    unitOfLine(text) === null
  )
}

/** "Total current liabilities" ends what "Current liabilities:" began. */
function withoutClosed(sections: readonly Section[], label: string): readonly Section[] {
  const said = label.toLowerCase()
  const at = sections.findLastIndex(({ name }) => {
    const begun = said.endsWith(name.toLowerCase()) ? said.slice(0, -name.length).trim() : ''
    return begun !== '' && !begun.includes(' ')
  })
  return at < 0 ? sections : sections.slice(0, at)
}

interface Named extends Pick<TableRow, 'label' | 'section'> {
  readonly exception: string | null
  /** The column with the units of the rows. */
  readonly units: number | null
}

function tableRow({ start, end, cells }: ViewedRow, { label, section, exception, units }: Named): TableRow {
  const stated =
    unitIn(label) ??
    cells.find(({ column }) => column === units)?.text ??
    section
      .toReversed()
      .map(unitIn)
      .find((unit) => unit !== null) ??
    null
  const isExcepted = exception !== null && isMeant(exception, [label, ...section])
  return {
    ...{ start, end, label, section },
    unit: stated ?? (isExcepted ? '' : null),
    period: periodOf(label),
    cells: cells.map((cell) => [cell.column, cell.start, cell.end] as const),
  }
}

/** Of a label that is a period, or a word and a period: "Balance at December 31, 2022"; a year may be in a name. */
function periodOf(label: string): string | null {
  if (isPeriod(label)) return label
  const period = periodIn(label)
  const rest = period === null ? [] : (label.replace(period, ' ').match(/\p{L}+/gu) ?? [])
  return rest.length === 1 ? period : null
}

/** "Earnings per share" where the unit holds "except per share data", "Shares issued" where it does "except share data". */
function isMeant(exception: string, names: readonly string[]): boolean {
  const said = names.join(' ').toLowerCase()
  const words = new Set(said.match(/\p{L}+/gu))
  const per = exception.toLowerCase().match(/per[- ]\p{L}+/gu) ?? []
  const plain = exception.toLowerCase().replace(/per[- ]\p{L}+/gu, '')
  const counted = [...plain.matchAll(/\b(share|unit|percent)/gu)].map(([, word]) => word)
  return (
    per.some((phrase) => said.includes(phrase) || /\bper \p{L}{1,30} share\b/u.test(said)) ||
    counted.some((word) => ['s', 'age', 'ages'].some((ending) => words.has(`${word}${ending}`)))
  )
}

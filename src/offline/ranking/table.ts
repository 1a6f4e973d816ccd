import { type PageTable, tableAt } from '../../library/index.ts'

/** The tables on the page of a passage, which begins at `start` of it. */
export interface TablesAround {
  readonly start: number
  readonly tables: readonly PageTable[]
}

/** A row of a table, with what gives it its meaning. */
export interface TableRow {
  /** What its figures are about, with the lines that it stands under: "Current assets, Cash". */
  readonly label: string
  readonly caption: string
  /** Its cells but for the label. */
  readonly values: readonly TableValue[]
  /** The caption and the lines that name the columns, as they stand in the passage; empty where they do not. */
  readonly header: string
}

interface TableValue {
  /** The names above it, outermost first; empty if there are none. */
  readonly column: string
  /** As printed: "January–June 2023". */
  readonly period: string | null
  /** "CHF 3,128 million". */
  readonly amount: string
}

/** What lies at an offset of a passage: a row; `header` for what stands above the rows of a table; null outside of tables. */
export function rowAt(text: string, offset: number, { start, tables }: TablesAround): TableRow | 'header' | null {
  const textOf = (at: { readonly start: number; readonly end: number }) => text.slice(at.start - start, at.end - start)
  const place = tableAt(tables, start + offset, textOf)
  const part = tables.find((each) => each.start <= start + offset && start + offset < each.end)
  const row = part?.rows.find((each) => each.start <= start + offset && start + offset < each.end)
  if (!place || !part || !row) return place && 'header'
  const values = row.cells.flatMap(([column, begin, end]): TableValue[] => {
    const cell = part.columns[column]?.isLabel ? null : tableAt(tables, begin, textOf)
    if (!cell) return []
    const { column: path, period, unit } = cell
    return [{ column: (path ?? []).join(', '), period, amount: amountOf(textOf({ start: begin, end }), unit) }]
  })
  const head = { start: part.start, end: part.rows[0]?.start ?? part.end }
  return {
    label: [...row.section, row.label].filter((each) => each !== '').join(', '),
    caption: part.caption ?? '',
    values,
    header: head.start >= start ? textOf(head).trim() : '',
  }
}

/** "3,128" in "CHF million" is "CHF 3,128 million"; a unit that the cell prints itself is not said twice. */
function amountOf(value: string, unit: string | null): string {
  if (unit === null || !/\d/.test(value)) return value
  const words = unit.split(/\s+/)
  const missing = words.filter((word) => !value.toLowerCase().includes(word.toLowerCase()))
  const isMoney = (word: string) => /^(?:\p{Lu}{3}|[$€£¥])$/u.test(word)
  const [money, others] = [missing.filter(isMoney), missing.filter((word) => !isMoney(word))]
  const sign = money.some((each) => each.length === 1) ? '' : ' '
  return `${money.length > 0 ? money.join(' ') + sign : ''}${[value, ...others].join(' ').replace(/\s%$/, '%')}`
}

/** All that a table says of the figures in a row. */
export function contextOf({ label, caption, values }: TableRow): string {
  return [caption, label, ...values.map(({ column, period }) => `${column} ${period ?? ''}`)].join(' ')
}

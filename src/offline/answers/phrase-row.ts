import { contentStems } from '../../library/index.ts'
import type { AskedQuestion, Row } from '../parts/parts.ts'
import { yearsIn } from '../ranking/question.ts'

type Value = Row['values'][number]

/** "Nespresso, Sales, January–June 2023: CHF 3,128 million."; of several cells those whose columns the question names. */
export function phraseRow(row: Row, asked: AskedQuestion): string {
  const number = /^(Table|Tab\.|Figure|Fig\.)\s?[A-Z]?\d+(\.\d+)?/i.exec(row.caption)?.[0]
  const label = `${number ? `${number} — ` : ''}${row.label}`
  const cells = chooseCells(row, asked)
  const [only] = cells
  if (only && cells.length === 1) {
    const named = [label, columnOf(only)].filter((each) => each !== '').join(', ')
    return `${named}: ${only.amount.includes('*') ? only.amount : `**${only.amount}**`}.`
  }
  const said = cells.map((cell) => [columnOf(cell), cell.amount].filter((each) => each !== '').join(': '))
  return `${label === '' ? '' : `${label} — `}${said.join('; ')}.`
}

function columnOf({ column, period }: Value): string {
  return period === null || column.includes(period) ? column : [column, period].filter((each) => each !== '').join(', ')
}

/** The cells of the year that is asked for whose columns hold most of what is asked; all of the year, if none holds any. */
function chooseCells({ label, values }: Row, asked: AskedQuestion): readonly Value[] {
  const ofYear = values.filter((value) => yearsIn(columnOf(value)).some((year) => asked.years.has(year)))
  const possible = ofYear.length > 0 ? ofYear : values
  const ofKind = possible.filter((value) => isShare(value) === (asked.kind === 'share'))
  const eligible = ofKind.length > 0 ? ofKind : possible
  // What the label says already tells no column from another.
  const inLabel = new Set(contentStems(label))
  const wanted = new Set(asked.stems.filter((word) => !inLabel.has(word)))
  const rated = eligible.map((value) => ({
    value,
    named: new Set(contentStems(columnOf(value)).filter((word) => wanted.has(word))).size,
  }))
  const most = Math.max(...rated.map(({ named }) => named))
  if (most === 0) return eligible.length === 1 && asked.kind === 'share' ? eligible : possible
  return rated.filter(({ named }) => named === most).map(({ value }) => value)
}

/** A percentage, by its value or the name of its column. */
function isShare({ column, amount }: Value): boolean {
  return /%|percent/i.test(`${column} ${amount}`)
}

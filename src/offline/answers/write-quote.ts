import { contentStems, isOneParagraph } from '../../library/index.ts'
import type { AskedQuestion, Candidate, Row } from '../parts/parts.ts'
import { cite } from '../parts/parts.ts'
import { yearsIn } from '../ranking/question.ts'

/**
 * A candidate as it is shown, in the markup that the verification reads: the sentence that answers, then its neighbours; a
 * row with the names of its columns, and the header of its table quoted too. If it is sure, what answers is set in bold.
 */
export function writeQuote(quote: Candidate, passage: string, asked: AskedQuestion, isSure: boolean): string {
  const { id, row, text, snippet, start, end } = quote
  const shown = passage.slice(snippet.start, snippet.end)
  if (row) {
    return phraseRow(row, asked) + cite(id, row.header === '' ? [shown] : [shown, row.header])
  }
  const [before, after] = [passage.slice(snippet.start, start), passage.slice(end, snippet.end)]
  // Where what is shown has asterisks of its own, more of them would not read as bold.
  const isBold = isSure && !shown.includes('*') && !MARKED.test(text) && text !== shown
  const answer = isBold ? `**${text}**` : text
  const quoted = (words: string) => linesOf(words).map((line) => line + cite(id, [shown]))
  if (before.trim() === '') return quoted(before + answer + after).join('\n')
  // What is no sentence, such as a heading, says something with what follows it.
  if (!ENDS.test(text)) return [quoted(answer + after).join('\n'), quoted(before).join('\n')].join('\n\n')
  return [quoted(answer).join('\n'), [...quoted(before), ...quoted(after)].join('\n')].join('\n\n')
}

/** Items, rows, headings and what follows an empty line stay on lines of their own; others are joined. */
function linesOf(text: string): readonly string[] {
  const lines: string[] = []
  let before = ''
  for (const line of text.split('\n').map((each) => each.trim())) {
    const last = lines.at(-1)
    if (last !== undefined && before !== '' && line !== '' && isOneParagraph(before, line))
      lines[lines.length - 1] = `${last} ${line}`
    else if (line !== '') lines.push(line.replace(BULLET, '- '))
    before = line
  }
  return lines.map((line) => line.replaceAll(/\s+/g, ' '))
}

const BULLET = /^[•◦▪‣·*–—]\s+/
const MARKED = /^(?:[•◦▪‣·*–—-]|\(?\d{1,3}[.)])\s+\S/
const ENDS = /[.!?][”"’)\]]*\d*$/u

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

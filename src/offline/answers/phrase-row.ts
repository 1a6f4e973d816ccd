import type { AskedQuestion, ExtractiveParts, Row } from '../parts/parts.ts'

type Value = Row['values'][number]

/** A sentence of the answer and the words of its passage that support it. */
interface Claim {
  readonly text: string
  readonly quotes: readonly string[]
}

/**
 * "Table 2 — Not English: 15.2M"; of several columns, those that the question names. Where it is not certain which name
 * belongs to which value, the whole row as it stands, with the header quoted too.
 */
export function phraseRow(
  text: string,
  { label, values, table }: Row,
  asked: AskedQuestion,
  stemsOf: ExtractiveParts['contentStems'],
): Claim {
  const name = tableNumber(table.caption)
  const begun = `${name ? `${name} — ` : ''}${label}: `
  if (values.length <= 1) return { text: `${begun}${bold(values[0]?.value ?? '')}.`, quotes: [text] }
  const quotes = [text, table.headerText]
  if (values.some(({ column }) => column === null)) {
    return { text: `${begun}${values.map(({ value }) => value).join(' | ')}.`, quotes }
  }
  const chosen = chooseCells(label, values, asked, stemsOf)
  const cells = chosen.map(({ column, value }) => `${column} ${chosen.length === 1 ? bold(value) : value}`)
  return { text: `${begun}${cells.join(', ')}.`, quotes }
}

/** The cells whose columns hold most of what is asked for; all of them if the question names none. */
function chooseCells(
  label: string,
  values: readonly Value[],
  asked: AskedQuestion,
  stemsOf: ExtractiveParts['contentStems'],
): readonly Value[] {
  // What the label says already tells no column from another.
  const inLabel = new Set(stemsOf(label))
  const wanted = new Set(asked.stems.filter((word) => !inLabel.has(word)))
  const ofKind = values.filter(({ column, value }) => isShare(column, value) === (asked.kind === 'share'))
  const eligible = ofKind.length > 0 ? ofKind : values
  const rated = eligible.map((each) => ({
    each,
    named: new Set(stemsOf(each.column ?? '').filter((word) => wanted.has(word))).size,
  }))
  const most = Math.max(...rated.map(({ named }) => named))
  if (most === 0) return eligible.length === 1 && asked.kind === 'share' ? eligible : values
  return rated.filter(({ named }) => named === most).map(({ each }) => each)
}

/** A percentage, by its value or the name of its column. */
function isShare(column: string | null, value: string): boolean {
  return /%|percent/i.test(`${column} ${value}`)
}

function bold(value: string): string {
  return value === '' || value.includes('*') ? value : `**${value}**`
}

function tableNumber(caption: string): string | undefined {
  return /^(Table|Tab\.|Figure|Fig\.)\s?[A-Z]?\d+(\.\d+)?/i.exec(caption)?.[0]
}

import { tokens } from '../../library/language/terms.ts'

const MONTHS: ReadonlyMap<string, number> = new Map(
  [
    'january jan januar janner janvier enero',
    'february feb februar fevrier febrero',
    'march mar marz mars marzo',
    'april apr avril abril',
    'may mai mayo',
    'june jun juni juin junio',
    'july jul juli juillet julio',
    'august aug aout agosto',
    'september sep sept septembre septiembre',
    'october oct oktober okt octobre octubre',
    'november nov novembre noviembre',
    'december dec dezember dez decembre diciembre',
  ].flatMap((words, i) => words.split(' ').map((word): [string, number] => [word, i + 1])),
)
/** Other words too, unless a number stands beside them. */
const AMBIGUOUS = new Set(['may', 'march', 'mar', 'mars', 'sept', 'sep', 'dec', 'mai', 'jan', 'jun', 'oct', 'avril'])

/** A date in figures, and its parts; the two ways to read "03/04/2023" count both. */
export interface NumericDate {
  readonly start: number
  readonly end: number
  readonly months: readonly number[]
  readonly values: readonly number[]
}

const NUMERIC = /(?<![\d.,/-])(?:(\d{4})-(\d{1,2})-(\d{1,2})|(\d{1,2})([./])(\d{1,2})\5((?:\d{2}){1,2}))(?![\d/-])/g

export function numericDates(text: string): readonly NumericDate[] {
  return Array.from(text.matchAll(NUMERIC), ({ 0: written, index, ...parts }): NumericDate => {
    const [year, first, second] = (parts[1] ? [parts[1], parts[2], parts[3]] : [parts[7], parts[6], parts[4]]).map(Number)
    const both = parts[5] === '/' ? [first, second] : [first]
    const months = both.flatMap((month) => (month !== undefined && month >= 1 && month <= 12 ? [month] : []))
    const values = [year, first, second].flatMap((value) => (value === undefined ? [] : [value]))
    return { start: index, end: index + written.length, months, values }
  })
}

/** The months that a text names, in words or in figures, each with how it is written. */
export function monthsIn(text: string): readonly { readonly month: number; readonly written: string }[] {
  const words = tokens(text)
  const named = words.flatMap(({ word, start, end }, i) => {
    const month = MONTHS.get(word)
    const isBesideNumber = [words[i - 1], words[i + 1]].some((other) => /^\d/.test(other?.word ?? ''))
    return month === undefined || (AMBIGUOUS.has(word) && !isBesideNumber)
      ? []
      : [{ month, written: text.slice(start, end) }]
  })
  const numeric = numericDates(text).flatMap(({ start, end, months }) =>
    months.map((month) => ({ month, written: text.slice(start, end) })),
  )
  return [...named, ...numeric]
}

/** The first month of a sentence that none of these texts names, as written; null if there is none. */
export function missingMonth(sentence: string, texts: readonly string[]): string | null {
  const said = monthsIn(sentence)
  if (said.length === 0) return null
  const known = new Set(texts.flatMap(monthsIn).map(({ month }) => month))
  return said.find(({ month }) => !known.has(month))?.written ?? null
}

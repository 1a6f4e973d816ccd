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

/** A date or a time of day in figures, and its parts; the two ways to read "03/04/2023" are alternatives. */
export interface NumericDate {
  readonly start: number
  readonly end: number
  readonly months: readonly number[]
  /** Its year and day, or its hour and minutes: each may be one of several numbers. */
  readonly parts: readonly (readonly number[])[]
}

const NUMERIC = /(?<![\d.,/-])(?:(\d{4})-(\d{1,2})-(\d{1,2})|(\d{1,2})([./])(\d{1,2})\5((?:\d{2}){1,2}))(?![\d/-])/g
const TIME =
  /(?<![\d.,:])(\d{1,2})(?:[:.h]|\s?h\s?)(\d{2})(?=\s?(?:a\.?m|p\.?m|uhr|h(?:rs|eures)?\b|o.clock)|(?<=:\d\d)(?![\d:]))/giu

export function numericDates(text: string): readonly NumericDate[] {
  const dates = Array.from(text.matchAll(NUMERIC), ({ 0: written, index, ...groups }): NumericDate => {
    const year = Number(groups[1] ?? groups[7])
    const first = Number(groups[2] ?? groups[6])
    const second = Number(groups[3] ?? groups[4])
    const isOpen = groups[5] === '/'
    const months = (isOpen ? [first, second] : [first]).filter((month) => month >= 1 && month <= 12)
    const parts = [[year < 100 ? year + 2000 : year, year], isOpen ? [second, first] : [second]]
    return { start: index, end: index + written.length, months, parts }
  })
  const times = Array.from(text.matchAll(TIME), ({ 0: written, 1: hour, 2: minutes, index }): NumericDate => {
    return { start: index, end: index + written.length, months: [], parts: [[Number(hour)], [Number(minutes)]] }
  })
  return [...dates, ...times]
}

/** The months that a text names, in words or in figures, each with how it is written. */
function monthsIn(text: string): readonly { readonly months: readonly number[]; readonly written: string }[] {
  const words = tokens(text)
  const named = words.flatMap(({ word, start, end }, i) => {
    const month = MONTHS.get(word)
    const isBesideNumber = [words[i - 1], words[i + 1]].some((other) => /^\d/.test(other?.word ?? ''))
    return month === undefined || (AMBIGUOUS.has(word) && !isBesideNumber)
      ? []
      : [{ months: [month], written: text.slice(start, end) }]
  })
  const numeric = numericDates(text).map(({ start, end, months }) => ({ months, written: text.slice(start, end) }))
  return [...named, ...numeric.filter(({ months }) => months.length > 0)]
}

/** The first month of a sentence that none of these texts names, as written; null if there is none. */
export function missingMonth(sentence: string, texts: readonly string[]): string | null {
  const said = monthsIn(sentence)
  if (said.length === 0) return null
  const known = new Set(texts.flatMap(monthsIn).flatMap(({ months }) => months))
  return said.find(({ months }) => !months.some((month) => known.has(month)))?.written ?? null
}

import { tokens } from './terms.ts'

/** A number as it stands in a text. */
export interface WrittenNumber {
  /** As written, for a person to read. */
  readonly written: string
  readonly value: number
}

/**
 * The numbers that a text states: figures ("1,950", "81.1M", "87.2 %", "-3.5"), number words ("six", "three billion")
 * and the days, months and years of dates. Digits that only name something are left out: "GPT-4", "S2ORC", "Table 2",
 * footnote markers, the numbers of a list.
 */
export function numbersIn(text: string): readonly WrittenNumber[] {
  const blank = (name: string) => ' '.repeat(name.length)
  const body = text.replace(REFERENCE, blank).replace(NAME, blank)
  return [...figures(body), ...monthsIn(body), ...numberWords(body)]
}

/** True when every number of the sentence is stated by one of the quotes. */
export function numbersSupported(sentence: string, quotes: readonly string[]): boolean {
  return unsupportedNumbers(sentence, quotes).length === 0
}

/** The numbers of a sentence, as written, that none of the quotes states. */
export function unsupportedNumbers(sentence: string, quotes: readonly string[]): readonly string[] {
  const stated = new Set(quotes.flatMap(numbersIn).flatMap(readings))
  return numbersIn(sentence)
    .filter(({ written, value }) => written.toLowerCase() !== 'one' && !stated.has(value))
    .map((number) => number.written)
}

// Digits that are part of a reference, a marker or a name: read as words, checked as words.
const REFERENCE = new RegExp(
  [
    String.raw`\[\d{1,3}(?:\s?[,–-]\s?\d{1,3}){0,9}\]`,
    String.raw`\b(?:tables?|tab\.|figures?|figs?\.|sections?|secs?\.|chapters?|appendix|equations?|eqs?\.|pages?|pp?\.|footnotes?|steps?|parts?|rows?|columns?|§)\s?\(?\d[\d.]{0,9}(?:\s?[–-]\s?\d[\d.]{0,9})?[a-z]?\b`,
    String.raw`\bet al\.?,?\s\(?\d{4}[a-z]?`,
    String.raw`^\s{0,9}\(?\d{1,2}[.)]\s`,
  ].join('|'),
  'giu',
)
const NAME =
  /(?<![\p{L}\p{N}])(?:\p{L}{1,40}\d[\p{L}\p{N}]*(?:[-‐‑.]\d+)*|(?=[\p{L}@]{0,40}\p{Lu})[\p{L}@]{1,40}[-‐‑]?\d[\p{L}\p{N}]*(?:\.\d+)?)/gu

const FIGURE =
  /(?<![\p{L}\p{N}]|\p{N}[.,])([-−](?=[\d.]))?(\d{1,3}(?:[,\u00a0\u2009\u202f]\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)(?:\s?(k|m|b|bn|mn|hundred|thousand|million|billion|trillion)(?![\p{L}\p{N}]))?/giu

const SCALES: Readonly<Record<string, number>> = {
  k: 1e3,
  M: 1e6,
  mn: 1e6,
  B: 1e9,
  b: 1e9,
  bn: 1e9,
  hundred: 100,
  thousand: 1e3,
  million: 1e6,
  billion: 1e9,
  trillion: 1e12,
}

function figures(text: string): readonly WrittenNumber[] {
  return Array.from(text.matchAll(FIGURE), (match) => {
    const [written, sign, digits = '', scale = ''] = match
    const negative = sign !== undefined && isSign(text.slice(Math.max(0, match.index - 3), match.index))
    const factor = SCALES[scale] ?? SCALES[scale.toLowerCase() === 'm' ? scale : scale.toLowerCase()] ?? 1
    const value = exactly(Number(digits.replace(/[,\u00a0\u2009\u202f]/g, '')) * factor)
    return { written: written.trim(), value: negative ? -value : value }
  })
}

/** A minus joins a range or a word unless it stands apart, and no number before it. */
function isSign(before: string): boolean {
  return /(?:^|[\s([|=:,~±])$/.test(before) && !/[\p{N}%]\s*$/u.test(before)
}

/** 81.1 × 1,000,000 is 81,099,999.99999999 in binary: rounded to what was written. */
function exactly(value: number): number {
  return Number(value.toPrecision(12))
}

const MONTHS = 'january|february|march|april|may|june|july|august|september|october|november|december'.split('|')
const MONTH = new RegExp(
  `\\b(${MONTHS.join('|')})\\b(?=\\s\\d|,\\s\\d)|(?<=\\d(?:st|nd|rd|th)?\\s)(${MONTHS.join('|')})\\b`,
  'gi',
)

/** Months of written dates count as their number, so that "19 March" agrees with "03-19". */
function monthsIn(text: string): readonly WrittenNumber[] {
  return Array.from(text.matchAll(MONTH), ([written]) => ({
    written,
    value: MONTHS.indexOf(written.toLowerCase()) + 1,
  }))
}

const UNITS =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  )
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ')
const WORD_VALUES: ReadonlyMap<string, number> = new Map([
  ...UNITS.map((word, i): [string, number] => [word, i]),
  ...TENS.map((word, i): [string, number] => [word, (i + 2) * 10]),
  ['dozen', 12],
])
const WORD_SCALES: ReadonlyMap<string, number> = new Map([
  ['hundred', 100],
  ['thousand', 1e3],
  ['million', 1e6],
  ['billion', 1e9],
  ['trillion', 1e12],
])

/** Runs of number words, each read as one number. */
function numberWords(text: string): readonly WrittenNumber[] {
  const found: WrittenNumber[] = []
  const words = tokens(text)
  for (let i = 0; i < words.length; i += 1) {
    const first = words[i]
    if (!first || !WORD_VALUES.has(first.word)) continue
    let last = i
    while (continuesNumber(words[last + 1]?.word, text.slice(words[last]?.end, words[last + 1]?.start))) last += 1
    const run = words.slice(i, last + 1)
    found.push({ written: text.slice(first.start, run.at(-1)?.end), value: readWords(run.map((token) => token.word)) })
    i = last
  }
  return found
}

function continuesNumber(word: string | undefined, between: string): boolean {
  return word !== undefined && /^[\s-]$/.test(between) && (WORD_VALUES.has(word) || WORD_SCALES.has(word))
}

function readWords(words: readonly string[]): number {
  let total = 0
  let group = 0
  for (const word of words) {
    const scale = WORD_SCALES.get(word)
    if (scale === undefined) group += WORD_VALUES.get(word) ?? 0
    else if (scale === 100) group = (group || 1) * scale
    else {
      total += (group || 1) * scale
      group = 0
    }
  }
  return total + group
}

/** A sentence may leave out a sign that the quote has ("fell by 3.5" for "-3.5"), but not add one. */
function readings({ value }: WrittenNumber): readonly number[] {
  return value < 0 ? [value, -value] : [value]
}

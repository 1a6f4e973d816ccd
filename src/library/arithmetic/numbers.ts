import { wordsIn } from '../language/characters.ts'
import { tokens } from '../language/terms.ts'
import { plainDigits } from '../language/units.ts'
import { figuresIn } from './figure.ts'
import { tenTo, times, toNumber } from './fraction.ts'
import { decimalMarkOf } from './numeral.ts'

/** A number as it stands in a text. */
export interface WrittenNumber {
  readonly written: string
  readonly value: number
}

/**
 * The numbers that a text states: figures with their sign and scale ("81.1M", "-3.5", full-width ones too), and English number
 * words ("six", "three billion"). Digits that only name something are left out: "GPT-4", "S2ORC", "Table 2",
 * footnote markers, the numbers of a list; so are Roman numerals.
 */
export function numbersIn(text: string): readonly WrittenNumber[] {
  const body = withoutLabels(plainDigits(text))
  const figures = figuresIn(body, decimalMarkOf(body) ?? '.').map(({ written, value, scale, isNegative }) => {
    return { written, value: (isNegative ? -1 : 1) * toNumber(times(value, tenTo(scale ?? 0))) }
  })
  return [...figures, ...numberWords(body)]
}

/** The text with spaces for digits that only name something. */
function withoutLabels(text: string): string {
  const blank = (name: string) => ' '.repeat(name.length)
  const blankName = (name: string, letters: string) => (/\p{Lu}/u.test(letters) ? blank(name) : name)
  return text.replace(REFERENCE, blank).replace(LETTERS_AND_DIGITS, blank).replace(NAME, blankName)
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
const LETTERS_AND_DIGITS = /(?<![\p{L}\p{N}])\p{L}{1,40}\d[\p{L}\p{N}]*(?:[-‐‑.]\d+)*/gu
/** A name if there is a capital in its letters. */
const NAME = /(?<![\p{L}\p{N}@])([\p{L}@]{1,40})[-‐‑]?\d[\p{L}\p{N}]*(?:\.\d+)?/gu

const UNITS =
  wordsIn(`zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
  seventeen eighteen nineteen`)
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ')
const WORD_VALUES: ReadonlyMap<string, number> = new Map([
  ...UNITS.map((word, i): [string, number] => [word, i]),
  ...TENS.map((word, i): [string, number] => [word, (i + 2) * 10]),
  ['dozen', 12],
])

const WORD_SCALES: ReadonlyMap<string, number> = new Map(
  Object.entries({ hundred: 100, thousand: 1e3, million: 1e6, billion: 1e9, trillion: 1e12 }),
)

/** Numbers that are written as words. */
function numberWords(text: string): readonly WrittenNumber[] {
  const found: WrittenNumber[] = []
  const words = tokens(text)
  for (let i = 0; i < words.length; i += 1) {
    const first = words[i]
    if (!first || !WORD_VALUES.has(first.word)) continue
    let last = i
    while (continuesNumber(words[last + 1]?.word, text.slice(words[last]?.end, words[last + 1]?.start))) last += 1
    const run = words.slice(i, last + 1)
    found.push({ written: text.slice(first.start, words[last]?.end), value: readWords(run.map(({ word }) => word)) })
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

const ORDINALS =
  wordsIn(`zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth
  fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth`)

/** Which of `count` things a word picks, from 0: "second", "2nd", "2", "last", "former"; -1 if none. */
export function ordinalIndex(word: string, count: number): number {
  const plain = word.toLowerCase()
  if (plain === 'last' || plain === 'final') return count - 1
  if (plain === 'former') return 0
  if (plain === 'latter') return count === 2 ? 1 : count - 1
  const digits = /^(\d{1,2})(?:st|nd|rd|th)?$/.exec(plain)?.[1]
  const index = (digits === undefined ? ORDINALS.indexOf(plain) : Number(digits)) - 1
  return index >= 0 && index < count ? index : -1
}

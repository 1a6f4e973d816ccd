import { sentences } from '../../src/library/language/sentences.ts'
import type { KeptAnswer } from '../drafts/kept-answers.ts'
import { isNumber, numberIn, scaleOf } from './numbers.ts'

const BOLD = /\*\*([^*]+)\*\*/g
const MARKER = / ?\[(\d+)\]/g
const LIST = /^\s*(?:[-*•]|\d+[.)])\s/
/** A figure with its sign, currency and scale. */
const AMOUNT =
  /(?<![\p{L}\d.,])[-+(]?[$€£¥]?\s?\d+(?:,\d+)*(?:\.\d+)?\)?(?:\s?(?:%|percent|thousand|million|billion))?/giu
const YEAR = /^(?:19|20)\d\d$/

/** What of an answer is looked at, which is never what was wanted. */
export type Answered = Pick<KeptAnswer, 'answer'> &
  Partial<Pick<KeptAnswer, 'highlights' | 'citations' | 'calculations'>>

/**
 * The short answer in what was written: what stands in bold in the first sentence or list that has some, else the first figure of
 * the first sentence that is no year, else the year, else the sentence. A figure in it that a footnote computes is that formula's
 * result, to two decimals and with its sign; one that a footnote quotes from a table has the scale of the table, unless it says
 * one itself.
 */
export function predictionIn({
  answer,
  highlights = [],
  citations = [],
  calculations = [],
}: Answered): readonly string[] {
  const text = answer.replaceAll('−', '-')
  const { bold, markers } = highlights.length > 0 ? { bold: highlights, markers: [] } : firstBold(text)
  const own = <Note extends { readonly marker: number }>(notes: readonly Note[]) =>
    notes.filter(({ marker }) => markers.includes(marker))
  const inFull = (words: string) => computed(words, own(calculations)) ?? scaled(words, own(citations))
  if (bold.length > 0) return [...new Set(bold.map(trimmed))].filter((each) => each !== '').map(inFull)
  const plain = text.replaceAll(MARKER, '').trim()
  const sentence = trimmed(/^[^\n]*?(?:[.!?](?=\s|$)|$)/m.exec(plain)?.[0] ?? '')
  const amounts = Array.from(sentence.matchAll(AMOUNT), ([amount]) => amount.trim()).filter(isNumber)
  const first = amounts.find((amount) => !YEAR.test(amount)) ?? amounts[0] ?? sentence
  return first === '' ? [] : [first]
}

/** Words in bold with the numbers of the footnotes beside them: of the first sentence that has some, or of its list. */
function firstBold(text: string): { readonly bold: readonly string[]; readonly markers: readonly number[] } {
  const lines = text.split('\n')
  const at = lines.findIndex((line) => boldIn(line).length > 0)
  const line = lines[at] ?? ''
  const end = lines.findIndex((each, index) => index > at && !LIST.test(each))
  const isList = LIST.test(line)
  const part = isList ? lines.slice(at, end < 0 ? undefined : end).join('\n') : firstWithBold(line)
  return { bold: boldIn(part), markers: Array.from(part.matchAll(MARKER), ([, number]) => Number(number)) }
}

/** With the footnotes behind it, which stand at the beginning of the next. */
function firstWithBold(line: string): string {
  const all = sentences(line)
  const at = all.findIndex(({ start, end }) => boldIn(line.slice(start, end)).length > 0)
  const [start, end] = [all[at]?.start ?? 0, all[at]?.end ?? line.length]
  return line.slice(start, end) + (/^(?:\s*\[\d+\])+/.exec(line.slice(end))?.[0] ?? '')
}

function boldIn(text: string): readonly string[] {
  return Array.from(text.matchAll(BOLD), ([, words = '']) => words)
}

/** A figure as the formula that gives it at its digits; null for one that none gives, or for words. */
function computed(words: string, calculations: NonNullable<Answered['calculations']>): string | null {
  const [digits = ''] = isNumber(words) ? (/\d[\d,]*(?:\.\d+)?/.exec(words) ?? []) : []
  if (digits === '') return null
  const said = Number(digits.replaceAll(',', ''))
  const decimals = digits.split('.')[1]?.length ?? 0
  const factor = /%|percent/i.test(words) ? 100 : 1
  const results = calculations.flatMap(({ value }) => [value, value * factor])
  const result = results.find((each) => Math.abs(Math.abs(each) - said) <= 0.5001 * 10 ** -decimals)
  if (result === undefined) return null
  const isNegative = result < 0 || (numberIn(words)?.value ?? 0) < 0
  // The sign may stand behind that of the currency: "$-4.90".
  const [lead = ''] = /^\D+/.exec(words) ?? []
  const rest = words.slice(lead.length + digits.length).replace(')', '')
  const unsigned = `${lead.replaceAll(/[-+(\s]/g, '')}${Math.abs(result).toFixed(2)}${rest}`
  return `${isNegative ? '-' : ''}${unsigned}`
}

function scaled(words: string, citations: NonNullable<Answered['citations']>): string {
  const [digits] = isNumber(words) && !/[%a-z]/i.test(words) ? (/\d[\d,.]*/.exec(words) ?? []) : []
  if (digits === undefined) return words
  const unit = citations.find(({ quote, unit: own }) => own !== null && quote.includes(digits))?.unit ?? ''
  const scale = ['thousand', 'million', 'billion'].find((name) => unit.toLowerCase().includes(name))
  return scale !== undefined && scaleOf(scale) !== 1 ? `${words} ${scale}` : words
}

function trimmed(words: string): string {
  return words.trim().replace(/[.:;,]$/, '')
}

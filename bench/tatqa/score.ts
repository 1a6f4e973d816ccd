import type { Gold } from './contexts.ts'
import { isNumber, numberIn, rounded, scaleOf } from './numbers.ts'

/**
 * Exact match and F1 of a predicted answer, as the evaluation of TAT-QA (Zhu et al., ACL 2021) counts them: a number counts
 * with its scale and to two decimals of its own, several spans count as one in the order of their letters, F1 is that of the
 * sets of words, and where a number was to be computed there is no half.
 */
export function score(gold: Gold, spans: readonly string[]): { readonly exact: number; readonly f1: number } {
  if (spans.length === 0) return { exact: 0, f1: 0 }
  const wanted = joined(goldSpans(gold), gold.scale)
  const [only = ''] = spans
  // A percentage may be said as the share that it is, which has four decimals.
  const isShare = spans.length === 1 && !only.includes('%') && isNumber(only) && numberIn(only) !== null
  const said = [joined(spans, ''), ...(isShare ? [(numberIn(only)?.value ?? 0).toFixed(4)] : [])]
  const scores = said.map((each) => compared(each, wanted))
  const exact = Math.max(...scores.map((each) => each.exact))
  const best = Math.max(...scores.filter((each) => each.exact === exact).map(({ f1 }) => f1))
  return { exact, f1: gold.answer_type === 'arithmetic' || gold.answer_type === 'count' ? exact : best }
}

function goldSpans({ answer, answer_type }: Gold): readonly string[] {
  if (answer_type === 'count') return [String(Math.trunc(Number(answer)))]
  return [answer].flat().map(String)
}

/** Spans as one text, numbers in full. */
function joined(spans: readonly string[], scale: string): string {
  const sorted = spans.toSorted((one, other) => (one < other ? -1 : Number(one > other)))
  return sorted.map((span) => inFull(span, scale)).join(' ')
}

function inFull(span: string, scale: string): string {
  const number = isNumber(span) ? numberIn(span) : null
  if (number === null) return scale === '' ? span : `${span} ${scale}`
  if (span.includes('%')) return number.value.toFixed(4)
  return rounded(rounded(number.value, 2) * scaleOf(scale), 4).toFixed(4)
}

function compared(said: string, wanted: string): { readonly exact: number; readonly f1: number } {
  const [one, other] = [wordsOf(said), wordsOf(wanted)]
  const isSame = one.join(' ') === other.join(' ')
  return { exact: Number(isSame), f1: rounded(overlap(new Set(one), new Set(other)), 2) }
}

function overlap(said: ReadonlySet<string>, wanted: ReadonlySet<string>): number {
  const common = [...wanted].filter((word) => said.has(word)).length
  const precision = said.size === 0 ? 1 : common / said.size
  const recall = wanted.size === 0 ? 1 : common / wanted.size
  return precision + recall === 0 ? 0 : (2 * precision * recall) / (precision + recall)
}

const PUNCTUATION = /[!-/:-@[-`{-~]/g

/** Words in small letters, without articles and punctuation, numbers as such. */
function wordsOf(text: string): readonly string[] {
  return text
    .toLowerCase()
    .split(' ')
    .map((word) => (isNumber(word) ? numeral(word) : word.replaceAll(PUNCTUATION, '')))
    .flatMap((word) => word.replaceAll(/\b(?:a|an|the)\b/g, ' ').split(/\s+/))
    .filter((word) => word !== '')
}

function numeral(word: string): string {
  const number = numberIn(word)
  if (number === null) return word
  const isWhole = Number.isInteger(number.value)
  return `${number.value}${isWhole && !number.isWhole ? '.0' : ''}`
}

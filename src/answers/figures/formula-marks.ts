import { type DecimalMark, figureAt, parseExpression } from '../../library/index.ts'

/** A formula as its writer noted it. */
export interface NotedFormula {
  readonly formula: string
  /** What its writer says it gives; empty if that stands in the sentence alone. */
  readonly result: string
}

/** Characters that no text has; each stands for one formula. */
const FIRST_MARK = 0xfdd0
const mostFormulas = 32
const MARKS = /[\ufdd0-\ufdef]/g

const TAG = /<calc\b([^<>]{0,500})\/>|<calc\b([^<>]{0,500})>([^<]{0,300})<\/calc\s{0,9}>/gi
const FORMULA = /\bexpr(?:ession)?\s{0,3}=\s{0,3}(?:"([^"]{1,400})"|'([^']{1,400})')/i

/**
 * Takes `<calc expr="…">…</calc>` out of a draft. A mark is left in the sentence that it belongs to, behind the result or
 * before the full stop; what stands in the tag stays if the sentence does not say it before.
 */
export function withMarks(draft: string): { readonly text: string; readonly noted: readonly NotedFormula[] } {
  const noted: NotedFormula[] = []
  const source = draft.replace(MARKS, '')
  let text = ''
  let from = 0
  for (const { 0: tag, 1: closed, 2: open, 3: inner = '', index } of source.matchAll(TAG)) {
    const [, one, other] = FORMULA.exec(closed ?? open ?? '') ?? []
    const formula = (one ?? other ?? '').trim()
    const result = inner.trim()
    text += source.slice(from, index)
    from = index + tag.length
    if (formula === '' || noted.length >= mostFormulas) text += result
    else {
      const mark = String.fromCharCode(FIRST_MARK + noted.length)
      const place = placeBehind(text)
      const isRepeated = isSaid(result, text, { isEnd: place.isEnd, after: source.slice(from) })
      noted.push({ formula: withoutResult(formula), result })
      text = isRepeated ? text.slice(0, place.at) + mark + text.slice(place.at) : text + inner.trimEnd() + mark
    }
  }
  return { text: text + source.slice(from), noted }
}

/** Whether the sentence before the tag states its result; behind a full stop also where neither a word nor a stop follows the tag. */
function isSaid(result: string, before: string, { isEnd, after }: { isEnd: boolean; after: string }): boolean {
  if (result === '' || before.trimEnd().endsWith(result)) return true
  return isEnd && (before.slice(-longestSentence).includes(result) || !/^[^\S\n]{0,3}[\p{L}.,;:!?)]/u.test(after))
}

/** Characters. */
const longestSentence = 300

/** "1,875 + 689 = 2,564" within a tag: the result stands in the sentence too. */
function withoutResult(formula: string): string {
  return formula.split('=')[0]?.trim() || formula
}

/** Where the sentence before ends: before its stop and its citations. */
function placeBehind(text: string): { readonly at: number; readonly isEnd: boolean } {
  let at = text.trimEnd().length
  for (let opening = openingOf(text, at); opening >= 0; opening = openingOf(text, at)) {
    at = text.slice(0, opening).trimEnd().length
  }
  const isEnd = /[.!?]/.test(text.charAt(at - 1))
  return { at: isEnd ? at - 1 : at, isEnd }
}

/** Where the citation that ends here begins: `<cite …>…</cite>`, `<cite …/>`, `[P2]`; -1 if none ends here. */
function openingOf(text: string, end: number): number {
  if (text.endsWith(']', end)) {
    const opening = text.lastIndexOf('[', end)
    return end - opening < 200 ? opening : -1
  }
  const last = text.charAt(end - 1)
  return last === '>' && text.charAt(end - 2) !== '<' ? text.lastIndexOf('<cite', end) : -1
}

/** The sentence without marks, and its formulas: the marked ones, and those that it spells out ("2 + 3 = 5"). */
export function formulasIn(
  sentence: string,
  noted: readonly NotedFormula[],
  mark: DecimalMark,
): { readonly text: string; readonly formulas: readonly NotedFormula[] } {
  const marked = Array.from(sentence.matchAll(MARKS), ([each]) => noted[each.charCodeAt(0) - FIRST_MARK] ?? [])
  const text = sentence.replace(MARKS, '')
  return { text, formulas: [...marked.flat(), ...spelledIn(text, mark)] }
}

/** Up to the digit of the result. */
const EQUALS = /[=≈≅][\s$€£¥(~≈\p{Lu}]{0,6}[-−–]?(?=\d)/gu

function spelledIn(text: string, mark: DecimalMark): readonly NotedFormula[] {
  const results = Array.from(text.matchAll(EQUALS)).slice(0, mostFormulas)
  return results.flatMap(({ 0: equals, index }): readonly NotedFormula[] => {
    const formula = formulaBefore(text, index)
    const expression = parseExpression(formula, mark)
    const result = figureAt(text, index + equals.length, mark)
    if (expression?.kind !== 'operation' || result === null) return []
    return [{ formula, result: text.slice(index + 1, result.end).trim() }]
  })
}

/** The longest stretch before this place that holds figures, operators and units only. */
function formulaBefore(text: string, end: number): string {
  const words = text.slice(Math.max(0, end - 400), end)
  const foreign = Array.from(words.matchAll(/[\p{L}][\p{L}.]*|[^\s\d()+*×·⋅/÷^.,'’%$€£¥−–:-]/gu)).findLast(
    ({ 0: word, index }) => !isPartOfFigure(words, index, word),
  )
  const from = foreign ? foreign.index + foreign[0].length : 0
  const formula = words.slice(from).replace(/^[\s.,:;)*/+×·-]+/u, '')
  const isOpen = formula.split('(').length < formula.split(')').length
  return (isOpen ? `(${formula}` : formula).trim()
}

/** A scale or a unit behind a figure, or a currency before one. */
function isPartOfFigure(text: string, at: number, word: string): boolean {
  const isBehind = /\d[\s-]?(?:\p{L}{1,12}\s)?$/u.test(text.slice(Math.max(0, at - 16), at))
  return (isBehind && word.length < 12) || /^\s?\d/.test(text.slice(at + word.length))
}

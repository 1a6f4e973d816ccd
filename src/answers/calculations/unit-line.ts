import { scaleOf } from '../../library/arithmetic/figure.ts'
import { isCurrency } from '../../library/arithmetic/quantity.ts'
import { unitNamed } from '../../library/language/units.ts'

/** In what the figures of a table are given. */
export interface TableUnit {
  /** The power of ten; null if nothing is said. */
  readonly scale: number | null
  readonly unit: string | null
}

/**
 * What a heading says of the figures below it: "(in millions, except per share data)", "Mio. Euro", "$ thousands", "%".
 * A scale behind a figure belongs to that figure.
 */
export function unitSaid(line: string): TableUnit {
  let scale: number | null = null
  let unit: string | null = null
  let before = ''
  for (const { 0: word, index } of line.matchAll(/\p{L}+|[$€£¥%]|\d[\d.,]*/gu)) {
    const isNumber = /^\d/.test(word)
    if (!/^\d/.test(before)) scale ??= scaleIn(word, before)
    const isIntroduced = /[([]$/.test(line.slice(0, index)) || INTRODUCING.test(before) || scaleOf(before) !== null
    if (!isNumber && !/^\d/.test(before)) unit ??= unitIn(word, isIntroduced)
    before = word
  }
  return { scale, unit }
}

const INTRODUCING = /^(?:in|en|de)$/i

/** "Day shift" is in no days: other units than of money and shares are introduced, as in "(kg)" and "en toneladas". */
function unitIn(word: string, isIntroduced: boolean): string | null {
  const unit = unitNamed(word)
  return isIntroduced || unit === 'percent' || isCurrency(unit) ? unit : null
}

function scaleIn(word: string, before: string): number | null {
  if (/^000s?$/.test(word)) return 3
  if (/^TEUR$/.test(word)) return 3
  if (isCurrency(unitNamed(before)) && /^(?:m|bn|k)$/i.test(word))
    return { m: 6, bn: 9, k: 3 }[word.toLowerCase()] ?? null
  return word.length > 1 && word !== 'mil' && word !== 'md' ? scaleOf(word) : null
}

const longestUnitLine = 200
const shortLine = 40

/** The unit that is stated closest above these rows: in a short line, in parentheses, or behind "in". */
export function unitAbove(lines: readonly string[]): TableUnit {
  const { scaled, measured } = statedAbove(lines)
  return { scale: scaled?.scale ?? null, unit: measured?.unit ?? null }
}

/** The lines that state it, in their order. */
export function unitLinesAbove(lines: readonly string[]): readonly string[] {
  const { scaled, measured } = statedAbove(lines)
  const stating = new Set([scaled?.line, measured?.line])
  return lines.filter((line) => stating.has(line))
}

function statedAbove(lines: readonly string[]) {
  const near = lines.filter((line) => line.length <= longestUnitLine).reverse()
  const said = near.filter(isStatement).map((line) => ({ line, ...unitSaid(line) }))
  return {
    scaled: said.find(({ scale }) => scale !== null),
    measured: said.find(({ unit }) => unit !== null && unit !== 'percent'),
  }
}

function isStatement(line: string): boolean {
  return line.length < shortLine || /[([]/.test(line) || isIntroduced(line)
}

/** "in millions", "en milliers", "Angaben in Mio. Euro", "expressed in thousands". */
function isIntroduced(line: string): boolean {
  return /(?:^|[\s(])(?:in|en)\s+(?:\$|€|£|US\$|\p{L}{1,12}\.?)/iu.test(line)
}

import { stripVTControlCharacters } from 'node:util'
import { plainText } from '../../plain-text.ts'

export { plainText }

/** The same on one line, so that a file name or a model's text cannot look like a message of Quaero. */
export function plainLine(text: string): string {
  return plainText(text).replace(/[\n\t\u2028\u2029]+/g, ' ')
}

/** The same for several lines: all but the first are indented, so that a model's text cannot look like a message of Quaero. */
export function plainLines(text: string): string {
  return plainText(text).replace(/\n/g, '\n  ')
}

/** The columns of a terminal that a line fills: none for styles and accents, two for East Asian characters and emoji. */
export function columnsOf(line: string): number {
  const text = stripVTControlCharacters(line)
  if (narrowOnly.test(text)) return text.length
  return [...graphemes.segment(text)].reduce((sum, { segment }) => sum + columnsOfGrapheme(segment), 0)
}

/** Fills a line with spaces up to so many columns. */
export function padded(line: string, width: number, side: 'left' | 'right' | 'center' = 'left'): string {
  const missing = Math.max(0, width - columnsOf(line))
  const before = { left: 0, right: missing, center: Math.floor(missing / 2) }[side]
  return `${' '.repeat(before)}${line}${' '.repeat(missing - before)}`
}

/** The beginning of a line without styles that fits into so many columns. */
export function cutTo(line: string, width: number): string {
  let left = width
  for (const { segment, index } of graphemes.segment(line)) {
    left -= columnsOfGrapheme(segment)
    if (left < 0) return line.slice(0, index)
  }
  return line
}

/**
 * Breaks a line between words, and between East Asian characters, at `width` columns; every line but the first begins
 * with `indent`. A longer word stays whole.
 */
export function wrapped(line: string, width: number, indent = ''): string {
  if (columnsOf(line) <= width) return line
  const lines: string[] = []
  let current = ''
  let filled = 0
  for (const { text, space } of piecesOf(line)) {
    const columns = columnsOf(text)
    if (filled > 0 && filled + space.length + columns > width) {
      lines.push(current)
      current = indent + text
      filled = indent.length + columns
    } else {
      current += space + text
      filled += space.length + columns
    }
  }
  return [...lines, current].join('\n')
}

/** What stays on one line, with the space before it. */
function piecesOf(line: string): readonly { readonly text: string; readonly space: '' | ' ' }[] {
  return line
    .split(' ')
    .flatMap((word, at) => word.split(breaks).map((text, nth) => ({ text, space: at > 0 && nth === 0 ? ' ' : '' })))
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })
const narrowOnly = /^[\u0020-\u02ff\u1e00-\u1fff\u2010-\u22ff]*$/u
// East Asian Width W and F (Unicode Standard Annex 11), by their blocks.
const wide =
  '\\u1100-\\u115f\\u2e80-\\u303e\\u3041-\\ua4cf\\uac00-\\ud7a3\\uf900-\\ufaff\\ufe30-\\ufe6f\\uff00-\\uff60\\uffe0-\\uffe6\\u{20000}-\\u{3fffd}'
const wideGrapheme = new RegExp(`[${wide}\\ufe0f]|\\p{Emoji_Presentation}`, 'u')
const invisible = /^[\p{Mark}\p{Cf}]*$/u
/** Behind a wide character, but not behind an opening bracket, nor before a mark that ends something, nor before a style. */
const breaks = new RegExp(`(?<=[${wide}])(?<![\\p{Ps}\\p{Pi}])(?![\\p{Pe}\\p{Pf}\\p{Po}\\u001b])`, 'u')

function columnsOfGrapheme(segment: string): number {
  if (wideGrapheme.test(segment)) return 2
  return invisible.test(segment) ? 0 : 1
}

import type { BodyType, Line } from './lines.ts'

const numbered = /^(\d{1,2}(?:\.\d{1,2}){0,4})\.?\s+\p{Lu}/u
const lettered = /^((?:Appendix\s+)?[A-Z](?:\.\d{1,2}){0,3})[.:]?\s+\p{Lu}/u
const roman = /^[IVX]{1,5}\.\s+\p{Lu}/u
const knownName =
  /^(?:abstract|summary|introduction|background|related works?|prior work|motivation|methods?|methodology|materials and methods|approach|model|data|datasets?|experiments?|experimental (?:setup|results)|setup|evaluation|results|results and discussion|findings|discussion|analysis|limitations|future work|conclusions?|conclusions? and future work|concluding remarks|acknowledge?ments?|references|bibliography|appendix|appendices|supplementary material|ethics statement|contents|table of contents|executive summary|funding|author contributions)\s*:?$/i
const largerThanBody = 1.08
const clearlyLarger = 1.18
const mostWords = 16
const mostCharacters = 120

/**
 * The depth of a heading, 1 outermost; null for other lines. A heading is numbered or has a known name, in a font other
 * than the running text's or more than 1.08 times its size; or has any wording if it is clearly larger, or if the table of
 * contents lists it.
 */
export function headingLevel(line: Line, body: BodyType, isListed: boolean): number | null {
  if (!canBeHeading(line, body)) return null
  const level = levelOf(line.text)
  if (level !== null) return level
  if (isListed) return /^\d{1,3}(?:\.\d{1,3})*/.exec(line.text)?.[0].split('.').length ?? 1
  return line.size >= clearlyLarger * body.size ? 1 : null
}

function canBeHeading(line: Line, body: BodyType): boolean {
  const { text } = line
  const stands = line.font !== body.font || line.size > largerThanBody * body.size
  if (!stands || line.size < 0.9 * body.size || line.rotation !== 0) return false
  if (text.length > mostCharacters || text.split(' ').length > mostWords || !/\p{L}{2}/u.test(text)) return false
  return !/[,;]$/u.test(text) && line.segments.length <= 3 && !isContentsEntry(line) && !endsLikeSentence(text)
}

// "4.2 Results ..... 17": a line of the table of contents.
function isContentsEntry(line: Line): boolean {
  const last = line.segments.at(-1)
  return /(?:\.\s?){4}/u.test(line.text) || (line.segments.length > 1 && /^\d{1,4}$/u.test(last?.text ?? ''))
}

/** Whether a line continues the heading in the line before. */
export function continuesHeading(before: Line, line: Line, body: BodyType): boolean {
  const drop = before.y - line.y
  const isDistinct = line.size > largerThanBody * body.size || before.font !== body.font
  return (
    isDistinct &&
    line.font === before.font &&
    Math.abs(line.size - before.size) < 0.2 &&
    drop > 0 &&
    drop < line.size * 1.6 &&
    levelOf(line.text) === null &&
    line.x >= before.x - 0.5 * line.size
  )
}

/** The name of a section that papers commonly have, with or without a number. */
export function isSectionName(text: string): boolean {
  return levelOf(text) !== null
}

function levelOf(text: string): number | null {
  const number = numbered.exec(text)?.[1]
  if (number) return number.split('.').length
  const letter = lettered.exec(text)?.[1]
  if (letter && text.split(' ').length <= 10) return letter.split('.').length
  return roman.test(text) || knownName.test(text) ? 1 : null
}

function endsLikeSentence(text: string): boolean {
  return /[.!]$/u.test(text) && !knownName.test(text.slice(0, -1))
}

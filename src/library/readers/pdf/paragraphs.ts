import type { BodyType, Line } from './lines.ts'
import { beginsCaption } from './tables.ts'

const bullet = /^(?:[•◦▪●○■–*·]|[-—]\s|\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)]\s|\[\d+\])/u
const sentenceEnd = /[.!?:;…]["'”’»)\]]*[\d⁰¹²³⁴-⁹]{0,3}$/u

// The expression has no anchor at its start, so on the whole text it would try every punctuation mark.
function isFinished(line: Line): boolean {
  return sentenceEnd.test(line.text.slice(-12))
}

/** Joins lines of running text to paragraphs. */
export function paragraphs(lines: readonly Line[], body: BodyType): Line[][] {
  const found: Line[][] = []
  for (const line of lines) {
    const open = found.at(-1)
    if (open && continues(open, line, body)) open.push(line)
    else found.push([line])
  }
  return found
}

/** Where the caption that begins at `start` ends: at the first line that does not continue it. */
export function captionEnd(lines: readonly Line[], start: number, body: BodyType): number {
  const first = lines[start]
  let end = start + 1
  while (first && end < lines.length) {
    const [before, line] = [lines[end - 1], lines[end]]
    if (!before || !line || hasCells(line) || !continues(lines.slice(start, end), line, body)) break
    // The last line of a caption is usually shorter than the others.
    if (isFinished(before) && before.end < widest(lines.slice(start, end)) - 2 * before.size) break
    end++
  }
  return end
}

/** Names of columns; a line that fills its column may have been stretched. */
function hasCells({ segments, text }: Line): boolean {
  return segments.length > (text.length > mostOfNames ? 2 : 1)
}

const mostOfNames = 80

function widest(lines: readonly Line[]): number {
  return lines.reduce((most, line) => Math.max(most, line.end), Number.NEGATIVE_INFINITY)
}

function continues(open: readonly Line[], line: Line, body: BodyType): boolean {
  const before = open.at(-1)
  const first = open[0]
  if (!before || !first || beginsCaption(line) || before.rotation !== line.rotation) return false
  const drop = before.y - line.y
  if (Math.abs(before.size - line.size) > 0.08 * before.size) return false
  if (drop < -0.5 * line.size) return beginsColumn(before, line)
  if (drop > Math.max(before.size, line.size) * Math.max(body.pitch, 1.15) * 1.32) return false
  if (bullet.test(line.text) && isFinished(before)) return false
  return !isIndented(open, line) && !followsShortLine(open, line)
}

// The text jumps up to the next column: the paragraph continues there unless its sentence has ended.
function beginsColumn(before: Line, line: Line): boolean {
  return line.x > before.x && !isFinished(before)
}

function isIndented(open: readonly Line[], line: Line): boolean {
  const before = open.at(-1)
  const first = open[0]
  if (!before || !first) return false
  const indent = (line.x - before.x) / line.size
  const hangs = open.length > 1 ? (open[1]?.x ?? 0) > first.x + 0.5 * line.size : bullet.test(first.text)
  if (hangs) return indent < -0.5 && line.x <= first.x + 0.3 * line.size
  return indent > 0.7 && isFinished(before)
}

const shortByEms = 4

function followsShortLine(open: readonly Line[], line: Line): boolean {
  const before = open.at(-1)
  if (!before || !isFinished(before) || !/^[\p{Lu}\p{N}"“([]/u.test(line.text)) return false
  return before.end < Math.max(line.end, widest(open)) - shortByEms * line.size
}

import type { Box, PrintedText } from '../../port/document.ts'
import type { Line } from './lines.ts'

/** How far letters reach below and above their baseline, in ems. */
const below = 0.22
const above = 0.78

/** The parts of a line between wide gaps, each with its rectangle on the page. */
export function printedTexts({ segments, y, size, rotation }: Line): readonly PrintedText[] {
  return segments.map(({ text, x, end }) => ({
    text,
    box: turned([x, y - below * size, end, y + above * size], rotation),
  }))
}

/** Cosine and sine of 0, 1, 2 and 3 quarter turns. */
const directions: readonly (readonly [number, number])[] = [
  [1, 0],
  [0, 1],
  [-1, 0],
  [0, -1],
]

/** A rectangle along the direction of writing, in the axes of the page; to a tenth of a point. */
function turned([x0, y0, x1, y1]: Box, quarterTurns: number): Box {
  const [cos, sin] = directions[((quarterTurns % 4) + 4) % 4] ?? [1, 0]
  const corners = [
    [x0 * cos - y0 * sin, x0 * sin + y0 * cos],
    [x1 * cos - y1 * sin, x1 * sin + y1 * cos],
  ]
  const side = (at: 0 | 1) => corners.map((corner) => Math.round(10 * (corner[at] ?? 0)) / 10)
  return [Math.min(...side(0)), Math.min(...side(1)), Math.max(...side(0)), Math.max(...side(1))]
}

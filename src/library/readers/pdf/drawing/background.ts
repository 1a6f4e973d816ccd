/** Red, green and blue in one number; null for a pattern, a picture, or what one sees through. */
export type Colour = number | null

const white = 0xffffff
/** How far each part of two colours may differ, of 255, so that nobody tells them apart. */
const nearly = 12
/** Lines and borders are no background: no text fits on them. In points. */
const thinnest = 2

/** What was painted on a page so far. */
export class Background {
  readonly #painted: { readonly box: Box; readonly colour: Colour }[] = []
  readonly #colours = new Set<number>([white])

  paint(box: Box, colour: Colour): void {
    const [left, bottom, right, top] = box
    if (isEmpty(box) || right - left < thinnest || top - bottom < thinnest) return
    this.#painted.push({ box, colour })
    if (colour !== null) this.#colours.add(colour)
  }

  /** Whether a text of this colour cannot be told from what is below both of its ends. The page is white. */
  hides([left, bottom, right, top]: Box, colour: Colour): boolean {
    if (colour === null || ![...this.#colours].some((each) => isNear(each, colour))) return false
    const y = (bottom + top) / 2
    const inset = Math.min(1, (right - left) / 4)
    return [left + inset, right - inset].every((x) => {
      const below = this.#painted.findLast(({ box }) => contains(box, x, y))
      const found = below ? below.colour : white
      return found !== null && isNear(found, colour)
    })
  }
}

function isNear(one: number, other: number): boolean {
  return [16, 8, 0].every((shift) => Math.abs(((one >> shift) & 255) - ((other >> shift) & 255)) <= nearly)
}

/** As PDF writes it (ISO 32000, 8.3.3). */
export type Matrix = readonly [number, number, number, number, number, number]
/** Left, bottom, right, top. */
export type Box = readonly [number, number, number, number]

export const identity: Matrix = [1, 0, 0, 1, 0, 0]
export const everywhere: Box = [-1e9, -1e9, 1e9, 1e9]

/** What `inner` does first and `outer` then. */
export function multiply(outer: Matrix, inner: Matrix): Matrix {
  const [a, b, c, d, e, f] = outer
  const [g, h, i, j, k, l] = inner
  return [a * g + c * h, b * g + d * h, a * i + c * j, b * i + d * j, a * k + c * l + e, b * k + d * l + f]
}

/** The box around a box that a matrix has moved. */
export function moved([left, bottom, right, top]: Box, [a, b, c, d, e, f]: Matrix): Box {
  const xs = [a * left + c * bottom, a * right + c * bottom, a * left + c * top, a * right + c * top]
  const ys = [b * left + d * bottom, b * right + d * bottom, b * left + d * top, b * right + d * top]
  return [Math.min(...xs) + e, Math.min(...ys) + f, Math.max(...xs) + e, Math.max(...ys) + f]
}

/** What two boxes have in common; its right is left of its left if that is nothing. */
export function common(one: Box, other: Box): Box {
  return [
    Math.max(one[0], other[0]),
    Math.max(one[1], other[1]),
    Math.min(one[2], other[2]),
    Math.min(one[3], other[3]),
  ]
}

export function isEmpty([left, bottom, right, top]: Box): boolean {
  return right <= left || top <= bottom
}

export function contains([left, bottom, right, top]: Box, x: number, y: number): boolean {
  return x >= left && x <= right && y >= bottom && y <= top
}

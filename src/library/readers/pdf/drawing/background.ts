import { type Box, contains, isEmpty } from './boxes.ts'

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

import type { Interval } from '../../tables/intervals.ts'

/** A text at a place across the page. */
export interface Cell extends Interval {
  readonly text: string
}

export function joined(one: Cell, other: Cell, by: string): Cell {
  return {
    text: `${one.text}${by}${other.text}`,
    from: Math.min(one.from, other.from),
    to: Math.max(one.to, other.to),
  }
}

export function middleOf({ from, to }: Interval): number {
  return (from + to) / 2
}

/** The words of a cell in the columns over which they stand, as far as their letters tell how wide each is. */
export function dividedAt(
  cell: Cell,
  columns: readonly Interval[],
  { first, end }: { first: number; end: number },
): readonly (Cell | null)[] {
  const own = columns.slice(first, end)
  const parts = own.map((): Cell | null => null)
  const scale = (cell.to - cell.from) / widthOfText(cell.text)
  let from = cell.from
  for (const text of cell.text.split(' ')) {
    const word = { text, from, to: from + widthOfText(text) * scale }
    const middle = middleOf(word)
    const distances = own.map((column) => Math.max(column.from - middle, middle - column.to))
    const at = distances.indexOf(Math.min(...distances))
    const before = parts[at]
    parts[at] = before ? joined(before, word, ' ') : word
    from = word.to + widthOfText(' ') * scale
  }
  return parts
}

/** About how wide a text is, in ems, whatever its font. */
export function widthOfText(text: string): number {
  let width = 0
  for (const character of text)
    width += /[ .,:;'’|!()il-]/u.test(character) ? 0.28 : /\p{Lu}|[m%w—]/u.test(character) ? 0.7 : 0.49
  return width
}

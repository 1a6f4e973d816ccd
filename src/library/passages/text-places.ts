import type { PrintedText, TextPlace } from '../port/document.ts'

/** Characters before and after the expected place in which a printed text is looked for. */
const reach = 20_000

/**
 * Where on its page each stretch of a page's text is printed. White space, hyphens and the bars of tables are not compared:
 * joining lines changes them. A printed text that the page's text leaves out, as a running header, has no place.
 */
export function placeTexts(text: string, printed: readonly PrintedText[]): readonly TextPlace[] {
  const { letters, positions } = lettersOf(text)
  const places: TextPlace[] = []
  let next = 0
  for (const { text: line, box } of printed) {
    const wanted = lettersOf(line).letters
    if (wanted === '') continue
    const at = find(wanted, letters, next)
    if (at === null) continue
    next = at + wanted.length
    const [start = 0, last = 0] = [positions[at], positions[next - 1]]
    places.push([start, last + 1, ...box])
  }
  return places
}

/** The nearest occurrence behind `from`, else before it. */
function find(wanted: string, letters: string, from: number): number | null {
  const behind = letters.slice(from, from + reach).indexOf(wanted)
  if (behind >= 0) return from + behind
  const start = Math.max(0, from - reach)
  const before = letters.slice(start, from).lastIndexOf(wanted)
  return before >= 0 ? start + before : null
}

const left = /[\s\-‐|¦]/u

function lettersOf(text: string): { readonly letters: string; readonly positions: readonly number[] } {
  const positions: number[] = []
  let letters = ''
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at)
    if (left.test(character)) continue
    letters += character
    positions.push(at)
  }
  return { letters, positions }
}

/**
 * The rectangles that a span of a page's text fills. Of a stretch that it begins or ends within, a part: letters differ in
 * width, so that part is half a line's height longer than its share of the letters, rather than cut a word.
 */
export function rectanglesOf(
  { start, end }: { readonly start: number; readonly end: number },
  places: readonly TextPlace[],
) {
  return places.flatMap(([from, to, x0, y0, x1, y1]) => {
    if (to <= start || from >= end) return []
    const share = (position: number) => (Math.min(Math.max(position, from), to) - from) / (to - from)
    const [width, slack] = [x1 - x0, (y1 - y0) / 2]
    const right = Math.min(x1, x0 + width * share(end) + slack)
    return [[Math.max(x0, x0 + width * share(start) - slack), y0, right, y1] as const]
  })
}

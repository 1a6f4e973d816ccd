import type { LeftOut } from '../../port/document.ts'
import type { Line } from './lines.ts'

/** A page without its running header, footer and page number. */
export interface BarePage {
  readonly number: number
  readonly lines: readonly Line[]
  readonly header: string | null
  readonly leftOut: readonly LeftOut[]
  /** The number printed on the page. */
  readonly printed: string | null
}

const edgeLines = 3
const numberLine = /^(?:page\s+|[-–—]\s*)?(\d{1,5})(?:\s*(?:\/|of)\s*\d{1,5})?(?:\s*[-–—])?$/i

/**
 * Removes running headers, footers and page numbers: of the three topmost and lowest lines of a page, those that occur on
 * other pages too, and lone numbers that count with the pages. Digits are not masked, since that would match the cells
 * of tables.
 */
export function stripFurniture(
  pages: readonly { readonly number: number; readonly lines: readonly Line[] }[],
): BarePage[] {
  const edges = pages.map((page) => ({ number: page.number, lines: edgeOf(page.lines) }))
  const running = runningTexts(edges)
  const offset = numberOffset(edges)
  return pages.map((page, at) => {
    const edge = edges[at]?.lines ?? []
    const isNumber = (line: Line): boolean => offset !== null && printedNumber(line) === page.number + offset
    const removed = edge.filter((line) => isNumber(line) || running.has(runningKey(line) ?? ''))
    const stamps = page.lines.filter((line) => line.rotation !== 0 && /^arxiv:/i.test(line.text))
    const gone = new Set([...removed, ...stamps])
    const reasonOf = (line: Line) =>
      stamps.includes(line)
        ? 'stamp'
        : isNumber(line) && !running.has(runningKey(line) ?? '')
          ? 'page number'
          : 'running head'
    return {
      number: page.number,
      lines: page.lines.filter((line) => !gone.has(line)),
      header: [...gone].map((line) => line.text).join('\n') || null,
      leftOut: [...gone].map((line) => ({ reason: reasonOf(line), text: line.text, start: null })),
      printed: printedText(removed.find(isNumber)),
    }
  })
}

function edgeOf(lines: readonly Line[]): Line[] {
  const upright = lines.filter((line) => line.rotation === 0).sort((one, other) => other.y - one.y)
  return [...new Set([...upright.slice(0, edgeLines), ...upright.slice(-edgeLines)])]
}

const samePlace = 4

// Place and words without a page number at either end: "4970 Lo et al." and "4972 Lo et al." are the same header.
function runningKey(line: Line): string | null {
  const { text } = line
  const key = text.replace(/^\d{1,5}\s+|(?<!\s)\s+\d{1,5}$/gu, '').trim()
  const numbers = text.match(/\d+/gu)?.length ?? 0
  return /\p{L}.*\p{L}.*\p{L}/u.test(key) && numbers <= 2
    ? `${key.toLowerCase()} @${Math.round(line.y / samePlace)}`
    : null
}

type Edges = readonly { readonly number: number; readonly lines: readonly Line[] }[]

function runningTexts(edges: Edges): Set<string> {
  const seen = new Map<string, number>()
  for (const { lines } of edges) {
    for (const key of new Set(lines.map(runningKey))) {
      if (key) seen.set(key, (seen.get(key) ?? 0) + 1)
    }
  }
  const needed = edges.length > 3 ? 3 : 2
  return new Set([...seen].filter(([, pages]) => pages >= needed).map(([key]) => key))
}

/** Printed number minus physical page, if most pages that carry a lone number at an edge agree on it. */
function numberOffset(edges: Edges): number | null {
  const offsets = new Map<number, number>()
  for (const { number, lines } of edges) {
    const found = new Set(lines.map(printedNumber).filter((printed) => printed !== null))
    for (const printed of found) offsets.set(printed - number, (offsets.get(printed - number) ?? 0) + 1)
  }
  const [best] = [...offsets].sort((one, other) => other[1] - one[1])
  return best && best[1] >= 2 && best[1] * 2 >= edges.length ? best[0] : null
}

function printedNumber(line: Line): number | null {
  const digits = printedText(line)
  return digits === null ? null : Number(digits)
}

function printedText(line: Line | undefined): string | null {
  return numberLine.exec(line?.text ?? '')?.[1] ?? null
}

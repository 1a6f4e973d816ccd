import { cleanLine } from '../common/clean-text.ts'
import type { RawPage, Run } from './raw-pdf.ts'

/** A stretch of a line without a wide gap in it. */
export interface Segment {
  readonly text: string
  readonly x: number
  readonly end: number
  /** White space before it, in ems of the line. */
  readonly gap: number
}

/** One printed line: what stands on one baseline and was drawn in one go. */
export interface Line {
  readonly page: number
  readonly text: string
  readonly x: number
  readonly end: number
  readonly y: number
  /** Font and size of most of its characters. */
  readonly size: number
  readonly font: string
  readonly rotation: number
  readonly segments: readonly Segment[]
  /** Words at its beginning in another font than the rest, as a heading that runs into its text has them. */
  readonly lead: { readonly text: string; readonly rest: Line } | null
}

/** Puts the runs of a page together to lines, in the order in which they were drawn. */
export function pageLines(page: RawPage): Line[] {
  const lines: Line[] = []
  let open: Run[] = []
  let spaced = false
  for (const run of page.runs) {
    if (run.text.trim() === '') {
      spaced = true
      continue
    }
    if (open.length > 0 && !onSameLine(open, run)) {
      lines.push(...toLine(page.number, open))
      open = []
    }
    if (!isPrintedTwice(open.at(-1), run)) open.push(spaced && open.length > 0 ? { ...run, text: ` ${run.text}` } : run)
    spaced = false
  }
  return [...lines, ...toLine(page.number, open)]
}

const scriptShift = 0.5
const overlap = 1

// Raised and lowered characters (footnote marks, indices) stay on the line; a step back or down begins a new one.
function onSameLine(open: readonly Run[], run: Run): boolean {
  const last = open.at(-1)
  const base = baseline(open)
  if (!last || !base) return false
  const size = Math.max(base.size, run.size)
  const shift = Math.abs(run.y - base.y)
  return (
    run.rotation === last.rotation &&
    shift <= scriptShift * size &&
    run.x >= last.x + last.width - overlap * size &&
    run.x > (open[0]?.x ?? 0) - size * 0.2
  )
}

function baseline(open: readonly Run[]): Run | undefined {
  return open.reduce<Run | undefined>(
    (largest, run) => (largest && largest.size >= run.size ? largest : run),
    undefined,
  )
}

// Bold type is sometimes faked by drawing the same text twice.
function isPrintedTwice(last: Run | undefined, run: Run): boolean {
  return (
    last !== undefined &&
    last.text.trim() === run.text.trim() &&
    run.text.trim().length > 1 &&
    Math.abs(run.x - last.x) < 0.3 * run.size &&
    Math.abs(run.y - last.y) < 0.2 * run.size
  )
}

const wordGap = 0.18
const segmentGap = 0.9

function toLine(page: number, runs: readonly Run[]): Line[] {
  const [first] = runs
  const main = dominant(runs)
  if (!first || !main) return []
  const segments = toSegments(runs, main.size)
  const text = cleanLine(segments.map((segment) => segment.text).join(' '))
  if (text === '') return []
  const end = Math.max(...segments.map((segment) => segment.end))
  const { size, font, y, rotation } = main
  return [{ page, text, x: first.x, end, y, size, font, rotation, segments, lead: leadOf(page, runs) }]
}

function leadOf(page: number, runs: readonly Run[]): Line['lead'] {
  const change = runs.findIndex((run) => run.font !== runs[0]?.font)
  if (change < 0) return null
  const [lead] = toLine(page, runs.slice(0, change))
  const [rest] = toLine(page, runs.slice(change))
  return lead && rest ? { text: lead.text, rest } : null
}

function toSegments(runs: readonly Run[], em: number): Segment[] {
  const segments: Segment[] = []
  for (const run of runs) {
    const end = run.x + run.width
    const last = segments.at(-1)
    const gap = last ? (run.x - last.end) / em : 0
    if (!last || gap > segmentGap) segments.push({ text: run.text, x: run.x, end, gap })
    else {
      const space = gap > wordGap && !run.text.startsWith(' ') ? ' ' : ''
      segments[segments.length - 1] = { ...last, text: last.text + space + run.text, end: Math.max(last.end, end) }
    }
  }
  return segments.map((part) => ({ ...part, text: cleanLine(part.text) })).filter((part) => part.text !== '')
}

/** The run whose font and size most characters have. */
function dominant(runs: readonly Run[]): Run | undefined {
  const counts = new Map<string, { run: Run; characters: number }>()
  for (const run of runs) {
    const key = `${run.font} ${run.size.toFixed(1)}`
    const entry = counts.get(key) ?? { run, characters: 0 }
    entry.characters += run.text.length
    counts.set(key, entry)
  }
  return [...counts.values()].reduce<{ run: Run; characters: number } | undefined>(
    (most, entry) => (most && most.characters >= entry.characters ? most : entry),
    undefined,
  )?.run
}

/** The type that most of the document is set in. */
export interface BodyType {
  readonly size: number
  readonly font: string
  /** Distance of neighbouring lines, in ems. */
  readonly pitch: number
}

/** Finds font, size and line distance of the running text. */
export function bodyType(lines: readonly Line[]): BodyType {
  const sizes = new Map<number, number>()
  for (const line of lines) add(sizes, Math.round(line.size * 10) / 10, line.text.length)
  const size = mode(sizes) ?? 10
  const fonts = new Map<string, number>()
  const pitches = new Map<number, number>()
  lines.forEach((line, at) => {
    if (Math.abs(line.size - size) > 0.1) return
    add(fonts, line.font, line.text.length)
    const before = lines[at - 1]
    const pitch = before?.page === line.page ? Math.round(((before.y - line.y) / size) * 20) / 20 : 0
    if (pitch > 0.8 && pitch < 3) add(pitches, pitch, 1)
  })
  return { size, font: mode(fonts) ?? '', pitch: mode(pitches) ?? 1.2 }
}

function add<K>(counts: Map<K, number>, key: K, amount: number): void {
  counts.set(key, (counts.get(key) ?? 0) + amount)
}

function mode<K>(counts: ReadonlyMap<K, number>): K | undefined {
  let best: [K, number] | undefined
  for (const entry of counts) if (!best || entry[1] > best[1]) best = entry
  return best?.[0]
}

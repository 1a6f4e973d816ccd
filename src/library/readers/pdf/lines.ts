import { cleanLine, moveAccents } from '../common/clean-text.ts'

/** Text that a PDF draws in one operation. Units are points; `y` grows upwards, as in PDF. */
export interface Run {
  readonly text: string
  /** Along and across the direction of writing. */
  readonly x: number
  readonly y: number
  readonly width: number
  readonly size: number
  readonly font: string
  /** 0 is upright. In quarter turns, rounded. */
  readonly rotation: number
}

/** A stretch of a line without a wide gap in it. */
export interface Segment {
  readonly text: string
  readonly x: number
  readonly end: number
  /** White space before it, in ems of the line. */
  readonly gap: number
}

/** One printed line: the runs on one baseline that are drawn one after the other. */
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
}

/** Joins the runs of a page to lines, in the order in which they were drawn. */
export function pageLines(page: number, runs: Iterable<Run>): Line[] {
  const drawn: DrawnLine[] = []
  let open: DrawnLine | undefined
  let spaced = false
  for (const run of runs) {
    if (run.text.trim() === '') {
      spaced = true
      continue
    }
    if (!open || !isOnLine(open, run)) {
      open = besides(drawn, run)
      if (!open) {
        open = { runs: [], largest: run }
        drawn.push(open)
      }
    }
    addRun(open, run, spaced)
    spaced = false
  }
  return drawn.map((line) => toLine(page, line.runs)).filter((line) => line !== null)
}

interface DrawnLine {
  readonly runs: Run[]
  /** The first of the largest runs; its baseline is the line's. */
  largest: Run
}

const scriptShift = 0.5
const overlap = 1

// Raised and lowered characters (footnote marks, indices) stay on the line; a step back or down begins a new one.
function isOnLine({ runs, largest }: DrawnLine, run: Run): boolean {
  const last = runs.at(-1)
  if (!last) return false
  const size = Math.max(largest.size, run.size)
  return (
    run.rotation === last.rotation &&
    Math.abs(run.y - largest.y) <= scriptShift * size &&
    run.x >= last.x + last.width - overlap * size &&
    run.x > (runs[0]?.x ?? 0) - size * 0.2
  )
}

/** Lines of one cell that may be drawn before the cells beside its first. */
const mostLinesOfCell = 5
const figure = /^[\s\p{Sc}(+\-–−]*(?:\d[^\p{L}]*|[—–-])$/u

/** The line to which a figure belongs that is drawn behind the lines that follow in a cell left of it. */
function besides(drawn: readonly DrawnLine[], run: Run): DrawnLine | undefined {
  if (!figure.test(run.text)) return undefined
  const last = drawn.slice(-mostLinesOfCell)
  const at = last.findIndex((line) => isOnLine(line, run))
  const isLeft = ({ runs, largest }: DrawnLine) =>
    largest.y < run.y && runs.every(({ x, width }) => x + width < run.x - largest.size)
  return at >= 0 && last.slice(at + 1).every(isLeft) ? last[at] : undefined
}

function addRun(line: DrawnLine, run: Run, spaced: boolean): void {
  if (isPrintedTwice(line.runs.at(-1), run)) return
  line.runs.push(spaced && line.runs.length > 0 ? { ...run, text: ` ${run.text}` } : run)
  if (run.size > line.largest.size) line.largest = run
}

// Some programs draw the same text twice to make it look bold.
function isPrintedTwice(last: Run | undefined, run: Run): boolean {
  return (
    last !== undefined &&
    Math.abs(run.x - last.x) < 0.3 * run.size &&
    Math.abs(run.y - last.y) < 0.2 * run.size &&
    last.text.trim() === run.text.trim() &&
    run.text.trim().length > 1
  )
}

const wordGap = 0.18
const segmentGap = 0.9

function toLine(page: number, runs: readonly Run[]): Line | null {
  const [first] = runs
  const main = dominant(runs)
  if (!first || !main) return null
  const segments = toSegments(
    runs.map((run) => withRaised(run, main)),
    main.size,
  )
  const [only] = segments
  if (!only) return null
  const isOne = segments.length === 1
  const text = cleanLine(moveAccents(isOne ? only.text : segments.map((segment) => segment.text).join(' ')))
  if (isNothing.test(text)) return null
  const end = isOne ? only.end : Math.max(...segments.map((segment) => segment.end))
  const { size, font, y, rotation } = main
  return { page, text, x: first.x, end, y, size, font, rotation, segments }
}

const smaller = 0.9
const raisedBy = 0.15
const raisedCharacters = new Map(
  [...'0123456789+-–−abcdefghijklmnoprstuvwxyz'].map((character, at) => [
    character,
    [...'⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ'][at] ?? character,
  ]),
)
/** Figures, and a letter that names a note; not the letters of "2nd". */
const raisedText = /^(?:(?=[-–−+, ]{0,9}\d)[-–−+\d, ]+|[a-z](?:,[a-z])*)$/u

/** What is raised stays raised: 10⁻⁵ is not 10−5, and the 1 of "2022¹" names a note. */
function withRaised(run: Run, main: Run): Run {
  const isRaised = run.size < smaller * main.size && run.y - main.y > raisedBy * main.size
  if (!isRaised || !raisedText.test(run.text)) return run
  return { ...run, text: Array.from(run.text, (character) => raisedCharacters.get(character) ?? character).join('') }
}

/** No text, or only glyphs that cannot be read, as in printed music. */
const isNothing = /^[\ufffd ]*$/u

function toSegments(runs: readonly Run[], em: number): Segment[] {
  const segments: { text: string; readonly x: number; end: number; readonly gap: number }[] = []
  let last: (typeof segments)[number] | undefined
  for (const run of runs) {
    const end = run.x + run.width
    const gap = last ? (run.x - last.end) / em : 0
    if (!last || gap > segmentGap) {
      last = { text: run.text, x: run.x, end, gap }
      segments.push(last)
      continue
    }
    last.text += gap > wordGap && !run.text.startsWith(' ') ? ` ${run.text}` : run.text
    last.end = Math.max(last.end, end)
  }
  for (const segment of segments) segment.text = cleanLine(moveAccents(segment.text))
  return segments.some((segment) => segment.text === '') ? segments.filter(({ text }) => text !== '') : segments
}

/** The run whose font and size most characters have. */
function dominant(runs: readonly Run[]): Run | undefined {
  const [first] = runs
  if (runs.every((run) => run.font === first?.font && run.size === first.size)) return first
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

/** Emphasised words of a text: the marks before them stand at `open`, those behind them at `close`. */
export interface Emphasis {
  /** `*` or `_`, twice for strong emphasis; `~~` for what is struck out. */
  readonly mark: string
  readonly open: number
  readonly close: number
}

interface Run {
  readonly sign: string
  /** Where the marks begin that no other is paired with, and their number. */
  at: number
  left: number
}

/** Marks of the page that stand within a text and are no part of it. */
const within = /[\ufdd0-\ufddf]/
// What is escaped, code, and the address of a link are skipped.
const signs = /\\[^\n]|`[^`\n]{0,2000}`|\]\([^()\s]{1,2000}\)|\*{1,3}|_{1,3}|~~/g

/**
 * The pairs of marks of a paragraph, each within or beside the others, in the order in which they open. A mark may close wherever
 * one like it is open and a word stands before it, as writers set them: also in `**Sales:**rose`, where CommonMark has none.
 */
export function emphasisIn(text: string): readonly Emphasis[] {
  const open = new Map<string, Run[]>([...'*_~'].map((sign) => [sign, []]))
  const found: Emphasis[] = []
  for (const { 0: marks, index } of text.matchAll(signs)) {
    const [sign = ''] = marks
    const runs = open.get(sign)
    if (!runs) continue
    const run: Run = { sign, at: index, left: marks.length }
    const [before, after] = [neighbour(text, index - 1, -1), neighbour(text, index + marks.length, 1)]
    const isInWord = sign === '_' && isLetter(before) && isLetter(after)
    if (!isSpace(before) && !isInWord) found.push(...closed(run, runs, open))
    if (run.left > 0 && !isSpace(after) && !(sign === '_' && isLetter(before))) runs.push(run)
  }
  return found.sort((one, other) => one.open - other.open)
}

/** The pairs that a run closes; what was opened within them stays open no longer. */
function closed(run: Run, runs: Run[], open: ReadonlyMap<string, Run[]>): readonly Emphasis[] {
  const found: Emphasis[] = []
  for (let last = runs.at(-1); last && run.left > 0; last = runs.at(-1)) {
    const length = Math.min(2, run.left, last.left)
    if (run.sign === '~' && length < 2) break
    last.left -= length
    found.push({ mark: run.sign.repeat(length), open: last.at + last.left, close: run.at })
    run.at += length
    run.left -= length
    for (const others of open.values()) dropAfter(last.at, others)
    if (last.left === 0) runs.pop()
  }
  return found
}

function dropAfter(at: number, runs: Run[]): void {
  while ((runs.at(-1)?.at ?? -1) > at) runs.pop()
}

/** The character beside a mark; empty at the end. */
function neighbour(text: string, at: number, step: 1 | -1): string {
  let next = at
  while (within.test(text.charAt(next))) next += step
  return text.charAt(next)
}

function isSpace(character: string): boolean {
  return character.trim() === ''
}

function isLetter(character: string): boolean {
  return /[\p{L}\p{N}]/u.test(character)
}

interface Stretch {
  readonly start: number
  readonly end: number
}

/**
 * These stretches of a text, each with whole emphasis: what is open at the end of one is closed there, and opened again where the
 * next begins.
 */
export function withWholeEmphasis(text: string, stretches: readonly Stretch[]): readonly string[] {
  const pairs = paragraphsOf(text).flatMap(({ start, end }) =>
    emphasisIn(text.slice(start, end)).map((pair) => ({ ...pair, open: start + pair.open, close: start + pair.close })),
  )
  let passed = 0
  return stretches.map(({ start, end }) => {
    const isBehind = ({ close, mark }: Emphasis) => close + mark.length <= start
    for (let pair = pairs[passed]; pair && isBehind(pair); pair = pairs[passed]) passed += 1
    const cut: Emphasis[] = []
    for (let at = passed, pair = pairs[at]; pair && pair.open < end; pair = pairs[++at]) {
      if (!isBehind(pair) && (pair.open < start || pair.close >= end)) cut.push(pair)
    }
    return whole(text, { start, end }, cut)
  })
}

/** `cut`: the pairs of which the stretch has one half or none, in the order in which they open. */
function whole(text: string, { start, end }: Stretch, cut: readonly Emphasis[]): string {
  const opened = cut.filter(({ open }) => open < start)
  const closed = cut.filter(({ close }) => close >= end)
  const marksOf = (pairs: readonly Emphasis[]) => pairs.map(({ mark }) => mark).join('')
  // Words are put between what opens before them and closes behind them; where there are none, neither stays.
  const first = opened
    .filter(({ close }) => close < end)
    .reduce((from, { close, mark }) => (close === from ? close + mark.length : from), start)
  return `${marksOf(opened.filter(({ close }) => close >= first))}${text.slice(first, end)}${marksOf(closed.toReversed())}`
}

/** Paragraphs, lines of lists and rows: emphasis ends with each. */
function paragraphsOf(text: string): readonly Stretch[] {
  let start = 0
  return text.split(/(?<=\n)(?=[^\S\n]{0,9}(?:\n|[-*+•>|#]|\d{1,3}[.)]))/).map((part) => {
    start += part.length
    return { start: start - part.length, end: start }
  })
}

import type { ComponentChildren } from 'preact'
import { emphasisIn } from '../../answers/draft/emphasis.ts'
import type { Answered, RunResult } from '../api/requests.ts'

/** What stands before some words, and what stands behind them: noncharacters, which no text has. */
type Around = readonly [string, string]
/** Around words that are quoted and that nobody read again. */
const quotedMarks: Around = ['\ufdd0', '\ufdd1']
/** Around the shortest answers. */
const boldMarks: Around = ['\ufdd2', '\ufdd3']

/** Draws the marker `[1]` of a footnote. */
export type DrawMarker = (marker: number) => ComponentChildren

interface Stretch {
  readonly start: number
  readonly end: number
}

/** What is drawn as one: its `words` without the signs around them. */
interface Span extends Stretch {
  readonly words: Stretch
  /** `*`, `**`, `~~`, a backtick, the address of a link, or nothing for footnotes. */
  readonly sign: string
}

/** The answer with marks around its shortest answers, and around the sentences that are only quoted. */
export function withMarks({ answer, highlights, sentences }: Answered): string {
  const bold = highlights.filter(({ start, end }) => start < end && !/[|\n]/.test(answer.slice(start, end)))
  const marks = (parts: readonly Stretch[], around: Around, side: 0 | 1) =>
    parts.map(({ start, end }) => ({ at: [start, end][side] ?? 0, mark: around[side] }))
  const quoted = quotedParts(answer, sentences)
  // Marks at one place are put in from the right: those around sentences outside of the others.
  return [
    ...marks(quoted, quotedMarks, 1),
    ...marks(bold, boldMarks, 1),
    ...marks(bold, boldMarks, 0),
    ...marks(quoted, quotedMarks, 0),
  ]
    .toSorted((one, other) => other.at - one.at)
    .reduce((text, { at, mark }) => text.slice(0, at) + mark + text.slice(at), answer)
}

/** Lines of the sentences that are only quoted, and cells of rows, without the signs of lists. */
function quotedParts(answer: string, sentences: RunResult['sentences']): readonly Stretch[] {
  let from = 0
  return sentences.flatMap(({ text, state }) => {
    // The markers of a table's row stand before its last stroke.
    const words = text.trim().replace(/\|$/, '').trimEnd()
    const start = state === 'unsupported' ? -1 : answer.indexOf(words, from)
    if (start === -1) return []
    from = start + words.length
    return state === 'quoted'
      ? partsOf(words).map((part) => ({ start: start + part.start, end: start + part.end }))
      : []
  })
}

function partsOf(words: string): readonly Stretch[] {
  return [...words.matchAll(/[^|\n]+/g)].flatMap(({ 0: piece, index }) => {
    const said = piece.replace(/^\s*(?:(?:[-*+•>]|#{1,6}|\d{1,3}[.)])\s+)?/, '')
    const start = index + piece.length - said.length
    return /\S/.test(said) ? [{ start, end: start + said.trimEnd().length }] : []
  })
}

/** Words with emphasis, code, links and footnotes, whatever stands within what. Marks around words may cross all of these. */
export function inline(text: string, marker: DrawMarker): ComponentChildren {
  const spans = spansIn(text)
  const plain = (stretch: Stretch) => drawn(text, stretch, spans, marker)
  const bold = (stretch: Stretch) => marked(text, stretch, boldMarks, plain, strong)
  return marked(text, { start: 0, end: text.length }, quotedMarks, bold, (words) => (
    // Sentences that are only quoted are underlined, and say so.
    <span class="quoted" title="Quoted, not read again">
      {words}
      <span class="hidden"> (quoted, not read again)</span>
    </span>
  ))
}

/** The stretches inside and outside of marks, each drawn in its way. */
function marked(
  text: string,
  { start, end }: Stretch,
  [opening, closing]: Around,
  outside: (stretch: Stretch) => ComponentChildren,
  inside: (words: ComponentChildren, length: number) => ComponentChildren,
): ComponentChildren {
  const parts: ComponentChildren[] = []
  let from = start
  for (const { 0: whole, index } of text
    .slice(start, end)
    .matchAll(RegExp(`${opening}[^${closing}]*${closing}`, 'g'))) {
    const at = start + index
    const words = { start: at + 1, end: at + whole.length - 1 }
    parts.push(outside({ start: from, end: at }), inside(outside(words), whole.length))
    from = at + whole.length
  }
  return [...parts, outside({ start: from, end })]
}

const signs =
  /`([^`\n]{1,2000})`|(?:\[\d{1,3}\](?:\(https?:[^()\s]{0,2000}\))?)+|\[((?:[^\][\n]|\[\d{1,3}\]){1,500})\]\((https?:[^()\s]{1,2000})\)/g

function spansIn(text: string): readonly Span[] {
  const emphasis = emphasisIn(text).map(({ mark, open, close }) => ({
    ...{ start: open, end: close + mark.length, sign: mark },
    words: { start: open + mark.length, end: close },
  }))
  return [...emphasis, ...signsIn(text, 0)].sort((one, other) => one.start - other.start || other.end - one.end)
}

function signsIn(text: string, from: number): readonly Span[] {
  return Array.from(text.matchAll(signs)).flatMap(({ 0: whole, 1: code, 2: link, 3: address = '', index }) => {
    const inner = code ?? link
    const [at, start] = [from + index, from + index + (inner === undefined ? 0 : 1)]
    const words = { start, end: start + (inner ?? whole).length }
    const span = { start: at, end: at + whole.length, sign: code === undefined ? address : '`', words }
    return link === undefined ? [span] : [span, ...signsIn(link, start)]
  })
}

/** A stretch of the text, with what of each span lies in it. */
function drawn(text: string, { start, end }: Stretch, spans: readonly Span[], marker: DrawMarker): ComponentChildren {
  const parts: ComponentChildren[] = []
  let from = start
  for (const [index, span] of spans.entries()) {
    if (span.end <= from || span.start >= end) continue
    const before = text.slice(from, Math.max(from, span.start))
    const words = { start: Math.max(from, span.words.start), end: Math.min(end, span.words.end) }
    from = Math.min(end, span.end)
    if (words.start >= words.end) parts.push(unescaped(before))
    else if (span.sign === '') parts.push(...noted(before, text.slice(words.start, words.end), marker))
    else {
      const isCode = span.sign === '`'
      const inner = isCode ? text.slice(words.start, words.end) : drawn(text, words, spans.slice(index + 1), marker)
      parts.push(unescaped(before), wrapped(span.sign, inner, words.end - words.start))
    }
  }
  return [...parts, unescaped(text.slice(from, end))]
}

function wrapped(sign: string, words: ComponentChildren, length: number): ComponentChildren {
  if (sign === '`') return <code>{words}</code>
  if (sign === '~~') return <s>{words}</s>
  if (sign.length === 1) return <em>{words}</em>
  if (sign.length === 2) return strong(words, length)
  return (
    <a href={sign} rel="noreferrer" target="_blank">
      {words}
    </a>
  )
}

/** Characters; whole sentences in bold letters would be louder than their answer. */
const longestBold = 60

function strong(words: ComponentChildren, length: number): ComponentChildren {
  return length > longestBold ? <strong class="long">{words}</strong> : <strong>{words}</strong>
}

/** Footnotes stand close to the word before them, and stay on its line. */
function noted(before: string, markers: string, marker: DrawMarker): readonly ComponentChildren[] {
  const words = before.trimEnd()
  const [word = ''] = /\S*$/.exec(words) ?? []
  return [
    unescaped(words.slice(0, words.length - word.length)),
    <span class="kept">
      {/* The word may stand in an element before: no line breaks at a word joiner. */}
      {unescaped(word) || '\u2060'}
      {Array.from(markers.matchAll(/\[(\d+)\]/g), ([, number]) => marker(Number(number)))}
    </span>,
  ]
}

function unescaped(text: string): string {
  return text.replace(/\\([*_~`|[\]])/g, '$1')
}

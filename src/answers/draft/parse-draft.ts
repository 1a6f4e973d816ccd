import { hasLetterOrDigit, type Sentence, sentences } from '../../library/index.ts'
import { withWholeEmphasis } from './emphasis.ts'
import {
  type DraftCitation,
  type Mark,
  marksIn,
  type NumberedSource,
  sourceLabel,
  withoutNotes,
  withQuotations,
  withWrapping,
} from './marks.ts'
import { isTableRow } from './structure.ts'

/** A sentence of a draft, a line of a list or a row of a table, with the white space before it. */
export interface DraftSentence {
  readonly before: string
  readonly text: string
  /** Those in it and behind it. */
  readonly citations: readonly DraftCitation[]
  /** Where it has none: those of the sentences that follow in its paragraph, list or table, nearest first. */
  readonly shared: readonly DraftCitation[]
}

/** Splits a draft into sentences with their citations, in whatever notation these are. `handles`: those of the passages. */
export function parseDraft(draft: string, handles: readonly string[] = []): readonly DraftSentence[] {
  const { text: body, notes } = withoutNotes(draft)
  const found = withWrapping(body, marksIn(body, numberedBy(body, notes, handles)))
  const marks = withQuotations(body, found)
  const { text, citations } = withoutMarks(body, marks)
  const spans = endedAtMarks(sentences(text), text, citations)
  const owned = spans.map((): DraftCitation[] => [])
  let owner = 0
  for (const { at, ...citation } of citations) {
    while ((spans[owner + 1]?.start ?? at) < at) owner += 1
    owned[owner]?.push(citation)
  }
  const words = withWholeEmphasis(text, spans)
  const pieces = spans.map(({ start }, index) => ({
    before: text.slice(spans[index - 1]?.end ?? 0, start).replace(/^[ \t]{1,9}(?=\n)/, ''),
    text: words[index] ?? '',
    citations: owned[index] ?? [],
  }))
  return withShared(withoutQuotations(pieces))
}

/** A stop with a mark before or behind it ends a sentence, whatever letter the next begins with: "… [P1]. psql then …". Rows stay whole. */
function endedAtMarks(spans: readonly Sentence[], text: string, marks: readonly { readonly at: number }[]) {
  const found = marks.flatMap(({ at }) => {
    const isStopped = /[.!?…]["'”’»)*_~`]{0,6}\s{0,2}$/u.test(text.slice(Math.max(0, at - 10), at))
    const closing = isStopped ? CLOSING : STOP
    const closed = closing.exec(text.slice(at, at + 10))?.[0]
    if (closed !== undefined) return [at + closed.length]
    return isStopped ? [at] : []
  })
  const ends = [...new Set(found)].sort((a, b) => a - b)
  let next = 0
  return spans.flatMap(({ start, end }) => {
    const inner: number[] = []
    const isRow = isTableRow(text.slice(start, end))
    for (let at = ends[next]; at !== undefined && at < end; at = ends[++next]) if (at > start && !isRow) inner.push(at)
    return [start, ...inner]
      .map((from, index) => trimmed(text, from, inner[index] ?? end))
      .filter((each) => each.end > each.start)
  })
}

/** What closes a sentence behind its stop. */
const CLOSING = /^["'”’»)*_~`]{1,6}(?=\s|$)/u
const STOP = /^[.!?…]{1,3}["'”’»)*_~`]{0,6}(?=\s)/u

function trimmed(text: string, start: number, end: number): Sentence {
  const inner = text.slice(start, end)
  const lead = inner.length - inner.trimStart().length
  return { start: start + lead, end: Math.max(start + lead, end - (inner.length - inner.trimEnd().length)) }
}

type Piece = Omit<DraftSentence, 'shared'>

/** A number means a note, or else the passage of this number, as long as the draft names none by its handle. */
function numberedBy(
  draft: string,
  notes: ReadonlyMap<number, readonly DraftCitation[]>,
  handles: readonly string[],
): NumberedSource {
  if (notes.size > 0) return (number) => notes.get(number) ?? null
  if (/<cite\b|[[(【]P\d/i.test(draft)) return () => null
  return (number) => (handles.includes(`P${number}`) ? [{ id: `P${number}`, quote: '' }] : null)
}

/** The draft as it reads without its marks, and where in it they stood. */
function withoutMarks(draft: string, marks: readonly Mark[]) {
  const citations: (DraftCitation & { readonly at: number })[] = []
  const text = joiner()
  let from = 0
  for (const [index, { start, end, citations: cited }] of marks.entries()) {
    text.add(draft.slice(from, start), index > 0)
    // A mark at the beginning of a line belongs to what follows on it.
    const leads = text.isAtLine() && /^[^\S\n]*[^\s<[(.,;]/.test(draft.slice(end, end + 20))
    const at = leads ? text.length() + 1 : text.lengthOfWords()
    citations.push(...cited.map(({ id, quote }) => ({ id, quote, at })))
    from = end
  }
  text.add(draft.slice(from), marks.length > 0)
  return { text: text.whole(), citations }
}

/**
 * Joins the text around marks: no commas between two of them, no space before a stop, one after it. The pieces are joined
 * once at the end, so that a draft of many citations is not copied for each.
 */
function joiner() {
  const pieces: string[] = []
  let length = 0
  let spaces = 0
  const append = (piece: string): void => {
    if (piece !== '') pieces.push(piece)
    length += piece.length
    const words = piece.trimEnd().length
    spaces = piece.length - words + (words === 0 ? spaces : 0)
  }
  const trimEnd = (): void => {
    for (let last = pieces.pop(); last !== undefined; last = pieces.pop()) {
      length -= last.length
      append(last.trimEnd())
      if (last.trimEnd() !== '') return
    }
  }
  return {
    add(next: string, afterMark: boolean): void {
      if (!afterMark) append(next)
      else if (/^[\s,;]*$/.test(next)) append(next.replace(/[,;]/g, ''))
      else if (/^\s*[.,;:!?…)\]]/.test(next)) {
        trimEnd()
        append(withoutSecondStop(pieces.at(-1)?.at(-1) ?? '', next.trimStart()))
      } else if (closesWords.test(next)) {
        trimEnd()
        append(next)
      } else append(spaced(pieces.at(-1)?.at(-1) ?? '', next))
    },
    isAtLine: () => (pieces.at(-1) ?? '\n').endsWith('\n'),
    length: () => length,
    lengthOfWords: () => length - spaces,
    whole: () => pieces.join(''),
  }
}

/** Marks of emphasis and quotation behind the last word. */
const closesWords = /^(?:[*_]{1,3}|~~|["`”’»])(?![\p{L}\p{N}])/u

/** "It rose. [P2]." ends once. */
function withoutSecondStop(last: string, next: string): string {
  return /[.!?…]/.test(last) && /^\.(?!\.)/.test(next) ? next.slice(1) : next
}

/** One space behind a stop, and not two where a mark was. */
function spaced(last: string, next: string): string {
  if (/[.!?…]/.test(last) && /^\S/.test(next)) return ` ${next}`
  return /\s/.test(last) ? next.replace(/^[ \t]{1,9}/, '') : next
}

const WHOLE_QUOTATION = /^["“„«]([^"“”„«»]{1,2000})["”“»][.,]?$/

/** A block quote, a quotation and a label "Source:" are no sentences: what they cite belongs to the sentence before. */
function withoutQuotations(pieces: readonly Piece[]): readonly Piece[] {
  const kept: Piece[] = []
  for (const piece of pieces) {
    const last = kept.at(-1)
    const cited = last && hasLetterOrDigit(last.text) ? citedFor(last, piece) : null
    if (last && cited) kept[kept.length - 1] = { ...last, citations: [...last.citations, ...cited] }
    else kept.push(piece)
  }
  return kept
}

/** What a piece cites for the sentence before it; null if it is a sentence itself. */
function citedFor(last: Piece, { text, citations }: Piece): readonly DraftCitation[] | null {
  const line = text.trim()
  if (sourceLabel.test(line) && citations.length > 0) return citations
  const isBlock = line.startsWith('>')
  const words = line.replace(/^[>\s]+/, '')
  const quote = WHOLE_QUOTATION.exec(words)?.[1] ?? (isBlock ? words : '')
  const isQuoted = quote !== '' && (isBlock || last.citations.every((each) => each.quote === ''))
  if (!isQuoted) return null
  const [first, ...others] = citations
  return [{ id: first?.id ?? '', quote: first?.quote || quote }, ...others]
}

/** Citations that a sentence without any may share with those behind it. */
const mostShared = 24

function withShared(pieces: readonly Piece[]): readonly DraftSentence[] {
  // From the end: what was cited further down in the same paragraph, list or table.
  let shared: readonly DraftCitation[] = []
  const read = pieces.toReversed().map((piece) => {
    const own = piece.citations
    const covering = own.length > 0 ? [] : shared
    shared = BLANK_LINE.test(piece.before) ? [] : [...own, ...shared].slice(0, mostShared)
    return { ...piece, shared: covering }
  })
  return read.toReversed()
}

const BLANK_LINE = /\n[^\S\n]*\n/

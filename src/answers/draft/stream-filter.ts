import { type DraftCitation, longestQuote, longestTag, type Mark, marksIn } from './marks.ts'

/** Hides markup from streamed text. Stateful: one for each stream. */
export interface TextFilter {
  /** The visible text that was not returned before. */
  push(text: string): string
  /** The rest, when the stream has ended. */
  flush(): string
}

/** What a model writes instead of an answer, when the passages do not hold one. */
export const abstainMark = '<abstain/>'

/** What a model writes where nobody can tell what a question means: what is unclear, then meanings, with "|" between. */
export const ambiguousMark = /<ambiguous(?:>|:?\s)([^<>]{1,600})(?:<\/ambiguous>|>)/i

/** What `markup` looks at. */
const longestFormula = 460
const longestAmbiguous = 630

/** Hides citations from a stream: the reader sees `[1]`, `[2]`, … where a citation ends. */
export function citationFilter(): TextFilter {
  const markers = new Map<string, number>()
  let held = ''
  let last = ''
  let isAfterMarker = false
  const markerOf = ({ id, quote }: DraftCitation): string => {
    const key = `${id} ${quote}`
    if (!markers.has(key)) markers.set(key, markers.size + 1)
    return `[${markers.get(key)}]`
  }
  const written = (piece: string | Mark): string => {
    if (piece === '') return ''
    const isMark = typeof piece !== 'string'
    const shown = isMark ? [...new Set(piece.citations.map(markerOf))].join('') : piece
    const space = isMark && !isAfterMarker && !/\s$/.test(last) ? ' ' : ''
    isAfterMarker = isMark
    last = shown
    return space + shown
  }
  const visible = (isEnded: boolean): string => {
    const { pieces, rest } = readable(held, isEnded)
    held = rest
    return pieces.map(written).join('')
  }
  return {
    push(text) {
      held += text
      return visible(false)
    },
    flush: () => visible(true),
  }
}

const OPENING = /[<[(【]/g
const markup =
  /<(?:ambiguous\b(?:[^<>]{0,620}(?:>(?:[^<>]{0,620}<\/ambiguous\s{0,9}>)?|$))?|(?:\/?cite|\/?calc|abstain|\/ambiguous)\b(?:[^<>]{0,450}(?:>|$))?)/iy

/** The text without markup, its marks, and the rest, which may still become a mark or a tag. */
function readable(text: string, isEnded: boolean): { pieces: readonly (string | Mark)[]; rest: string } {
  const marks = new Map(marksIn(text).map((mark) => [mark.start, mark]))
  const pieces: (string | Mark)[] = []
  let from = 0
  for (const { index: at } of text.matchAll(OPENING)) {
    if (at < from) continue
    const mark = marks.get(at)
    if (!isEnded && isOpen(text, at, mark)) return { pieces: [...pieces, text.slice(from, at)], rest: text.slice(at) }
    const end = mark?.end ?? endOfMarkup(text, at)
    if (end === at) continue
    pieces.push(text.slice(from, at), ...(mark ? [mark] : []))
    from = end
  }
  return { pieces: [...pieces, text.slice(from)], rest: '' }
}

function isOpen(text: string, at: number, mark: Mark | undefined): boolean {
  return mark ? mayGoOn(text, mark) || isUnclosed(text, mark) : mayBecomeMarkup(text, at)
}

/** Read as far as its line goes, it may still be closed. */
function isUnclosed(text: string, { start, end }: Mark): boolean {
  return text[start] !== '<' && !/[\])】）]/.test(text.slice(start, end)) && mayNamePassage(text.slice(start))
}

function endOfMarkup(text: string, at: number): number {
  markup.lastIndex = at
  return at + (markup.exec(text)?.[0].length ?? 0)
}

const MARKUP_NAMES = ['<cite', '</cite', '<calc', '</calc', '<abstain', '<ambiguous', '</ambiguous']

/** Not yet complete: the name of a tag, a tag, a quote that is not closed, or the name of a passage in brackets. */
function mayBecomeMarkup(text: string, at: number): boolean {
  const left = text.length - at
  if (text[at] !== '<') return mayNamePassage(text.slice(at, at + longestQuote + longestTag))
  const start = text.slice(at, at + longestTag).toLowerCase()
  if (MARKUP_NAMES.some((mark) => mark.startsWith(start))) return true
  if (/^<cite\b/.test(start)) return left < longestQuote + 2 * longestTag
  if (start.startsWith('<ambiguous')) return isOpenAmbiguous(text.slice(at, at + 2 * longestAmbiguous))
  return (
    /^<(?:\/cite|\/?calc|abstain|\/ambiguous)\b/.test(start) &&
    left <= longestFormula &&
    !/[<>]/.test(text.slice(at + 1, at + longestFormula))
  )
}

/** `<ambiguous …` or `<ambiguous>…</ambig`; a tag that is closed and has words may be the whole of the mark. */
function isOpenAmbiguous(mark: string): boolean {
  const [, words = '', end, inside = '', closing] = AMBIGUOUS.exec(mark) ?? []
  if (end === undefined) return mark.length <= longestAmbiguous && mark.length === '<ambiguous'.length + words.length
  if (/[^\s:]/.test(words)) return false
  const isWhole = mark.length === '<ambiguous>'.length + words.length + inside.length + (closing ?? '').length
  return isWhole && inside.length <= longestAmbiguous && '</ambiguous>'.startsWith((closing ?? '').toLowerCase())
}

const AMBIGUOUS = /^<ambiguous([^<>]*)(?:(>)([^<>]*)(<[^<>]*)?)?/i

/** `[`, `[P`, `[P3`, `[P3: "words`; the quote may hold brackets of another kind, and several lines. */
function mayNamePassage(start: string): boolean {
  if (start.length >= longestQuote + longestTag || !/^[[(【](?:$|p(?:$|\d))/i.test(start)) return false
  const isQuoting = /^.p\d{1,3}[^\p{L}\d\n"“„«‘]{0,4}["“„«‘]/iu.test(start)
  return !(isQuoting ? /\]/ : /[\n\]]/).test(start) && (start.startsWith('[') || !/[)】]/.test(start))
}

/** A tag without a quote may be closed behind words, and a link may follow a name in brackets. */
function mayGoOn(text: string, { start, end }: Mark): boolean {
  const left = text.length - end
  if (text[start] === '<')
    return !text.endsWith('/>', end) && !isClosed(text, start, end) && left < longestQuote + longestTag
  return left === 0 || (/^\((?:#[^()\s]*)?$/.test(text.slice(end, end + 50)) && left < 50)
}

function isClosed(text: string, start: number, end: number): boolean {
  return /<\/cite\s*>$/i.test(text.slice(start, end))
}

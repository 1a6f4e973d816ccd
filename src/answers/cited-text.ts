import { sentences } from '../library/language/sentences.ts'

/** Hides markup from streamed text. Stateful: one for each stream. */
export interface TextFilter {
  /** The visible text that was not returned before. */
  push(text: string): string
  /** The rest, when the stream has ended. */
  flush(): string
}

/** One citation as a model wrote it: `<cite id="P3">words from passage P3</cite>`. */
export interface DraftCitation {
  /** Empty if the model left it out. */
  readonly id: string
  readonly quote: string
}

/** A sentence of a draft with the citations that follow it, and the white space before it. */
export interface DraftSentence {
  readonly before: string
  readonly text: string
  readonly citations: readonly DraftCitation[]
}

/** What a model writes instead of an answer, when the passages do not hold one. */
export const abstainMark = '<abstain/>'

/** Characters of a quote; a longer one is no citation. With the tags bounded too, a stream is held for so long at most. */
const longestQuote = 2000
const longestTag = 200
const longestFormula = 450
/** An opening tag, mostly with its id, or a closing tag; none is longer than `longestTag`. */
const tags = /<cite(?:\s{1,9}id\s{0,9}=\s{0,9}["']?([^"'>\s]{1,99})["']?)?\s{0,9}>|<\/cite\s{0,9}>/gi

/**
 * Splits a draft into sentences with their citations, wherever in or after the sentence these stand. Markup that is not
 * well-formed counts as text without citation.
 */
export function parseDraft(draft: string): DraftSentence[] {
  const { text, citations } = withoutMarkup(draft)
  const spans = sentences(text)
  const owned = spans.map((): DraftCitation[] => [])
  let owner = 0
  for (const { id, quote, at } of citations) {
    while ((spans[owner + 1]?.start ?? at) < at) owner += 1
    owned[owner]?.push({ id, quote })
  }
  return spans.map(({ start, end }, index) => ({
    before: text.slice(spans[index - 1]?.end ?? 0, start),
    text: text.slice(start, end),
    citations: owned[index] ?? [],
  }))
}

/** The draft as it reads without its citations, and where in it they stood. */
function withoutMarkup(draft: string): { text: string; citations: (DraftCitation & { readonly at: number })[] } {
  const citations: (DraftCitation & { readonly at: number })[] = []
  const text = joiner()
  let from = 0
  for (const { id, quote, start, end } of citationsIn(draft)) {
    text.add(draft.slice(from, start), citations.length > 0)
    citations.push({ id, quote: quote.trim(), at: text.length() })
    from = end
  }
  text.add(draft.slice(from), citations.length > 0)
  return { text: text.whole(), citations }
}

interface PlacedCitation extends DraftCitation {
  readonly start: number
  readonly end: number
}

/** A citation reaches from the first opening tag since the last closing one, if that is near enough, to the next. */
function citationsIn(text: string): PlacedCitation[] {
  const found: PlacedCitation[] = []
  let open: { readonly id: string; readonly start: number; readonly inner: number }[] = []
  for (const { 0: tag, 1: id = '', index } of text.matchAll(tags)) {
    if (!tag.startsWith('</')) {
      open.push({ id, start: index, inner: index + tag.length })
      continue
    }
    const opening = open.find(({ inner }) => index - inner <= longestQuote)
    open = []
    if (!opening) continue
    // An opening tag within a quote was not meant as its text.
    const quote = text.slice(opening.inner, index).replace(tags, '')
    found.push({ id: opening.id, quote, start: opening.start, end: index + tag.length })
  }
  return found
}

/**
 * Joins the text around citations: no commas between two of them, no space before a stop, one after it. The pieces are
 * joined once at the end, so that a draft of many citations is not copied for each.
 */
function joiner() {
  const pieces: string[] = []
  let length = 0
  const append = (piece: string): void => {
    if (piece !== '') pieces.push(piece)
    length += piece.length
  }
  const trimEnd = (): void => {
    for (let last = pieces.pop(); last !== undefined; last = pieces.pop()) {
      length -= last.length
      append(last.trimEnd())
      if (last.trimEnd() !== '') return
    }
  }
  return {
    add(next: string, afterCitation: boolean): void {
      if (!afterCitation) append(next)
      else if (/^[\s,;]*$/.test(next)) append(next.replace(/[,;]/g, ''))
      else if (/^\s*[.,;:!?…)]/.test(next)) {
        trimEnd()
        append(next.trimStart())
      } else append(/[.!?…]/.test(pieces.at(-1)?.at(-1) ?? '') && /^\S/.test(next) ? ` ${next}` : next)
    },
    length: () => length,
    whole: () => pieces.join(''),
  }
}

/** Hides citation markup from a stream: the reader sees `[1]`, `[2]`, … where a citation ends. */
export function citationFilter(): TextFilter {
  const markers = new Map<string, number>()
  let held = ''
  let isAfterMarker = false
  const marked = ({ id, quote }: DraftCitation): string => {
    const key = `${id} ${quote}`
    if (!markers.has(key)) markers.set(key, markers.size + 1)
    const marker = `${isAfterMarker ? '' : ' '}[${markers.get(key)}]`
    isAfterMarker = true
    return marker
  }
  const visible = (isEnded: boolean): string => {
    const { pieces, rest } = readable(held, isEnded)
    held = rest
    return pieces
      .map((piece) => {
        if (typeof piece !== 'string') return marked(piece)
        if (piece !== '') isAfterMarker = false
        return piece
      })
      .join('')
  }
  return {
    push(text) {
      held += text
      return visible(false)
    },
    flush: () => visible(true),
  }
}

const markup = /<(?:\/?cite|\/?calc|abstain)\b(?:[^<>]{0,450}(?:>|$))?/iy

/** The text without markup, its citations, and the rest, which may still become a citation or a tag. */
function readable(text: string, isEnded: boolean): { pieces: (string | DraftCitation)[]; rest: string } {
  const citations = new Map(citationsIn(text).map((citation) => [citation.start, citation]))
  const pieces: (string | DraftCitation)[] = []
  let from = 0
  for (let at = text.indexOf('<'); at >= 0; at = text.indexOf('<', Math.max(from, at + 1))) {
    const citation = citations.get(at)
    if (!citation && !isEnded && mayBecomeMarkup(text, at))
      return { pieces: [...pieces, text.slice(from, at)], rest: text.slice(at) }
    markup.lastIndex = at
    const length = citation ? citation.end - at : (markup.exec(text)?.[0].length ?? 0)
    if (length === 0) continue
    pieces.push(text.slice(from, at), ...(citation ? [citation] : []))
    from = at + length
  }
  return { pieces: [...pieces, text.slice(from)], rest: '' }
}

/** Not yet complete: the name of a tag, a tag, or a quote that is not closed. */
function mayBecomeMarkup(text: string, at: number): boolean {
  const start = text.slice(at, at + longestTag).toLowerCase()
  const left = text.length - at
  if (['<cite', '</cite', '<calc', '</calc', '<abstain'].some((mark) => mark.startsWith(start))) return true
  if (/^<cite\b/.test(start)) return left < longestQuote + 2 * longestTag
  const most = /^<calc\b/.test(start) ? longestFormula : longestTag
  return /^<(?:\/cite|\/?calc|abstain)\b/.test(start) && left < most && !/[<>]/.test(text.slice(at + 1, at + most))
}

/** Of several sentences before one citation, each whose words stand in the quote shares it. */
export function withSharedQuotes(sentences: readonly DraftSentence[]): readonly DraftSentence[] {
  // From the end: the quotes of the next sentence in the same line that has some.
  let shared: DraftSentence['citations'] = []
  const read = sentences.toReversed().map((sentence) => {
    const own = sentence.citations
    if (own.length > 0) shared = own
    const said = own.length === 0 && shared.length > 0 ? plain(sentence.text) : ''
    const citations = said === '' ? own : shared.filter(({ quote }) => plain(quote).includes(said))
    if (sentence.before.includes('\n')) shared = []
    return { ...sentence, citations }
  })
  return read.toReversed()
}

function plain(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

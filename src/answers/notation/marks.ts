/** One citation as a model wrote it. */
export interface DraftCitation {
  /** `P3`; empty if no passage is named. */
  readonly id: string
  /** Empty if only the passage is named. */
  readonly quote: string
}

/** A stretch of a draft that cites, and no part of what the draft says. */
export interface Mark {
  readonly start: number
  readonly end: number
  readonly citations: readonly DraftCitation[]
}

/** What a number alone in brackets cites: `[2]`, `[^2]`; null if it is no citation. */
export type NumberedSource = (number: number) => readonly DraftCitation[] | null

/** Characters of a quote; a longer one is no citation. With the tags bounded too, a stream is held for so long at most. */
export const longestQuote = 2000
export const longestTag = 200

/**
 * The citations of a draft in the order in which they stand: `<cite id="P3">words</cite>` and its like, `[P3]`,
 * `[P3: "words"]`, `(P3, P4)`, `【P3】`, `[P3](#P3)`, and numbers in square brackets where these cite.
 */
export function marksIn(text: string, numbered: NumberedSource = () => null): readonly Mark[] {
  const found: Mark[] = []
  let at = 0
  for (const tag of tagsIn(text)) {
    found.push(...bracketsIn(text, at, tag.start, numbered), tag)
    at = tag.end
  }
  found.push(...bracketsIn(text, at, text.length, numbered))
  return found
}

const TAG = /<cite\b([^<>]{0,2200})>|<\/cite\s{0,9}>/gi
const ID = /\b(?:id|passage|source|ref)\s{0,9}=\s{0,9}["']?([^"'>\s/]{1,99})|^\s{1,9}["']?([Pp]?\d{1,4})\b/i
const QUOTE = /\b(?:quote|text)\s{0,9}=\s{0,9}(?:"([^"]{1,2000})"|'([^']{1,2000})')/i

interface OpenTag {
  readonly start: number
  readonly end: number
  readonly citation: DraftCitation
}

/** Pairs of tags with the quote between them. A tag that nothing closes names a passage, or quotes up to the line's end. */
function tagsIn(text: string): readonly Mark[] {
  const found: Mark[] = []
  let open: OpenTag | null = null
  for (const { 0: tag, 1: attributes, index } of text.matchAll(TAG)) {
    const end = index + tag.length
    if (attributes === undefined) {
      const closed = open && index - open.end <= longestQuote ? open : null
      if (closed) found.push(markOf(closed, text.slice(closed.end, index), end))
      if (closed) open = null
      continue
    }
    if (open) found.push(...unclosed(open, text, index))
    open = null
    const tagged = { start: index, end, citation: citationOf(attributes) }
    if (attributes.endsWith('/')) found.push(markOf(tagged, '', end))
    else open = tagged
  }
  return open ? [...found, ...unclosed(open, text, text.length)] : found
}

function markOf({ start, citation }: OpenTag, quote: string, end: number): Mark {
  return { start, end, citations: [{ ...citation, quote: quote.trim() || citation.quote }] }
}

function unclosed(open: OpenTag, text: string, to: number): readonly Mark[] {
  if (open.citation.id === '') return []
  const words =
    /^[\p{L}\p{N}"“„][^\n<]*/u.exec(text.slice(open.end, Math.min(to, open.end + longestQuote + 1)))?.[0] ?? ''
  const quote = words.length <= longestQuote ? words : ''
  return [markOf(open, quote, open.end + quote.length)]
}

function citationOf(attributes: string): DraftCitation {
  const [, named, bare] = ID.exec(attributes) ?? []
  const [, one, other] = QUOTE.exec(attributes) ?? []
  return { id: handleOf(named ?? bare ?? ''), quote: (one ?? other ?? '').trim() }
}

/** "p3" and "3" as `P3`; other ids as they are. */
export function handleOf(id: string): string {
  return /^[Pp]?\d+$/.test(id) ? `P${id.replace(/^[Pp]/, '')}` : id
}

const BRACKET = /[[(【（]/g

function bracketsIn(text: string, from: number, to: number, numbered: NumberedSource): readonly Mark[] {
  const found: Mark[] = []
  let after = from
  for (const { index } of text.slice(from, to).matchAll(BRACKET)) {
    const start = from + index
    if (start < after) continue
    const mark = readBracket(text, start, to, numbered)
    if (!mark) continue
    found.push(mark)
    after = mark.end
  }
  return found
}

const LEAD = /(?:see|cf|sources?|passages?|quelle|quellen|siehe|vgl|voir|fuentes?|ver)\b[.:]?\s{0,2}/iy
const NUMBER = /\^?([Pp]?)(\d{1,3})(?![\p{L}\d]|[.,]\d|\s?%)/uy
const QUOTED = /["“„«‘]([^"“”„«»\n]{1,2000})["”“»’]/y
const BETWEEN = /(?:[\s,;:&+–—-]|and\b|und\b|et\b|pp?\.\s?\d{1,4}|page\s\d{1,4}|S\.\s?\d{1,4}){1,9}/uy
const UNQUOTED = /(?<=:\s?)[^"“„«\][()【】\n]{8,2000}/y
const CLOSING = /[\])】）](?:\(#[^()\s]{0,40}\))?/y
const mostNames = 32

/** What stands in brackets, if it is passages and quotes alone. */
function readBracket(text: string, start: number, to: number, numbered: NumberedSource): Mark | null {
  const isSquare = text[start] === '[' || text[start] === '【'
  let at = start + 1
  const take = (expression: RegExp): RegExpExecArray | null => {
    expression.lastIndex = at
    const match = expression.exec(text)
    if (match) at += match[0].length
    return match
  }
  const citations: DraftCitation[] = []
  let quote = ''
  take(LEAD)
  for (let taken = 0; taken < mostNames; taken += 1) {
    const number = take(NUMBER)
    const named = number && namedBy(number, isSquare, numbered)
    if (number && !named) return null
    if (named) {
      citations.push(...named.map((each) => ({ ...each, quote: each.quote || quote })))
      quote = ''
    } else {
      const words = take(QUOTED)?.[1] ?? (citations.length > 0 ? take(UNQUOTED)?.[0] : undefined)
      const last = citations.pop()
      if (words === undefined) {
        if (last) citations.push(last)
        if (!take(BETWEEN)) break
      } else if (last) citations.push({ ...last, quote: words.trim() })
      else quote = words.trim()
    }
  }
  return take(CLOSING) && citations.length > 0 && at <= to ? { start, end: at, citations } : null
}

function namedBy(
  [, letter, digits]: RegExpExecArray,
  isSquare: boolean,
  numbered: NumberedSource,
): readonly DraftCitation[] | null {
  if (letter) return [{ id: `P${digits}`, quote: '' }]
  return isSquare ? numbered(Number(digits)) : null
}

/** The marks, each with the quotation that stands between the end of a sentence and it: `It ran. "ran first" [P3]`. */
export function withQuotations(text: string, marks: readonly Mark[]): readonly Mark[] {
  return marks.map((mark, index) => withQuotedBefore(text, marks[index - 1]?.end ?? 0, mark))
}

const OPENING = ['"', '“', '„', '«']
const CLOSED = /["”“»][.,]?\s{0,3}$/

function withQuotedBefore(text: string, from: number, mark: Mark): Mark {
  const [first, ...others] = mark.citations
  const closing = first?.quote === '' ? CLOSED.exec(text.slice(Math.max(from, mark.start - 5), mark.start)) : null
  if (!first || !closing) return mark
  const end = mark.start - closing[0].length
  const start = Math.max(...OPENING.map((opening) => text.lastIndexOf(opening, end - 1)))
  const isQuotation =
    start >= from &&
    end - start <= longestQuote &&
    /(?:^|[.!?:…>\n)\]]\s{0,9})$/.test(text.slice(Math.max(from, start - 10), start))
  if (!isQuotation) return mark
  return { start, end: mark.end, citations: [{ ...first, quote: text.slice(start + 1, end).trim() }, ...others] }
}

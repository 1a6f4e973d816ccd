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

interface Tag {
  readonly start: number
  readonly end: number
  /** Undefined for a closing tag. */
  readonly attributes: string | undefined
}

/** Pairs of tags with the quote between them. A tag that nothing closes names a passage, or quotes up to the line's end. */
function tagsIn(text: string): readonly Mark[] {
  const tags = Array.from(text.matchAll(TAG), ({ 0: tag, 1: attributes, index }): Tag => {
    return { start: index, end: index + tag.length, attributes }
  })
  return tags.flatMap((tag, at) => (tag.attributes === undefined ? [] : markOf(tag, tags[at + 1], text)))
}

function markOf({ start, end, attributes = '' }: Tag, next: Tag | undefined, text: string): readonly Mark[] {
  const citation = citationOf(attributes)
  const isEmpty = attributes.endsWith('/')
  const isClosed = !isEmpty && next !== undefined && next.attributes === undefined && next.start - end <= longestQuote
  if (!isEmpty && !isClosed && citation.id === '') return []
  const quote = isEmpty
    ? ''
    : isClosed
      ? text.slice(end, next.start)
      : unclosedQuote(text, end, next?.start ?? text.length)
  const citations = [{ ...citation, quote: quote.trim() || citation.quote }]
  return [{ start, end: isClosed ? next.end : end + quote.length, citations }]
}

function unclosedQuote(text: string, from: number, to: number): string {
  const words = /^[\p{L}\p{N}"“„][^\n<]*/u.exec(text.slice(from, Math.min(to, from + longestQuote + 1)))?.[0] ?? ''
  return words.length <= longestQuote ? words : ''
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
/**
 * The words may hold quotation marks of their own: the last one before the bracket, or the next name or quote, closes. They
 * may go on in further lines, as a list does, where no bracket stands.
 */
const QUOTED =
  /["“„«»‘]([^"“”„«»\n]{1,2000}(?:["“”„«»](?!\s{0,3}(?:[.,;]?[\])】）]|(?:[,;/&+…]|\.{3}|and\b|und\b|et\b)\s{0,3}["“„«Pp]))[^"“”„«»\n]{0,2000}){0,12}(?:\n[^"“”„«»\n[\]【】]{0,500}){0,40})["”“»«’]/y
const BETWEEN = /(?:[\s,;:&+/….*_–—-]|and\b|und\b|et\b|pp?\.\s?\d{1,4}|page\s\d{1,4}|S\.\s?\d{1,4}){1,9}/uy
const UNQUOTED = /(?<=:\s?)[^"“„«\][()【】\n]{8,2000}/y
const CLOSING = /[.,;]?[\])】）](?:\(#[^()\s]{0,40}\))?/y
const mostNames = 32

type Take = (expression: RegExp) => RegExpExecArray | null

/** What stands in brackets, if it is passages and quotes alone. */
function readBracket(text: string, start: number, to: number, numbered: NumberedSource): Mark | null {
  const isSquare = text[start] === '[' || text[start] === '【'
  let at = start + 1
  const take: Take = (expression) => {
    expression.lastIndex = at
    const match = expression.exec(text)
    if (match) at += match[0].length
    return match
  }
  take(LEAD)
  const citations = citationsFrom(itemsIn(take, (number) => namedBy(number, isSquare, numbered)))
  if (take(CLOSING) && citations.length > 0 && at <= to) return { start, end: at, citations }
  return isSquare ? looseBracket(text, start, to) : null
}

const NAMES = /^.\s?(?:[\p{L}.]{2,9}:?\s?)?[Pp]\d{1,3}(?![\p{L}\d])[^"“”„«»‘\n[\]【】]{0,80}/u
const QUOTE_MARK = /["“”„«»‘]/g

/**
 * What begins with the name of a passage in square brackets, with whatever remarks, as far as these reach; unclosed, to the end
 * of its line or the next name. No tail of it becomes a sentence.
 */
function looseBracket(text: string, start: number, to: number): Mark | null {
  const line = /^.[^\n]{0,2200}/u.exec(text.slice(start, Math.min(to, start + longestQuote + longestTag)))?.[0] ?? ''
  const names = NAMES.exec(line)?.[0]
  if (names === undefined) return null
  const closing = closingOf(line)
  const rest = line.slice(names.length)
  if (closing < 0 && !/^["“„«»‘]|:/u.test(rest.slice(0, 1) + names)) return null
  const next = /[[【][Pp]\d/u.exec(rest)
  const end = closing >= 0 ? closing + 1 : next ? names.length + next.index : line.length
  const inner = line.slice(names.length, closing >= 0 ? closing : end)
  const marks = Array.from(inner.matchAll(QUOTE_MARK), ({ index }) => index)
  const last = marks.length > 1 ? marks.at(-1) : undefined
  const quote = marks.length > 0 ? inner.slice((marks[0] ?? 0) + 1, last).trim() : ''
  const ids = Array.from(names.matchAll(/[Pp](\d{1,3})(?![\p{L}\d])/gu), ([, digits = '']) => `P${digits}`)
  const citations = ids.map((id, index) => ({ id, quote: index === ids.length - 1 ? quote : '' }))
  return { start, end: start + end, citations }
}

/** Where the first bracket of a line is closed; -1 if nowhere. */
function closingOf(line: string): number {
  let depth = 0
  for (const { 0: bracket, index } of line.matchAll(/[[\]【】]/g)) {
    depth += bracket === '[' || bracket === '【' ? 1 : -1
    if (depth === 0) return index
  }
  return -1
}

/** The passages that a name or number means, or the words of a quote. */
type Item = readonly DraftCitation[] | string

type Named = (number: RegExpExecArray) => readonly DraftCitation[] | null

function itemsIn(take: Take, named: Named): readonly Item[] {
  const items: Item[] = []
  for (let taken = 0; taken < mostNames; taken += 1) {
    const item = takeItem(take, named, items.length > 0)
    if (item) items.push(item)
    else if (item === null || !take(BETWEEN)) break
  }
  return items
}

/** Null for a number that names no passage; undefined where neither a name nor a quote stands. */
function takeItem(take: Take, named: Named, isBehind: boolean): Item | null | undefined {
  const number = take(NUMBER)
  if (number) return named(number)
  return take(QUOTED)?.[1] ?? (isBehind ? take(UNQUOTED)?.[0] : undefined)
}

/** A quote belongs to the passage before it, and the first one to the passage behind it if none is before. */
function citationsFrom(items: readonly Item[]): readonly DraftCitation[] {
  const citations: DraftCitation[] = []
  let quote = ''
  for (const item of items) {
    const last = citations.at(-1)
    if (typeof item !== 'string') citations.push(...item.map((each) => ({ ...each, quote: each.quote || quote })))
    else if (!last) quote = item.trim()
    else citations.splice(last.quote === '' ? -1 : citations.length, 1, { ...last, quote: item.trim() })
  }
  return citations
}

function namedBy(
  [, letter, digits]: RegExpExecArray,
  isSquare: boolean,
  numbered: NumberedSource,
): readonly DraftCitation[] | null {
  if (letter) return [{ id: `P${digits}`, quote: '' }]
  return isSquare ? numbered(Number(digits)) : null
}

const PAIRS: Readonly<Record<string, string>> = { '(': ')', '[': ']', '【': '】', '*': '*', _: '_' }

/** The marks, each with the brackets and the emphasis that stand around it alone: `([P3])`, `**[P3]**`. */
export function withWrapping(text: string, marks: readonly Mark[]): readonly Mark[] {
  return marks.map((mark, index) => {
    const [from, to] = [marks[index - 1]?.end ?? 0, marks[index + 1]?.start ?? text.length]
    let { start, end } = mark
    while (start > from && end < to && PAIRS[text.charAt(start - 1)] === text.charAt(end)) {
      start -= 1
      end += 1
    }
    return { ...mark, start, end }
  })
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

/** A draft without the list of notes or sources at its end, and what each number of the list cites. */
export interface Noted {
  readonly text: string
  readonly notes: ReadonlyMap<number, readonly DraftCitation[]>
}

const NOTE = /^\s{0,3}(?:[-*]\s)?(?:\[\^?(\d{1,3})\]:?|(\d{1,3})[.)])\s{1,3}(\S.{0,2200})$/

/** "Sources:", "## Quellen", "**References**": a line that only announces what a citation follows. */
export const sourceLabel =
  /^[\s*_#>-]{0,9}(?:sources?|references?|citations?|evidence|quotes?|footnotes?|notes?|quellen?|belege?|nachweise?|fußnoten?|fuentes?|citas?|notas?|références?)\s?\*{0,3}\s?:?\*{0,3}\s{0,9}$/i

/**
 * Takes the lines that give the numbers of a draft a meaning off it: `[^1]: P3: "words"`, `[1] P3`, and under a label also
 * `1. P3`. A draft that has no such list is returned as it is.
 */
export function withoutNotes(draft: string): Noted {
  const notes = new Map<number, readonly DraftCitation[]>()
  const kept: string[] = []
  let isLabelled = false
  for (const line of draft.split('\n')) {
    const match = NOTE.exec(line)
    isLabelled = sourceLabel.test(line) || (isLabelled && (line.trim() === '' || match !== null))
    const note = match && noteOf(match, isLabelled)
    if (note) notes.set(...note)
    else kept.push(line)
  }
  if (notes.size === 0) return { text: draft, notes }
  return { text: kept.filter((line) => !sourceLabel.test(line)).join('\n'), notes }
}

/** A number in brackets that cites something, and below a label any number. */
function noteOf(
  [, inBrackets, plain, body = '']: RegExpExecArray,
  isLabelled: boolean,
): readonly [number, readonly DraftCitation[]] | null {
  const citations = citedIn(body)
  const isNote = isLabelled || (inBrackets !== undefined && citations.length > 0)
  return isNote ? [Number(inBrackets ?? plain), citations] : null
}

/** A note names a passage, quotes words, or both. */
function citedIn(body: string): readonly DraftCitation[] {
  const [id = ''] = /\bP\d{1,3}\b/.exec(body) ?? []
  const quote = /["“„«]([^"“”„«»]{1,2000})["”“»]/.exec(body)?.[1] ?? ''
  return id === '' && quote === '' ? [] : [{ id: handleOf(id), quote: quote.trim() }]
}

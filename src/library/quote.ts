import { beginsWithDigit, endWithout, hasLetter } from './language/characters.ts'
/** A stretch of a text: `text.slice(start, end)`. */
export interface Span {
  readonly start: number
  readonly end: number
}

/**
 * Finds a quote in the text of a page and returns where it stands there, so that `pageText.slice(start, end)` is the
 * quote as the page has it; null if the page does not say it.
 *
 * What typesetting changes does not count: white space and line ends, bars between table cells, ligatures, soft
 * hyphens, hyphens at line ends, the shape of quotation marks, primes and dashes, full-width forms, Unicode composition,
 * the case of the first letter; nor marks around or in a quotation (`**`, `&amp;`, a bullet). Everything else must agree
 * letter by letter, and the quote must begin and end where words do: "7.2" is not found in "87.2", nor "significant" in
 * "non-significant". A quote needs a word of three letters, or a number. Of several occurrences, one inside `preferred`
 * is returned, else the first.
 */
export function findQuote(quote: string, pageText: string, preferred?: Span): Span | null {
  const copied = preferred && findCopy(quote.trim(), pageText, preferred)
  if (copied) return copied
  const page = plainPage(pageText)
  const spans = quoteForms(quote).flatMap((form) => occurrences(form, page, pageText))
  const inside = spans.find((span) => preferred && span.start >= preferred.start && span.end <= preferred.end)
  return inside ?? spans[0] ?? null
}

/** The fast way: most quotes are exact copies from the passage they name. */
function findCopy(quote: string, pageText: string, { start: from, end: to }: Span): Span | null {
  const within = saysSomething(quote) ? pageText.slice(from, to).indexOf(quote) : -1
  const start = from + within
  const end = start + quote.length
  return within >= 0 && standsAlone(pageText, start, end) ? { start, end } : null
}

/**
 * A text without the effects of typesetting. A hyphen at a line end may belong to the word or not: both readings are
 * given, a line each.
 */
export function asRead(text: string): string {
  const [joined, kept] = ['', '-'].map((hyphen) =>
    text.replace(UNIT, (unit: string, at: number) => {
      if (/^[-‐‑\u00ad]/.test(unit) && unit !== '\u00ad' && isInsideWord(text, at, unit)) {
        return /[\n\r]/.test(unit) ? hyphen : '-'
      }
      return unit.includes('|') ? unit : plainUnit(unit)
    }),
  )
  return joined === kept ? (joined ?? '') : `${joined}\n${kept}`
}

/** A text without the effects of typesetting, and the place that each of its characters came from. */
interface Plain {
  readonly text: string
  readonly starts: readonly number[]
  readonly ends: readonly number[]
  /** Positions in `text` before which a hyphen was left out, and whether it stood at a line end. */
  readonly hyphens: ReadonlyMap<number, 'inside' | 'line-end'>
}

/** Characters that stand for the same mark, and the mark. */
const QUOTE_MARKS: readonly (readonly [string, string])[] = [
  ['‘’‚‛′`´＇', "'"],
  ['“”„‟″«»＂', '"'],
  ['‐‑‒–—―−﹘﹣－', '-'],
  ['‹﹤', '<'],
  ['›﹥', '>'],
  ['⟦', '['],
  ['꞉', ':'],
  ['µ', 'μ'],
]
/** How far the full-width forms of ASCII are from it. */
const FULL_WIDTH = 0xfee0
const LIGATURES: ReadonlyMap<string, string> = new Map([
  ['ﬀ', 'ff'],
  ['ﬁ', 'fi'],
  ['ﬂ', 'fl'],
  ['ﬃ', 'ffi'],
  ['ﬄ', 'ffl'],
  ['ﬅ', 'st'],
  ['ﬆ', 'st'],
])
// One unit of meaning at a time: a hyphen between letters, white space with the bars of a table in it, Hangul
// syllables in parts, invisible characters, or one character with its accents. Every branch is bounded by its first
// character, so that scanning is linear.
const UNIT =
  /(?<=\p{L})[-‐‑\u00ad](?:[^\S\n\r]*[\n\r]\s*)?(?=\p{Ll})|\s+(?:\|\s+)*|[\u1100-\u11ff]+|[\u00ad\u061c\u200b-\u200f\u2060\ufeff]|\P{M}\p{M}*|\p{M}+/gu

/** Consecutive quotes of an answer are mostly from one page. */
let lastPage: { readonly text: string; readonly plain: Plain } | undefined

function plainPage(text: string): Plain {
  if (lastPage?.text !== text) lastPage = { text, plain: plain(text) }
  return lastPage.plain
}

function plain(original: string): Plain {
  const parts: string[] = []
  const starts: number[] = []
  const ends: number[] = []
  const hyphens = new Map<number, 'inside' | 'line-end'>()
  for (const match of original.matchAll(UNIT)) {
    const unit = match[0]
    if (/^[-‐‑\u00ad]/.test(unit) && unit !== '\u00ad' && isInsideWord(original, match.index, unit)) {
      hyphens.set(starts.length, /[\n\r]/.test(unit) || unit.startsWith('\u00ad') ? 'line-end' : 'inside')
      continue
    }
    const written = plainUnit(unit)
    parts.push(written)
    for (let i = 0; i < written.length; i += 1) {
      starts.push(match.index)
      ends.push(match.index + unit.length)
    }
  }
  return { text: parts.join(''), starts, ends, hyphens }
}

function isInsideWord(text: string, at: number, unit: string): boolean {
  return hasLetter(text[at - 1] ?? '') && /\p{Ll}/u.test(text[at + unit.length] ?? '')
}

function plainUnit(unit: string): string {
  if (/^\s/.test(unit)) return ' '
  if (/^[\u00ad\u061c\u200b-\u200f\u2060\ufeff]/.test(unit)) return ''
  // Most characters are plain ASCII letters and digits, which stand for themselves.
  if (/^[\w.,]$/.test(unit)) return unit
  const mark = QUOTE_MARKS.find(([characters]) => characters.includes(unit.charAt(0)))
  if (mark) return mark[1]
  if (/^[\uff01-\uff5e]/.test(unit)) {
    return (String.fromCharCode(unit.charCodeAt(0) - FULL_WIDTH) + unit.slice(1)).normalize('NFC')
  }
  return LIGATURES.get(unit) ?? unit.normalize('NFC')
}

/** The quote as given, then without marks around or in it. */
function quoteForms(quote: string): readonly Plain[] {
  const given = quote.trim()
  const read = withoutEntities(withoutEmphasis(given))
  const forms = [given, bare(given), read, bare(read)]
  return [...new Set(forms)].filter(saysSomething).flatMap(bothCases).map(plain)
}

/** A text without the asterisks, underscores and backticks of Markdown; "2*10" keeps what multiplies. */
export function withoutEmphasis(text: string): string {
  return text.replace(
    /(?<![\p{N})*])\*{1,3}|\*{1,3}(?![\p{N}(*])|(?<![\p{L}\p{N}])_{1,3}|_{1,3}(?![\p{L}\p{N}])|`/gu,
    '',
  )
}

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['&amp;', '&'],
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&quot;', '"'],
  ['&#39;', "'"],
  ['&apos;', "'"],
  ['&nbsp;', ' '],
])

function withoutEntities(text: string): string {
  return text.replace(/&[a-z#0-9]{2,5};/g, (entity) => ENTITIES.get(entity) ?? entity)
}

/** Without the quotation marks, dots, bars and bullets that it begins or ends with. */
function bare(text: string): string {
  return strip(text.replace(/^[-–]\s/, ''), `${BARE}•`, `${BARE}.,;:`)
}

const BARE = '"“”\'‘’«»…| \t\n\r\u00a0'

/** Trims characters off both ends, one at a time: an anchored pattern would take quadratic time on long runs. */
function strip(text: string, before: string, after: string): string {
  let start = 0
  while (start < text.length && before.includes(text.charAt(start))) start += 1
  return text.slice(
    start,
    Math.max(
      start,
      endWithout(text, (character) => after.includes(character)),
    ),
  )
}

function saysSomething(quote: string): boolean {
  return /\p{L}[\p{L}\p{M}]{2}|\p{N}/u.test(quote)
}

function bothCases(quote: string): readonly string[] {
  const at = quote.search(/\p{L}/u)
  if (at < 0) return [quote]
  const letter = String.fromCodePoint(quote.codePointAt(at) ?? 0)
  const other = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()
  return other.length === letter.length
    ? [quote, quote.slice(0, at) + other + quote.slice(at + letter.length)]
    : [quote]
}

/** More occurrences are not looked at: a page of one repeated word has many. */
const MAX_OCCURRENCES = 1_000

function occurrences(quote: Plain, page: Plain, pageText: string): readonly Span[] {
  const spans: Span[] = []
  if (quote.text.length === 0) return spans
  let at = page.text.indexOf(quote.text)
  for (let tried = 0; at >= 0 && tried < MAX_OCCURRENCES; tried += 1) {
    const start = page.starts[at]
    const end = page.ends[at + quote.text.length - 1]
    if (
      start !== undefined &&
      end !== undefined &&
      hyphensAgree(quote, page, at) &&
      standsAlone(pageText, start, end)
    ) {
      spans.push({ start, end })
    }
    at = page.text.indexOf(quote.text, at + 1)
  }
  return spans
}

/** A hyphen inside a word must stand on both sides, unless one side may have it from the end of a line. */
function hyphensAgree(quote: Plain, page: Plain, at: number): boolean {
  const agrees = (own: string | undefined, other: string | undefined) =>
    own === other || own === 'line-end' || other === 'line-end'
  for (const [position, hyphen] of quote.hyphens) {
    if (position > 0 && !agrees(hyphen, page.hyphens.get(at + position))) return false
  }
  for (const [position, hyphen] of page.hyphens) {
    const inQuote = position - at
    if (inQuote > 0 && inQuote < quote.text.length && !agrees(hyphen, quote.hyphens.get(inQuote))) return false
  }
  return true
}

// Characters that join two halves of one word or number.
const INVISIBLE = /[\u00ad\u061c\u200b-\u200f\u2060\ufeff]/g
const WORD_BEFORE = /([\p{L}\p{N}\p{M}]|[\p{L}\p{N}][-‐‑](?:[^\S\n\r]*[\n\r]\s*)?)$/u
const WORD_AFTER = /^([\p{L}\p{N}\p{M}]|[-‐‑](?:[^\S\n\r]*[\n\r]\s*)?[\p{L}\p{N}])/u
const NUMBER_BEFORE = /(\p{N}[.,–]|(^|[\s([|])[-−])$/u
const NUMBER_AFTER = /^[.,–]\p{N}/u
const CONTEXT = 8

/** A quote begins and ends where words and numbers do. */
function standsAlone(text: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - CONTEXT), start).replace(INVISIBLE, '')
  const after = text.slice(end, end + CONTEXT).replace(INVISIBLE, '')
  const quote = text.slice(start, end)
  const cutsBefore =
    (/^[\p{L}\p{N}]/u.test(quote) && WORD_BEFORE.test(before)) || (beginsWithDigit(quote) && NUMBER_BEFORE.test(before))
  const last = quote.slice(-2)
  const cutsAfter =
    (/[\p{L}\p{N}\p{M}]$/u.test(last) && WORD_AFTER.test(after)) || (/\p{N}$/u.test(last) && NUMBER_AFTER.test(after))
  return !cutsBefore && !cutsAfter
}

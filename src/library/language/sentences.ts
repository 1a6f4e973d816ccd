import { beginsLower, endWithout, isRow } from './characters.ts'

/** One sentence: `text.slice(start, end)`, without the white space around it. */
export interface Sentence {
  readonly start: number
  readonly end: number
}

/**
 * Where the sentences of a text stand. A line end always ends a sentence; within a line, a full stop, question or
 * exclamation mark does (with the quotes, brackets and citation that close it), unless it belongs to an abbreviation,
 * an initial, a number, a date or an address. A row of a Markdown table is one sentence. Only white space lies between
 * sentences.
 */
export function sentences(text: string): readonly Sentence[] {
  const found: Sentence[] = []
  let lineStart = 0
  for (const line of text.split('\n')) {
    for (const piece of sentencesOfLine(line)) {
      found.push({ start: lineStart + piece.start, end: lineStart + piece.end })
    }
    lineStart += line.length + 1
  }
  return found
}

// A stop, what closes after it (emphasis too), a footnote or citation number, and the white space that must follow.
// Full-width stops need no space.
const possibleEnd =
  /(?:(?<![.!?…])[.!?…]+["'”’»)\]*_]*(?:\[\d[\d,–\s-]*\]|[\d⁰¹²³⁴-⁹]{1,3}(?:[,–-][\d⁰¹²³⁴-⁹]{1,3})*)?(?=\s|$)|[。！？]["'”’」』）]*)/gu

function sentencesOfLine(line: string): Sentence[] {
  const found: Sentence[] = []
  let start = skipSpace(line, 0)
  const isMarkdownRow = line.charAt(start) === '|' && line.trimEnd().endsWith('|')
  if (isMarkdownRow) return [{ start, end: line.trimEnd().length }]
  for (const match of line.matchAll(possibleEnd)) {
    const end = match.index + match[0].length
    if (end <= start || !endsSentence(line, match.index, end, match[0])) continue
    found.push({ start, end })
    start = skipSpace(line, end)
  }
  const last = line.trimEnd().length
  if (start < last) found.push({ start, end: last })
  return found
}

function skipSpace(line: string, from: number): number {
  let at = from
  while (at < line.length && line.charAt(at).trim() === '') at += 1
  return at
}

// Words before a name; in small letters they are others ("19 ms.").
const titles = new Set('Mr Mrs Ms Dr Prof St Rev Hon Gen Col Capt Lt Sgt'.split(' '))
// Words between two parts of a sentence.
const leading = new Set(
  'vs cf e.g i.e eg ie viz dept approx ca max min avg incl excl bzw z.b d.h u.a evtl ggf inkl zzgl sog vgl'.split(' '),
)
// Words before a number: "Fig. 2", "No. 5", "pp. 3–9".
const counting = new Set(
  'fig figs eq eqs eqn eqns sec secs tab tabs ch chap vol vols no nos pp p art app appx ref refs thm lem prop def jan feb mar apr jun jul aug sep sept oct nov dec nr kap abb'.split(
    ' ',
  ),
)
// Words that may stand at the end of a sentence; what follows decides.
const trailing = new Set(
  'al etc inc ltd co corp jr sr ph.d m.d b.sc m.sc u.s u.k e.u a.m p.m univ ed eds resp mio mrd tsd usw'.split(' '),
)

function endsSentence(line: string, stop: number, end: number, mark: string): boolean {
  const next = line.slice(end, end + 40).trimStart()
  if (next === '' || !mark.startsWith('.')) return !beginsLower(next)
  // A bar stands between two cells of a row.
  if (/^[\p{Ll},;:)\]|]/u.test(next)) return false
  // One of the stops of ". . .", too.
  if (next.startsWith('.')) return false
  if (mark.startsWith('..') || /\. $/.test(line.slice(0, stop))) return /^["“‘(]?\p{Lu}/u.test(next)
  // "3.5 Tesla" holds no end, "as shown.5 Then" does.
  if (/\d$/u.test(mark) && /\d/u.test(line.charAt(stop - 1))) return false
  return !isAbbreviation(wordBefore(line, stop), next, line, stop)
}

function isAbbreviation(word: string, next: string, line: string, stop: number): boolean {
  const lower = word.toLowerCase()
  if (titles.has(word) || leading.has(lower)) return true
  if (isOrdinal(word, next) || isLetterPair(word, next, line, stop)) return true
  if (counting.has(lower) && /^[([]?(?:\p{Lu}?\d|[IVXLC]+\b|\p{Lu}(?![\p{L}’']))/u.test(next)) return true
  if (isListNumber(line, stop, word)) return true
  return !startsSentence(next) && (trailing.has(lower) || isInitial(word, line, stop))
}

function wordBefore(line: string, stop: number): string {
  const from = Math.max(0, stop - 24)
  const last =
    line
      .slice(from, stop)
      .split(/[^\p{L}\p{N}.]/u)
      .at(-1) ?? ''
  return last.replace(/^\.+/, '')
}

// "2. Dezember", "im 3. Quartal": a number before what German counts.
const COUNTED =
  /^(?:Jan|Feb|M[äa]r|Apr|Ma[iy]|Jun|Jul|Aug|Sep|O[kc]t|Nov|De[zc]|Quartal|Halbjahr|Jahrhundert|Jahrgang|Jahrestag|Geburtstag|Lebensjahr|Platz|Tag|Monat|Jahr|Stock|Klasse)/

function isOrdinal(word: string, next: string): boolean {
  return /^\d{1,2}$/.test(word) && COUNTED.test(next)
}

// "z. B.", "d. h.", "u. a. Fahrräder"
function isLetterPair(word: string, next: string, line: string, stop: number): boolean {
  if (!/^\p{L}$/u.test(word)) return false
  return (
    (/^\p{Ll}$/u.test(word) && /^\p{L}\./u.test(next)) ||
    /(?:^|\s)\p{Ll}\.\s?$/u.test(line.slice(Math.max(0, stop - 5), stop - 1))
  )
}

// "J. Smith", "A. B. Chen", "TODD P. CRAVENS": one capital that follows the start, a space, a dot or a hyphen. Not "vitamin C."
function isInitial(word: string, line: string, stop: number): boolean {
  if (!/^(?:\p{Lu}|(?:\p{Lu}\.)+\p{Lu})$/u.test(word)) return false
  const next = line.slice(stop + 1, stop + 40).trimStart()
  const start = stop - word.length
  const beside = line.slice(Math.max(0, start - 40), start)
  // "**N. Farrow**", "- N. Farrow": what Markdown sets before a name.
  const isMarked = /(?:^|[\s(])[*_]{1,3}$/u.test(beside)
  const said = beside.replace(/^\s{0,9}(?:[#>*+•–-]{1,6}\s{1,9})?/u, '')
  const before = said.slice(
    0,
    endWithout(said, (character) => /[\s*_]/u.test(character)),
  )
  if (/^\p{Lu}\./u.test(next)) return true
  if (/^\p{Lu}{2}/u.test(next)) return /(?:^|\P{L})\p{Lu}{2,30}$/u.test(before)
  return /^\p{Lu}[\p{Ll}’']/u.test(next) && (isMarked || before === '' || BEFORE_INITIAL.test(before))
}

const BEFORE_INITIAL = /(?:[,;:(&.|“"–—]|\b(?:and|by|with|from|between|authors?|[Mm]iss)|\p{Lu}\p{Ll}+)$/u

// "3. Results" at the start of a line is a number, not a sentence.
function isListNumber(line: string, stop: number, word: string): boolean {
  return stop < 10 && /^\(?(?:\d{1,3}|[ivxIVX]{1,4})(?:\.\d+)*$/u.test(word) && line.slice(0, stop).trim() === word
}

function startsSentence(next: string): boolean {
  return /^["“‘(]?(?:The|This|These|Those|We|It|In|Our|For|However|They|He|She|A|An|As|By|On|To|But|And|While|Der|Die|Das|Es|Er|Sie|Im|Ein|Eine|Le|La|Les|Il|Elle|El|Los|Las)\b/u.test(
    next,
  )
}

/** A line that is an item of a list, by its bullet or number. */
const ITEM = /^(?:[•◦▪‣·*–—-]|\(?(?:\d{1,3}|[a-z]|[ivx]{1,4})[.)])\s+\S/
/** A shorter line ends where its author wanted it to end. */
const FULL_LINE = 50

const NONE: ReadonlySet<string> = new Set()

/**
 * The sentences of a text; one that is broken at the end of a full line, or goes on in small letters, is one. A line that is
 * one of the headings stands alone.
 */
export function unbrokenSentences(text: string, headings: ReadonlySet<string> = NONE): readonly Sentence[] {
  const isHeading = ({ start, end }: Sentence) => headings.has(text.slice(start, end))
  const joined: Sentence[] = []
  let before: Sentence | undefined
  for (const span of sentences(text)) {
    const last = joined.at(-1)
    if (last && before && !isHeading(last) && !isHeading(span) && goesOn(text, before, span))
      joined[joined.length - 1] = { start: last.start, end: span.end }
    else joined.push(span)
    before = span
  }
  return joined
}

/** Whether the last line of a sentence goes on in the next one. */
function goesOn(text: string, last: Sentence, next: Sentence): boolean {
  const between = text.slice(last.end, next.start)
  const [line, following] = [text.slice(last.start, last.end), text.slice(next.start, next.end)]
  if (between.split('\n').length !== 2 || /[.!?:;…]["”’)\]]*$/.test(line)) return false
  return isOneParagraph(line, following)
}

/** Whether a line and the one below it belong together, as far as their form tells. */
export function isOneParagraph(line: string, following: string): boolean {
  if (isRow(line) || isRow(following) || isItem(following)) return false
  return /^[\p{Ll}(]/u.test(following) || line.length >= FULL_LINE
}

/** Whether a line is an item of a list. */
export function isItem(line: string): boolean {
  return ITEM.test(line)
}

import type { Provenance } from '../../port/document.ts'
import { isSectionName } from './headings.ts'
import type { BodyType, Line } from './lines.ts'

export interface Metadata {
  readonly title: Provenance<string> | null
  readonly titleLines: readonly Line[]
  /** Names, addresses and dates between the title and the text. */
  readonly frontLines: ReadonlySet<Line>
  readonly authors: Provenance<readonly string[]> | null
  readonly year: Provenance<number> | null
}

const firstLines = 40
const titleSize = 1.15
/** Times the size of the running text: a short text of this size is a title, not an initial or a logo. */
const shortTitleSize = 2

/** Finds title, authors and year on page 1; `properties` are the file's own, used where the page agrees. */
export function readMetadata(
  page: readonly Line[],
  body: BodyType,
  properties: { readonly title: string | null; readonly author: string | null },
): Metadata {
  const titleLines = findTitle(page, body)
  const title = titleLines.map((line) => line.text).join(' ')
  const pageText = page.map((line) => line.text).join('\n')
  return {
    title:
      title !== '' ? { value: title, from: 'largest font on page 1' } : titleFromProperties(properties.title, pageText),
    titleLines,
    frontLines: findFrontLines(page, titleLines, body),
    authors: authorsFromProperties(properties.author, pageText) ?? findAuthors(page, titleLines),
    year: findYear(pageText),
  }
}

/** The largest type within the first 40 lines, if it is clearly larger than the text and no section's heading. */
function findTitle(page: readonly Line[], body: BodyType): Line[] {
  const candidates = page
    .slice(0, firstLines)
    .filter((line) => line.rotation === 0 && line.size >= titleSize * body.size && /\p{L}{3}/u.test(line.text))
  const sizes = [...new Set(candidates.map((line) => line.size))].sort((one, other) => other - one)
  for (const size of sizes) {
    const lines = adjacent(candidates.filter((line) => Math.abs(line.size - size) < 0.3))
    const text = lines.map((line) => line.text).join(' ')
    const isLong = text.length >= 8 || (text.length >= 4 && size >= shortTitleSize * body.size)
    if (isLong && text.length <= 300 && !lines.some((line) => isSectionName(line.text))) return lines
  }
  return []
}

function adjacent(lines: readonly Line[]): Line[] {
  const [first, ...rest] = lines
  if (!first) return []
  const found = [first]
  for (const line of rest) {
    const last = found.at(-1)
    if (!last || Math.abs(last.y - line.y) > 2 * line.size) break
    found.push(line)
  }
  return found
}

function findFrontLines(page: readonly Line[], titleLines: readonly Line[], body: BodyType): Set<Line> {
  const last = titleLines.at(-1)
  const front = new Set<Line>()
  if (!last) return front
  for (const line of page.slice(page.indexOf(last) + 1).slice(0, linesBelowTitle)) {
    const isText = line.font === body.font && Math.abs(line.size - body.size) < 0.1 && line.text.length > 40
    if (isText || beginsSection(line)) break
    if (titleSize * line.size < last.size) front.add(line)
  }
  return front
}

function titleFromProperties(title: string | null, pageText: string): Provenance<string> | null {
  if (!title || /\.(?:docx?|dvi|tex|pdf|indd)$|^(?:untitled|microsoft word)/i.test(title)) return null
  const words = title.toLowerCase().match(/\p{L}{4,}/gu) ?? []
  const onPage = words.filter((word) => pageText.toLowerCase().includes(word))
  return words.length >= 2 && onPage.length >= words.length * 0.8 ? { value: title, from: 'PDF properties' } : null
}

function authorsFromProperties(author: string | null, pageText: string): Provenance<readonly string[]> | null {
  const names = splitNames(author ?? '')
  const found = names.length > 0 && names.every((name) => pageText.includes(name.split(' ').at(-1) ?? name))
  return found ? { value: names, from: 'PDF properties' } : null
}

const linesBelowTitle = 12

/** "A. Introduction" begins a section, "A. Lindqvist and M. Okafor" does not. */
function beginsSection({ text }: Line): boolean {
  return isSectionName(text) && splitNames(text).length === 0
}

/** The first name-like line below the title, and name-like lines right after it. */
function findAuthors(page: readonly Line[], titleLines: readonly Line[]): Provenance<readonly string[]> | null {
  const last = titleLines.at(-1)
  if (!last) return null
  const names: string[] = []
  for (const line of page.slice(page.indexOf(last) + 1).slice(0, linesBelowTitle)) {
    if (beginsSection(line)) break
    const found = line.segments.flatMap((segment) => splitNames(segment.text))
    if (found.length > 0) names.push(...found)
    else if (names.length > 0) break
  }
  return names.length > 0 ? { value: names, from: 'name-like line below the title' } : null
}

const firstName = /^\p{Lu}(?:\.|[\p{L}'’-]*)(?:-?\p{Lu}\.)*$/u
const initials = /^\p{Lu}\.(?:-?\p{Lu}\.)*$/u
const laterName = /^(?:van|von|de|den|der|del|della|di|da|la|le|el|al|bin|ten|ter|dos|\p{Lu}[\p{L}'’-]*)$/u
const mostNames = 4

/** One name, and up to four more, with initials between them. */
function isName(part: string): boolean {
  const [first = '', ...others] = part.split(' ')
  const names = others.filter((word) => !initials.test(word))
  const isLong = names.length > mostNames || others.length === 0
  return !isLong && firstName.test(first) && names.every((word) => laterName.test(word))
}

const notName =
  /\b(?:universit|institut|department|school|college|laborator|research|google|microsoft|amazon|inc|corp|labs?|center|centre|proceedings|conference|journal|abstract|copyright|volume|manual|handbook|reference|guide|introduction|program|edition|users?|your|our|association|academy|hospital|street|usa|china|germany|preprint|under review|technical report|draft|version|january|february|march|april|may|june|july|august|september|october|november|december|and its|the|for|with|from)/iu

function splitNames(line: string): string[] {
  if (line.length > 500 || /[@{}()[\]:]/u.test(line)) return []
  // Characters other than letters (a comma, a footnote mark, an index) separate names.
  const parts = line
    .replace(/[^\p{L}\p{M}\s.'’-]+/gu, ',')
    .split(/,|\sand\s/u)
    .map((part) => part.trim())
    .filter((part) => part !== '')
  return parts.length > 0 && parts.every((part) => part.length < 60 && isName(part) && !notName.test(part)) ? parts : []
}

const months =
  'jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?'
const year = '((?:19|20)\\d{2})'
/** Its years run from the first version to this one. */
const copyright = 'copyright line on page 1'
const yearPatterns: readonly { readonly pattern: RegExp; readonly from: string }[] = [
  { pattern: new RegExp(`arXiv:\\S{1,40}\\s.{0,40}?\\d{1,2} (?:${months}) ${year}`, 'gisu'), from: 'arXiv stamp' },
  {
    pattern: new RegExp(
      `(?:©|\\(c\\)|copyright)\\s*(?:(?:©|\\(c\\)|c)\\s*)?(?:(?:19|20)\\d{2}\\s*[-–,]\\s*)*${year}`,
      'giu',
    ),
    from: copyright,
  },
  {
    pattern: new RegExp(
      `\\b(?:${months})\\.? (?:\\d{1,2}(?:\\s*[-–]\\s*(?:(?:${months}) )?\\d{1,2})?,? )?${year}\\b`,
      'giu',
    ),
    from: 'date on page 1',
  },
]

function findYear(pageText: string): Provenance<number> | null {
  for (const { pattern, from } of yearPatterns) {
    const years = [...pageText.matchAll(pattern)].map(([, found]) => Number(found))
    if (years.length > 0) return { value: from === copyright ? Math.max(...years) : (years[0] ?? 0), from }
  }
  return null
}

import type { Provenance } from '../../port/document.ts'
import { authorNames, printedNames } from '../common/author-names.ts'
import { agreesWith, isDateLine, isPlaceholder, statedYear } from '../common/stated.ts'
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

/**
 * Finds title, authors and year on the first page with text. `properties` are the file's own, used where the page agrees;
 * `lines` are those of the whole document, in which no name of a person is a common word.
 */
export function readMetadata(
  page: readonly Line[],
  body: BodyType,
  properties: { readonly title: string | null; readonly author: string | null },
  lines: readonly Line[],
): Metadata {
  const texts = page.map((line) => line.text)
  const filing = readFiling(page)
  if (filing) return { ...filing, titleLines: [], frontLines: new Set(), authors: null }
  const titleLines = findTitle(page, body)
  const drawn = titleLines
    .map((line) => line.text)
    .join(' ')
    .replace(noteMarks, '')
  const title = isPlaceholder(drawn) ? '' : drawn
  const stated = properties.title !== null && agreesWith(texts.join('\n'), properties.title) ? properties.title : null
  return {
    title: titleOf(title, stated),
    titleLines,
    frontLines: findFrontLines(page, titleLines, body),
    authors: authorsFromProperties(properties.author, texts.join('\n')) ?? findAuthors(page, titleLines, lines),
    year: statedYear(texts),
  }
}

/** What is printed largest, unless the file states a title of other words that the page has too: then that is a publisher. */
function titleOf(drawn: string, stated: string | null): Provenance<string> | null {
  if (stated !== null && (drawn === '' || !agreesWith(drawn, stated, 0.5)))
    return { value: stated, from: 'PDF properties' }
  return drawn === '' ? null : { value: drawn, from: 'largest font on page 1' }
}

/** The largest type within the first 40 lines, if it is clearly larger than the text and no section's heading. */
function findTitle(page: readonly Line[], body: BodyType): Line[] {
  const candidates = page
    .slice(0, firstLines)
    .filter((line) => line.rotation === 0 && line.size >= titleSize * body.size && /\p{L}{3}/u.test(line.text))
  // A mark may be drawn many times.
  const texts = candidates.map((line) => line.text)
  if (new Set(texts).size * 2 < texts.length) return []
  const sizes = [...new Set(candidates.map((line) => line.size))].sort((one, other) => other - one)
  for (const size of sizes) {
    const lines = adjacent(candidates.filter((line) => Math.abs(line.size - size) < 0.3))
    const text = lines.map((line) => line.text).join(' ')
    // A single word is a mark, or the name of what the document is about.
    const isLong = text.length >= 8 && text.includes(' ')
    if (isLong && text.length <= 300 && !lines.some((line) => isSectionName(line.text))) return lines
    if (text.length >= 4) return []
  }
  return []
}

const mostLeading = 3
const version = /^(?:release|revision|version|v\.?) ?\d/iu
/** Marks of footnotes at the end of a title. */
const noteMarks = /[\s*∗†‡§¶⁰¹²³⁴-⁹\ufffd]{1,5}$/u

function adjacent(lines: readonly Line[]): Line[] {
  const [first, ...rest] = lines
  if (!first) return []
  const found = [first]
  for (const line of rest) {
    const last = found.at(-1)
    if (!last || Math.abs(last.y - line.y) > mostLeading * line.size) break
    if (isDateLine(line.text) || version.test(line.text)) break
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

function authorsFromProperties(author: string | null, pageText: string): Provenance<readonly string[]> | null {
  const names = author === null ? [] : authorNames(author)
  const areNamed = names.every((name) => name.includes(' ') && !/\d/.test(name) && agreesWith(pageText, name, 1))
  return names.length > 0 && areNamed ? { value: names, from: 'PDF properties' } : null
}

const linesBelowTitle = 12

/** "A. Introduction" begins a section, "A. Lindqvist and M. Okafor" does not. */
function beginsSection({ text }: Line): boolean {
  return isSectionName(text) && printedNames(text).length === 0
}

/** The first line of names below the title, and lines of names right after it. */
function findAuthors(
  page: readonly Line[],
  titleLines: readonly Line[],
  lines: readonly Line[],
): Provenance<readonly string[]> | null {
  const last = titleLines.at(-1)
  if (!last) return null
  const names: string[] = []
  for (const line of page.slice(page.indexOf(last) + 1).slice(0, linesBelowTitle)) {
    if (beginsSection(line)) break
    const found = line.segments.flatMap((segment) => printedNames(segment.text))
    if (found.length > 0) names.push(...found)
    else if (names.length > 0) break
  }
  const common = names.length > 0 ? commonWords(lines) : new Set()
  const isKnown = (name: string): boolean => name.split(/[\s-]+/u).some((part) => common.has(part.toLowerCase()))
  const areNames = names.length > 0 && !names.some(isKnown)
  return areNames ? { value: names, from: 'name-like line below the title' } : null
}

/** The words that a document writes without a capital: "new" and "ended" are no names in it. */
function commonWords(lines: readonly Line[]): ReadonlySet<string> {
  const seen = new Map<string, number>()
  for (const { text } of lines) {
    for (const word of text.split(' ')) {
      // Addresses hold names in small letters.
      const found = /^[("'“‘]?(\p{Ll}{3,})[)"'”’.,;:!?]{0,2}$/u.exec(word)?.[1]
      if (found) seen.set(found, (seen.get(found) ?? 0) + 1)
    }
  }
  return new Set([...seen].filter(([, count]) => count >= fewestUses).map(([word]) => word))
}

const fewestUses = 2

/** What the title page of a filing with the Securities and Exchange Commission states in the places the form sets. */
export interface Filing {
  /** "Netflix, Inc., 10-K 2017"; null where nobody is named. */
  readonly title: Provenance<string> | null
  readonly year: Provenance<number> | null
}

const from = 'form on page 1'

/** Null if the page is no such form. Its largest type is the commission, the form's number or the company. */
export function readFiling(page: readonly Line[]): Filing | null {
  const lines = page.map((line) => line.text)
  const isFiling = lines.some((text) => /securities and exchange commission$/iu.test(text))
  const kind = lines.map((text) => /^form (\d{1,2}-\p{L}{1,2}(?:\/A)?)$/iu.exec(text)?.[1]).find(Boolean)
  if (!isFiling || !kind) return null
  const company = companyOf(page)
  const { period, year } = periodOf(lines.join('\n'))
  const title = `${company}, ${kind.toUpperCase()} ${period}`.trim()
  return { title: company === null ? null : { value: title, from }, year: year > 0 ? { value: year, from } : null }
}

/** What stands above "(Exact name of registrant …)"; without it, the largest type that is not the form's own. */
function companyOf(page: readonly Line[]): string | null {
  const named = page.filter(({ text }) => /\p{L}{2}/u.test(text))
  const below = named.findIndex(({ text }) => /^\(exact name of (?:the )?registrant/iu.test(text))
  if (below > 0) return named[below - 1]?.text ?? null
  const own = named.filter(({ text }) => !/^(?:united states|form |.*securities and exchange commission$)/iu.test(text))
  const largest = own.reduce<Line | null>((most, line) => (most && most.size >= line.size ? most : line), null)
  return largest && own.every((line) => line === largest || line.size < largest.size) ? largest.text : null
}

const date = String.raw`(\p{L}{3,9}\.? \d{1,2}, ((?:19|20)\d{2}))`
const annual = new RegExp(`fiscal year ended\\b\\D{0,60}?\\s${date}`, 'iu')
const other = new RegExp(`(?:period ended\\b|earliest event reported)\\D{0,60}?\\s${date}`, 'iu')

/** The year of an annual report; the date of another. */
function periodOf(text: string): { readonly period: string; readonly year: number } {
  const [, , year = ''] = annual.exec(text) ?? []
  if (year !== '') return { period: year, year: Number(year) }
  const [, day = '', ofDay] = other.exec(text) ?? []
  return { period: day, year: Number(ofDay ?? 0) }
}

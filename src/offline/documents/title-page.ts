import type { EvidencePassage } from '../../events/index.ts'
import type { DocumentFacts } from '../parts/parts.ts'
import { holdsText } from './quoting.ts'

/** A date with its day or month. */
export const DATE =
  /\b(?:(?:\d{1,2}(?:st|nd|rd|th)? )?(?:january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\.?,? (?:\d{1,2}(?:st|nd|rd|th)?,? )?(?:19|20)\d\d|(?:19|20)\d\d-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./](?:19|20)\d\d)\b/iu

/** A line that is longer than this, in characters, is text. */
const LONGEST_LINE = 160
const TITLE_PAGE_LINES = 12
const BYLINE = /^(?:by|authors?|written by|prepared by|compiled by|edited by)\b\s*(?::\s*)?\p{Lu}.{2,150}$/iu
const NAMES =
  /^\p{Lu}[\p{L}'’.-]+(?: \p{Lu}[\p{L}'’.-]*){1,3}(?:(?:, | and | & )\p{Lu}[\p{L}'’.-]+(?: \p{Lu}[\p{L}'’.-]*){1,3})*(?:, (?:\p{Lu}\p{L}+ )?(?:19|20)\d\d)?$/u

/** The line that says by whom a document is, under its title or with a word such as "by". */
export function bylineOf({ title, firstPage }: DocumentFacts): string | null {
  const lines = titleLines(firstPage)
  const byline = lines.find((line) => BYLINE.test(line))
  if (byline !== undefined) return byline
  const titleAt = lines.findIndex((line) => title.some(({ value }) => holdsText(value, line)))
  const next = titleAt < 0 ? undefined : lines[titleAt + 1]
  return next !== undefined && NAMES.test(next) ? next : null
}

/** The first line of the title page with a date. */
export function dateLineOf({ firstPage }: DocumentFacts): string | null {
  return titleLines(firstPage).find((line) => line.length <= LONGEST_LINE && DATE.test(line)) ?? null
}

/** Which issue of a document it is, in the words of its title page: the sentence with its date, without the full stop. */
export function issueOf(facts: DocumentFacts, sentences: (text: string) => readonly string[]): string | null {
  const dated = sentences(dateLineOf(facts) ?? '').find((sentence) => DATE.test(sentence))
  return dated?.replace(/[.\s]{1,20}$/u, '') ?? null
}

/** What a document without a title begins with. */
function firstLineOf({ firstPage }: DocumentFacts): string | null {
  return titleLines(firstPage).find((line) => line.length <= LONGEST_LINE) ?? null
}

/** The first words of the first line. */
export function beginningOf({ firstPage }: DocumentFacts): string {
  const line = titleLines(firstPage)[0] ?? ''
  return line.length > LONGEST_LINE ? line.slice(0, LONGEST_LINE).replace(/\s\S*$/u, '') : line
}

/** The first lines of a page that hold words. */
function titleLines(firstPage: string): readonly string[] {
  const lines = firstPage.split('\n').map((line) => line.trim())
  return lines.filter((line) => /\p{L}{3}/u.test(line)).slice(0, TITLE_PAGE_LINES)
}

/** The title, as far as the first page holds it. */
export function titleOnPage({ title, firstPage }: DocumentFacts): string | null {
  return title.find(({ value }) => holdsText(firstPage, value))?.value ?? null
}

const DATE_SIGN =
  /©|\(c\)|copyright|arxiv|published|issued|dated?\b|proceedings|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec/iu

/** What the first page calls the document: its title; where it has none, its first line, unless that is a sentence. */
export function nameOnPage(facts: DocumentFacts): string | null {
  const line = facts.title.length === 0 ? firstLineOf(facts) : null
  return titleOnPage(facts) ?? (line !== null && !/[.!?:;,]$/u.test(line) ? line : null)
}

/** Where the page states a year: the line that looks like a date, else the first that is no paragraph. */
export function linesOfYear(page: string, year: number): readonly string[] {
  const holds = new RegExp(`(?<!\\d)${year}(?!\\d)`)
  const lines = page.split('\n').filter((line) => line.length <= LONGEST_LINE && holds.test(line))
  const line = lines.find((each) => DATE_SIGN.test(each)) ?? lines[0]
  return line === undefined ? [] : [line.trim()]
}

/** The passage under which the title page may be cited: the first of its page. */
export function titlePassage(
  documentId: string,
  { firstPage }: DocumentFacts,
  evidence: readonly EvidencePassage[],
): EvidencePassage | undefined {
  const own = evidence.filter((passage) => passage.documentId === documentId && passage.page === 1)
  const placed = own.map((passage) => ({ passage, at: firstPage.indexOf(passage.text) }))
  return placed.sort((a, b) => a.at - b.at)[0]?.passage
}

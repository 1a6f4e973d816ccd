import { unbrokenSentences } from './language/sentences.ts'
import { type DocumentPart, firstRunning, partOf } from './overview.ts'
import type { DocumentMetadata, DocumentRecord, PageSentence, Passage } from './port/document.ts'
import type { PassageIndex } from './port/passage-index.ts'
import { isPlaceholder, withoutReleases } from './readers/common/stated.ts'

/** Words of a page, as they stand there. */
export interface Quoted {
  readonly page: number
  readonly text: string
}

/** What a document says of itself, word for word, and what is known of its file. A list is empty where nothing is said. */
export interface DocumentCard {
  readonly document: DocumentRecord
  readonly metadata: DocumentMetadata
  /** Its title; without one, its first line, unless that is a sentence, or a name that programs give. */
  readonly title: Quoted | null
  /** How its first page begins. */
  readonly beginning: Quoted
  /** The lines that hold the authors; else the one that says by whom it is. */
  readonly byline: readonly Quoted[]
  /** The line that holds the year; else the first one with a date. */
  readonly date: readonly Quoted[]
  /** The first sentences of its abstract, summary or introduction; else of its text. */
  readonly summary: readonly PageSentence[]
}

/** Characters of the first page; a file without pages is one page, however long. */
const LONGEST_PAGE = 64_000

/** Reads the card of a document; null if there is no such document. */
export async function cardOf(index: PassageIndex, documentId: string): Promise<DocumentCard | null> {
  const [document, metadata, first, passages] = await Promise.all([
    index.document(documentId),
    index.metadata(documentId),
    index.pageWindow(documentId, 1, { start: 0, end: LONGEST_PAGE }),
    index.passagesOf(documentId),
  ])
  return document && metadata ? readCard({ document, metadata, page: first?.text ?? '', passages }) : null
}

interface Read extends Pick<DocumentCard, 'document' | 'metadata'> {
  /** The text of its first page. */
  readonly page: string
  readonly passages: readonly Passage[]
}

/** The card of a document that is at hand. */
export function readCard({ document, metadata, page, passages }: Read): DocumentCard {
  const texts = passages.filter(({ kind }) => kind === 'text')
  const lines = linesOf(document.format === 'xlsx' ? withoutSheetNames(page, passages) : page)
  const titles = metadata.title.map(({ value }) => value)
  const title = titles.find((each) => holdsText(page, each)) ?? (titles.length === 0 ? headlineOf(lines) : null)
  const onFirst = (found: readonly string[]) => found.map((text) => ({ page: 1, text }))
  return {
    document,
    metadata,
    title: title === null ? null : { page: 1, text: title },
    beginning: { page: 1, text: shortened(lines[0] ?? '') },
    byline: onFirst(bylineOf(metadata, page, title)),
    date: onFirst(dateOf(metadata, page)),
    summary: firstSentences(abstractIn(texts) ?? sentencesIn(firstRunning(texts))),
  }
}

/** A line that is longer than this, in characters, is text. */
const LONGEST_LINE = 160
const TITLE_PAGE_LINES = 12

/** The first lines of a page that hold words. */
function linesOf(page: string): readonly string[] {
  const lines = page.split('\n').map((line) => line.trim())
  return lines.filter((line) => /\p{L}{3}/u.test(line)).slice(0, TITLE_PAGE_LINES)
}

/** Sheets are sections; their names are no words of the workbook's text. */
function withoutSheetNames(page: string, passages: readonly Passage[]): string {
  const names = new Set(passages.map(({ section }) => section))
  return page
    .split('\n')
    .filter((line) => !names.has(line.trim()))
    .join('\n')
}

function headlineOf([line = '']: readonly string[]): string | null {
  const isTitle = line !== '' && line.length <= LONGEST_LINE && !/[.!?:;,|]$/u.test(line) && !isPlaceholder(line)
  return isTitle ? line : null
}

function shortened(line: string): string {
  return line.length > LONGEST_LINE ? line.slice(0, LONGEST_LINE).replace(/\s\S*$/u, '') : line
}

const BYLINE =
  /^(?:(?:[Ww]ritten |[Pp]repared |[Cc]ompiled |[Ee]dited )?[Bb]y|[Aa]uthors?|BY|AUTHORS?)\b\s*(?::\s*)?\p{Lu}.{2,150}$/u

function bylineOf({ authors }: DocumentMetadata, page: string, title: string | null): readonly string[] {
  for (const { value } of authors) {
    const holding = linesHolding(page, value)
    if (holding.length > 0) return holding
  }
  const line = linesOf(page).find((each) => BYLINE.test(each) && each !== title)
  return line === undefined ? [] : [line]
}

/** The lines that hold names, each once, in order; empty unless every name stands in one of them. */
function linesHolding(page: string, names: readonly string[]): readonly string[] {
  const lines = page.split('\n').filter((line) => line.length <= 2 * LONGEST_LINE)
  const holding = names.map((name) => lines.find((line) => holdsName(line, name)))
  return holding.includes(undefined) ? [] : lines.filter((line) => holding.includes(line)).map((line) => line.trim())
}

/** With or without the initials between first and last name. */
function holdsName(line: string, name: string): boolean {
  const said = ` ${lettersOnly(line)} `
  const parts = name.split(/\s+/u).filter((part) => !/^\p{Lu}\.?$/u.test(part))
  return parts.every((part) => lettersOnly(part) === '' || said.includes(` ${lettersOnly(part)} `))
}

function lettersOnly(text: string): string {
  return text
    .toLowerCase()
    .replace(/\P{L}+/gu, ' ')
    .trim()
}

/** A date with its day or month. */
export const DATE =
  /\b(?:(?:\d{1,2}(?:st|nd|rd|th)? )?(?:january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\.?,? (?:\d{1,2}(?:st|nd|rd|th)?,? )?(?:19|20)\d\d|(?:19|20)\d\d-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./](?:19|20)\d\d)\b/iu

function dateOf({ year }: DocumentMetadata, whole: string): readonly string[] {
  const page = withoutReleases(whole)
  const short = page.split('\n').filter((line) => line.length <= LONGEST_LINE)
  for (const { value } of year) {
    const lines = short.filter((line) => line.split(/\D/).includes(`${value}`))
    const line = lines.find((each) => DATE.test(each)) ?? lines[0]
    if (line !== undefined) return [line.trim()]
  }
  const dated = linesOf(page).find((line) => line.length <= LONGEST_LINE && DATE.test(line))
  return dated === undefined ? [] : [dated]
}

/** The sentences of its abstract or summary; else of its introduction. */
function abstractIn(passages: readonly Passage[]): readonly PageSentence[] | null {
  const all = sentencesIn(passages)
  const found = (['summary', 'opening'] as const).map((kind) => all.filter(({ part }) => part === kind))
  return found.find(({ length }) => length > 0) ?? null
}

/** Sentences, each with the part that it stands in: short sections share a passage, with their headings in its text. */
function sentencesIn(passages: readonly Passage[]): readonly (PageSentence & { readonly part: DocumentPart | null })[] {
  let section: string | null | undefined
  let part: DocumentPart | null = null
  return passages.flatMap((passage) => {
    const { page, start: from } = passage
    const headings = new Set(passage.section?.split(' > '))
    if (passage.section !== section) part = partOf(passage.section)
    section = passage.section
    return unbrokenSentences(passage.text, headings).flatMap(({ start, end }) => {
      const text = passage.text.slice(start, end)
      if (!headings.has(text) && !isHeading(text)) return [{ page, text, start: from + start, end: from + end, part }]
      part = partOf(headings.has(text) ? passage.section : text)
      return []
    })
  })
}

/** A longer line is no heading. */
const LONGEST_HEADING = 60

function isHeading(line: string): boolean {
  return line.length <= LONGEST_HEADING && !/[.!?:;,]$/u.test(line)
}

const MOST_SENTENCES = 3
const MOST_CHARACTERS = 520
const FEWEST_WORDS = 6

/** Whole sentences, as many as are soon read. */
function firstSentences(all: readonly PageSentence[]): readonly PageSentence[] {
  const found: PageSentence[] = []
  for (const each of all.filter(isWhole)) {
    const length = found.reduce((sum, { text }) => sum + text.length, each.text.length)
    if (found.length === MOST_SENTENCES || length > MOST_CHARACTERS) break
    found.push(each)
  }
  return found.map(({ page, text, start, end }) => ({ page, text, start, end }))
}

function isWhole({ text }: Quoted): boolean {
  const words = text.split(/\s+/u).length
  // Titles, forms and rows of figures are no running text.
  const isRunning = !text.includes('\n') && text.replace(/\P{Ll}/gu, '').length > text.length / 2
  return isRunning && words >= FEWEST_WORDS && /^[^\p{Ll}]/u.test(text) && /[.!?][”"’)\]]*\d*$/u.test(text)
}

/** The text holds these words, whatever white space, hyphens and case they are set in. */
export function holdsText(text: string, words: string): boolean {
  const wanted = plain(words)
  return wanted !== '' && plain(text).includes(wanted)
}

function plain(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '')
}

import { wordsIn } from './language/characters.ts'
import { tokens } from './language/terms.ts'
import type { DocumentMetadata, DocumentRecord, Passage } from './port/document.ts'
import type { PassageIndex } from './port/passage-index.ts'

/** A document's record and the passages that show its subject, its authors and its date. */
export interface Overview {
  readonly document: DocumentRecord
  readonly metadata: DocumentMetadata | null
  /** The passages in which the authors and the year stand; null for what only the file itself says. */
  readonly statedIn: { readonly authors: string | null; readonly year: string | null }
  /** In reading order; the first is the title page's text, if a text stands above the first passage. */
  readonly passages: readonly (Passage & { readonly pageLabel: string | null })[]
}

const MOST_OF_PART: Readonly<Record<DocumentPart, number>> = { summary: 3, opening: 2, closing: 2 }
/** Characters of the title page. */
const LONGEST_FRONT = 900
const RUNNING_WORDS = 12

/** Title page, byline, date, abstract or summary, introduction and conclusion of a document; null if there is no such document. */
export async function overviewOf(index: PassageIndex, documentId: string): Promise<Overview | null> {
  const document = await index.document(documentId)
  if (!document) return null
  const [all, page] = await Promise.all([
    index.passagesOf(documentId),
    index.pageWindow(documentId, 1, { start: 0, end: LONGEST_FRONT }),
  ])
  const texts = all.filter(({ kind }) => kind === 'text')
  const chosen = new Set([
    ...(['summary', 'opening', 'closing'] as const).flatMap((part) => firstOf(part, texts)),
    // Documents other than papers seldom name their parts; their first paragraph shows the subject.
    ...firstRunning(texts),
  ])
  const front = frontOf(page?.text ?? '', documentId, all)
  const begin = [...front, ...all.filter((passage) => passage.page <= LAST_OF_FRONT).slice(0, MOST_OF_FRONT)]
  const [byline, date] = [passageWith(document.authors, begin), passageWith([document.year ?? ''], begin)]
  for (const stated of [byline, date]) if (stated) chosen.add(stated)
  const shown = [...front, ...all.filter((passage) => chosen.has(passage))]
  const pages = await Promise.all(
    shown.map(({ page, start, end }) => index.pageWindow(documentId, page, { start, end })),
  )
  return {
    document,
    metadata: await index.metadata(documentId),
    statedIn: { authors: byline?.passageId ?? null, year: date?.passageId ?? null },
    passages: shown.map((passage, i) => ({ ...passage, pageLabel: pages[i]?.label ?? null })),
  }
}

/** Where a document names its authors and its date. */
const LAST_OF_FRONT = 2
const MOST_OF_FRONT = 6

/** The first passage that has the last word of each: a surname, a year. */
function passageWith(names: readonly (string | number)[], passages: readonly Passage[]): Passage | undefined {
  const words = names.flatMap((name) => tokens(String(name)).at(-1)?.word ?? [])
  if (words.length === 0) return undefined
  return passages.find(({ text }) => {
    const held = new Set(tokens(text).map(({ word }) => word))
    return words.every((word) => held.has(word))
  })
}

/** The first passages of the first section of its kind. */
function firstOf(part: DocumentPart, passages: readonly Passage[]): readonly Passage[] {
  const own = passages.filter(({ section }) => partOf(section) === part)
  return own.filter(({ section }) => section === own[0]?.section).slice(0, MOST_OF_PART[part])
}

/** The first passages of running text. */
export function firstRunning(passages: readonly Passage[]): readonly Passage[] {
  const isRunning = ({ text }: Passage) =>
    text.split('\n').some((line) => wordsIn(line).length >= RUNNING_WORDS && /[.!?][”"’)\]]*\d*(?:\s|$)/u.test(line))
  const first = passages.findIndex(isRunning)
  return first < 0 ? passages.slice(0, 1) : passages.slice(first, first + 2)
}

/** The text of page 1 before the first passage, as a passage: title, authors, date. */
function frontOf(page: string, documentId: string, all: readonly Passage[]): readonly Passage[] {
  const first = all.find((passage) => passage.page === 1)
  const text = page.slice(0, Math.min(first?.start ?? page.length, LONGEST_FRONT)).trimEnd()
  const start = text.search(/\S/u)
  if (start < 0) return []
  const place = { documentId, ordinal: -1, page: 1, section: null, kind: 'text' as const }
  return [{ ...place, passageId: `${documentId}.front`, start, end: text.length, text: text.slice(start) }]
}

const NUMBER = String.raw`^(?:(?:\d+|[A-Z]|[IVX]+)(?:\.\d+)*[.:)]?\s+)?`
const SUMMARY = new RegExp(
  `${NUMBER}(?:abstract|(?:executive |management |plain-language )?summary|overview|highlights|key (?:points|findings|messages)|at a glance|in brief|synopsis|purpose(?: and scope)?|about this \\p{L}+)\\b`,
  'iu',
)
const OPENING = new RegExp(`${NUMBER}(?:introduction|background|scope|preface|foreword|objectives?|aims?)\\b`, 'iu')
const CLOSING = new RegExp(
  `${NUMBER}(?:conclusions?|concluding remarks|(?:summary|discussion) and (?:conclusions?|outlook)|discussion|key findings|findings|lessons learned|recommendations?)\\b`,
  'iu',
)

/** A part of a document that shows its subject. */
export type DocumentPart = 'summary' | 'opening' | 'closing'

/** Which part of a document stands under these headings, joined by ` > `; null for its body. */
export function partOf(section: string | null): DocumentPart | null {
  const headings = section?.split(' > ') ?? []
  const is = (pattern: RegExp) => headings.some((heading) => pattern.test(heading))
  if (is(SUMMARY)) return 'summary'
  if (is(CLOSING)) return 'closing'
  return is(OPENING) ? 'opening' : null
}

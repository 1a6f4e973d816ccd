import type { Block, DocumentBatch, LeftOut, PagePiece, Passage, ReadDocument, SectionStart } from '../port/document.ts'
import { piecesOf } from '../port/document.ts'
import { mostOfTable, repeatHeaders } from './repeat-headers.ts'
import { mostOfText, smallestPieces, type Unit } from './smallest-pieces.ts'
import { sizeOfTables } from './stored-tables.ts'
import { placeTexts } from './text-places.ts'

/**
 * Cuts a document into passages of 80 to 120 words, at most 900 characters: whole sentences, never across pages, without
 * overlap. Headings stand in the passage of what follows them, and short sections are put together. A table is one passage,
 * or several, each with its header. The places are those of the text that `repeatHeaders` makes.
 */
export function splitPassages(documentId: string, document: ReadDocument): readonly Passage[] {
  return [...documentBatches(documentId, document)].flatMap(({ passages }) => passages)
}

/** The size of a batch; its last piece or passage may exceed it. */
export const mostPerBatch = { characters: 200_000, passages: 100 }

/** A document's pages and passages in batches, each stored without blocking other work. A page comes before its passages. */
export function* documentBatches(documentId: string, read: ReadDocument): Generator<DocumentBatch> {
  let pages: PagePiece[] = []
  let passages: Passage[] = []
  let characters = 0
  const isFull = (): boolean => characters >= mostPerBatch.characters || passages.length >= mostPerBatch.passages
  const take = (): DocumentBatch => {
    const batch = { pages, passages }
    pages = []
    passages = []
    characters = 0
    return batch
  }
  for (const { piece, passage } of partsOf(documentId, repeatHeaders(read))) {
    if (isFull()) yield take()
    if (piece) pages.push(piece)
    if (passage) passages.push(passage)
    characters += (piece ?? passage).text.length + sizeOfTables(piece?.tables ?? [])
  }
  yield take()
}

type Part =
  | { readonly piece: PagePiece; readonly passage?: undefined }
  | { readonly piece?: undefined; readonly passage: Passage }

function* partsOf(documentId: string, document: ReadDocument): Generator<Part> {
  const blocks = new Map(document.pages.map(({ number }): [number, Block[]] => [number, []]))
  for (const block of document.blocks) blocks.get(block.page)?.push(block)
  let ordinal = 0
  for (const { printed = [], ...page } of document.pages) {
    const { stretches, leftOut } = cutPage(page.text, blocks.get(page.number) ?? [], document.format)
    const stored = {
      ...page,
      leftOut: [...(page.leftOut ?? []), ...leftOut],
      ...(printed.length > 0 && { places: placeTexts(page.text, printed) }),
    }
    for (const piece of piecesOf(stored)) yield { piece }
    for (const stretch of stretches) {
      const place = { passageId: `${documentId}.${ordinal}`, documentId, ordinal, page: page.number }
      yield { passage: { ...place, ...stretch, text: page.text.slice(stretch.start, stretch.end) } }
      ordinal += 1
    }
  }
}

type Stretch = Pick<Passage, 'section' | 'sections' | 'kind' | 'start' | 'end'>

function cutPage(
  text: string,
  blocks: readonly Block[],
  format: ReadDocument['format'],
): { readonly stretches: readonly Stretch[]; readonly leftOut: readonly LeftOut[] } {
  const stretches: Stretch[] = []
  const leftOut: LeftOut[] = []
  for (const { kind, section, starts, units } of joined(sectionsOf(text, blocks))) {
    const named = { section: section || null, ...(starts.length > 1 && { sections: starts }) }
    for (const { start, end } of group(units, kind)) {
      const own = text.slice(start, end)
      const isPageNumber = (format === 'pdf' || format === 'picture') && kind === 'text' && PAGE_NUMBER.test(own)
      if (isPageNumber) leftOut.push({ reason: 'page number', text: own, start })
      else stretches.push({ ...named, kind, start, end })
    }
  }
  return { stretches, leftOut }
}

/** Nothing to be found by: the number of a page, on its own. */
const PAGE_NUMBER = /^[^\p{L}\p{N}]{0,4}\d{1,4}[^\p{L}\p{N}]{0,4}$/u

/** Headings with what stands below them, up to the next. */
interface Section {
  readonly kind: Passage['kind']
  /** Empty above the first heading. */
  readonly section: string
  /** Of sections that were put together, where each begins. */
  readonly starts: readonly SectionStart[]
  readonly units: Unit[]
}

function sectionsOf(text: string, blocks: readonly Block[]): readonly Section[] {
  const sections: Section[] = []
  // Whether the last has headings only.
  let isBare = false
  for (const block of blocks) {
    const { kind, start } = block
    const section = block.section.join(' > ')
    const units = smallestPieces(block, text)
    const open = sections.at(-1)
    const addsHeadings = units.every(({ isHeading }) => isHeading)
    const goesOn = open !== undefined && isBare
    isBare = addsHeadings
    if (goesOn) {
      append(open.units, units)
      const starts = [[open.starts[0]?.[0] ?? start, section]] as const
      sections[sections.length - 1] = { ...open, section, starts, kind: kind === 'heading' ? open.kind : kind }
    } else {
      sections.push({
        kind: kind === 'heading' ? 'text' : kind,
        section,
        starts: [[start, section]],
        units: [...units],
      })
    }
  }
  return sections
}

function append(units: Unit[], more: readonly Unit[]): void {
  for (const unit of more) units.push(unit)
}

/** Short sections of text are put together as long as they fit into one passage, which then has the name of the longest. */
function joined(sections: readonly Section[]): readonly Section[] {
  const found: Section[] = []
  let longest = 0
  for (const each of sections) {
    const open = found.at(-1)
    const words = wordsOf(each.units)
    if (open?.kind === 'text' && each.kind === 'text' && fits([...open.units, ...each.units])) {
      append(open.units, each.units)
      const section = words > longest ? each.section : open.section
      const isSame = open.starts.at(-1)?.[1] === each.section
      found[found.length - 1] = { ...open, section, starts: isSame ? open.starts : [...open.starts, ...each.starts] }
      longest = Math.max(longest, words)
    } else {
      found.push(each)
      longest = words
    }
  }
  return found
}

function fits(units: readonly Unit[]): boolean {
  const [first, last] = [units[0], units.at(-1)]
  if (!first || !last) return true
  return wordsOf(units) <= mostOfText.words && last.end - first.start <= mostOfText.characters
}

function wordsOf(units: readonly Unit[]): number {
  return units.reduce((sum, { words }) => sum + words, 0)
}

/** Joins neighbours into as few groups as fit, of about the same size; a heading does not end one. */
function group(units: readonly Unit[], kind: Passage['kind']): readonly Unit[] {
  const most = kind === 'table' ? mostOfTable : mostOfText
  const total = wordsOf(units)
  const target = total / Math.max(1, Math.ceil(total / most.words))
  const groups: Unit[] = []
  let before = 0
  let filled = 0
  for (const unit of units) {
    const open = groups.at(-1)
    const fits = open && open.words + unit.words <= most.words && unit.end - open.start <= most.characters
    if (open && fits && (open.isHeading || before + unit.words / 2 <= target * (filled + 1)))
      groups[groups.length - 1] = { ...unit, start: open.start, words: open.words + unit.words }
    else groups.push(unit)
    filled = groups.length - 1
    before += unit.words
  }
  return groups
}

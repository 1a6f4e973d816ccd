import { wordsIn } from '../language/characters.ts'
import { sentences } from '../language/sentences.ts'
import type { Block, Passage, ReadDocument } from '../port/document.ts'
import { type DocumentBatch, type PagePiece, piecesOf } from '../port/document.ts'
import { type Bounds, mostOfTable, repeatHeaders } from './repeat-headers.ts'
import { placeTexts } from './text-places.ts'

/**
 * The size of a passage; half of the gold answers are lost with passages five times as long. The limit of characters is
 * for languages without spaces.
 */
const most: Bounds = { words: 120, characters: 900 }

interface Span {
  readonly start: number
  readonly end: number
  readonly words: number
}

/**
 * Cuts a document into passages of 80 to 120 words, at most 900 characters: whole sentences, never across sections or
 * pages, without overlap. A table is one passage, or several, each with its header. A short section makes a short passage.
 * The places are those of the text that `repeatHeaders` makes.
 */
export function splitPassages(documentId: string, document: ReadDocument): readonly Passage[] {
  return [...passagesIn(documentId, repeatHeaders(document))]
}

function* passagesIn(documentId: string, document: ReadDocument): Generator<Passage> {
  const texts = new Map(document.pages.map((page) => [page.number, page.text]))
  const textOf = (page: number) => texts.get(page) ?? ''
  let ordinal = 0
  for (const block of document.blocks) {
    if (block.kind === 'heading') continue
    const text = textOf(block.page)
    for (const { start, end } of spansOf(block, text, document.format)) {
      yield {
        passageId: `${documentId}.${ordinal}`,
        documentId,
        ordinal,
        page: block.page,
        section: block.section.length > 0 ? block.section.join(' > ') : null,
        kind: block.kind,
        start,
        end,
        text: text.slice(start, end),
      }
      ordinal += 1
    }
  }
}

function spansOf(block: Block, text: string, format: ReadDocument['format']): readonly Span[] {
  const bounds = block.kind === 'table' ? mostOfTable : most
  const spans = group(units(text, block, bounds), bounds)
  const isNumbered = format === 'pdf' && block.kind === 'text'
  return isNumbered ? spans.filter(({ start, end }) => !PAGE_NUMBER.test(text.slice(start, end))) : spans
}

/** Nothing to be found by: the number of a page, as a block of its own. */
const PAGE_NUMBER = /^[^\p{L}\p{N}]{0,4}\d{1,4}[^\p{L}\p{N}]{0,4}$/u

/** The smallest pieces: sentences of a text, rows of a table, entries of a list of references. */
function units(text: string, block: Block, bounds: Bounds): Span[] {
  const inner = text.slice(block.start, block.end)
  const pieces = block.kind === 'text' ? sentences(inner) : lines(inner)
  return pieces
    .map(({ start, end }) => ({ start: block.start + start, end: block.start + end }))
    .flatMap((piece) => bounded(text, piece))
    .flatMap((piece) => shortened(text, piece, bounds.characters))
}

function lines(text: string): { start: number; end: number }[] {
  return [...text.matchAll(/\S[^\n]*/gu)].map((line) => ({ start: line.index, end: line.index + line[0].length }))
}

/** A sentence without end (a list of names, broken text) is cut between words. */
function bounded(text: string, piece: { start: number; end: number }): Span[] {
  const words = [...text.slice(piece.start, piece.end).matchAll(/\S+/gu)]
  const parts = Math.ceil(words.length / most.words)
  if (parts <= 1) return [{ ...piece, words: words.length }]
  const size = Math.ceil(words.length / parts)
  const spans: Span[] = []
  for (let from = 0; from < words.length; from += size) {
    const slice = words.slice(from, from + size)
    const first = slice[0]
    const last = slice.at(-1)
    if (!first || !last) continue
    spans.push({
      start: piece.start + first.index,
      end: piece.start + last.index + last[0].length,
      words: slice.length,
    })
  }
  return spans
}

/** A piece that is too long is cut between words, or else between characters. */
function shortened(text: string, piece: Span, characters: number): Span[] {
  if (piece.end - piece.start <= characters) return [piece]
  const spans: Span[] = []
  let start = piece.start
  while (start < piece.end) {
    const rest = text.slice(start, Math.min(piece.end, start + characters + 1))
    const cut = rest.length <= characters ? rest.length : cutAt(rest, characters)
    const part = rest.slice(0, cut).trimEnd()
    if (part !== '') spans.push({ start, end: start + part.length, words: wordsIn(part).length })
    start += cut + (rest.length <= characters ? 0 : spaceAfter(text, start + cut, piece.end))
  }
  return spans
}

const byWord = new Intl.Segmenter('en', { granularity: 'word' })

/** Where a text may be cut, `most` characters from its start at the latest. */
function cutAt(text: string, most: number): number {
  const space = text.search(/\s\S*$/u)
  if (space > 0) return space
  const word = byWord.segment(text).containing(most)?.index ?? 0
  if (word > 0) return word
  return (text.codePointAt(most - 1) ?? 0) > 0xffff ? most - 1 : most
}

function spaceAfter(text: string, from: number, end: number): number {
  let at = from
  while (at < end && text.charAt(at).trim() === '') at += 1
  return at - from
}

/** Joins neighbours into as few groups as fit, of about the same size. */
function group(pieces: readonly Span[], most: Bounds): Span[] {
  const total = pieces.reduce((sum, piece) => sum + piece.words, 0)
  const target = total / Math.max(1, Math.ceil(total / most.words))
  const groups: Span[] = []
  let before = 0
  let filled = 0
  for (const piece of pieces) {
    const open = groups.at(-1)
    const fits = open && open.words + piece.words <= most.words && piece.end - open.start <= most.characters
    if (fits && before + piece.words / 2 <= target * (filled + 1))
      groups[groups.length - 1] = { start: open.start, end: piece.end, words: open.words + piece.words }
    else groups.push(piece)
    filled = groups.length - 1
    before += piece.words
  }
  return groups
}

/** The size of a batch; its last piece or passage may exceed it. */
export const mostPerBatch = { characters: 200_000, passages: 100 }

/** A document's pages and passages in batches, each stored without blocking other work. */
export function* documentBatches(documentId: string, read: ReadDocument): Generator<DocumentBatch> {
  const document = repeatHeaders(read)
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
  for (const piece of piecesOfAll(document)) {
    if (isFull()) yield take()
    pages.push(piece)
    characters += piece.text.length
  }
  for (const passage of passagesIn(documentId, document)) {
    if (isFull()) yield take()
    passages.push(passage)
    characters += passage.text.length
  }
  yield take()
}

function* piecesOfAll({ pages }: ReadDocument): Generator<PagePiece> {
  for (const { printed = [], ...page } of pages) {
    yield* piecesOf(printed.length === 0 ? page : { ...page, places: placeTexts(page.text, printed) })
  }
}

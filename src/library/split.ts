import type { Block, Passage, ReadDocument } from './document.ts'
import { sentences } from './sentences.ts'

/** Words a passage holds at most; half of the gold answers are lost with passages five times as long. */
const mostWords = 120
/** A row is understood only with the caption and the header above it, so tables are cut much later. */
const mostWordsOfTable = 400

interface Span {
  readonly start: number
  readonly end: number
  readonly words: number
}

/**
 * Cuts a document into passages of 80 to 120 words: whole sentences, never across sections or pages, without overlap.
 * A table is one passage, a long one is cut between rows. What stands under a short heading makes a short passage.
 */
export function splitPassages(documentId: string, document: ReadDocument): readonly Passage[] {
  const texts = new Map(document.pages.map((page) => [page.number, page.text]))
  const passages: Passage[] = []
  for (const block of document.blocks) {
    if (block.kind === 'heading') continue
    const text = texts.get(block.page) ?? ''
    for (const { start, end } of group(units(text, block), block.kind === 'table' ? mostWordsOfTable : mostWords)) {
      passages.push({
        passageId: `${documentId}.${passages.length}`,
        documentId,
        ordinal: passages.length,
        page: block.page,
        section: block.section.length > 0 ? block.section.join(' > ') : null,
        kind: block.kind,
        start,
        end,
        text: text.slice(start, end),
      })
    }
  }
  return passages
}

/** The smallest pieces that stay whole: sentences of a text, rows of a table, entries of a list of references. */
function units(text: string, block: Block): Span[] {
  const inner = text.slice(block.start, block.end)
  const pieces = block.kind === 'text' ? sentences(inner) : lines(inner)
  return pieces
    .map(({ start, end }) => ({ start: block.start + start, end: block.start + end }))
    .flatMap((piece) => bounded(text, piece))
}

function lines(text: string): { start: number; end: number }[] {
  return [...text.matchAll(/\S[^\n]*/gu)].map((line) => ({ start: line.index, end: line.index + line[0].length }))
}

/** A sentence without end (a list of names, broken text) is cut between words. */
function bounded(text: string, piece: { start: number; end: number }): Span[] {
  const words = [...text.slice(piece.start, piece.end).matchAll(/\S+/gu)]
  const parts = Math.ceil(words.length / mostWords)
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

/** Joins neighbours into as few groups as fit, of about the same size. */
function group(pieces: readonly Span[], mostWords: number): Span[] {
  const total = pieces.reduce((sum, piece) => sum + piece.words, 0)
  const target = total / Math.max(1, Math.ceil(total / mostWords))
  const groups: Span[] = []
  let before = 0
  let filled = 0
  for (const piece of pieces) {
    const open = groups.at(-1)
    const fits = open && open.words + piece.words <= mostWords && before + piece.words / 2 <= target * (filled + 1)
    if (fits) groups[groups.length - 1] = { start: open.start, end: piece.end, words: open.words + piece.words }
    else groups.push(piece)
    filled = groups.length - 1
    before += piece.words
  }
  return groups
}

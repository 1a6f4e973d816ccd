import { wordsIn } from '../language/characters.ts'
import { sentences } from '../language/sentences.ts'
import type { Block } from '../port/document.ts'
import { type Bounds, mostOfTable } from './repeat-headers.ts'

/**
 * The size of a passage; half of the gold answers are lost with passages five times as long. The limit of characters is
 * for languages without spaces.
 */
export const mostOfText: Bounds = { words: 120, characters: 900 }

/** A stretch of a page's text that is not cut. */
export interface Unit {
  readonly start: number
  readonly end: number
  readonly words: number
  /** It belongs to what follows. */
  readonly isHeading: boolean
}

/** The smallest pieces of a block: headings, sentences of a text, rows of a table, entries of a list of references. */
export function smallestPieces(block: Block, text: string): readonly Unit[] {
  const inner = text.slice(block.start, block.end)
  const { characters } = block.kind === 'table' ? mostOfTable : mostOfText
  const pieces = block.kind === 'text' ? sentences(inner) : lines(inner)
  return pieces
    .map(({ start, end }) => ({ start: block.start + start, end: block.start + end }))
    .flatMap((piece) => bounded(text, piece))
    .flatMap((piece) => shortened(text, piece, characters))
    .map((piece) => ({ ...piece, isHeading: block.kind === 'heading' }))
}

type Span = Omit<Unit, 'isHeading'>

function lines(text: string): { start: number; end: number }[] {
  return [...text.matchAll(/\S[^\n]*/gu)].map((line) => ({ start: line.index, end: line.index + line[0].length }))
}

/** A sentence without end (a list of names, broken text) is cut between words. */
function bounded(text: string, piece: { start: number; end: number }): Span[] {
  const words = [...text.slice(piece.start, piece.end).matchAll(/\S+/gu)]
  const parts = Math.ceil(words.length / mostOfText.words)
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

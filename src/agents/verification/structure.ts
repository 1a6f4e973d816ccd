import type { DraftSentence } from './cited-text.ts'
import { contentForms } from './word-forms.ts'

/** A part of an answer that stays, and the white space before it. */
export interface Piece {
  readonly before: string
  readonly text: string
  /** A heading, or the head or rule of a table: it stays only above something that holds. */
  readonly isStructure: boolean
}

const MOST_WORDS = 10
/** Words of headings that say nothing about the matter. */
const GENERAL = new Set(
  contentForms(
    'answer summary overview background results result findings finding key points point main differences difference comparison compare conclusion details detail notes note sources source documents document papers paper passages passage reports report differ disagree agree following reasons reason steps step table row column value values evidence limits caveats support example examples list first second newest oldest latest earliest recent come order agree vary contradict conflict both two three four five',
  ),
)

/**
 * A heading, the head or rule of a table, "The two papers differ:": it claims nothing by itself, and may stand if
 * something that holds follows it. Its words must be general ones, or of the question and the evidence, so that no
 * claim passes for a heading.
 */
export function isStructure({ text, citations }: DraftSentence, known: string): boolean {
  const line = text.trim()
  if (citations.length > 0) return false
  if (/^[|\s:-]+$/.test(line)) return line.includes('-')
  if (/\d|[.!?]\**$/.test(line) || !(isHeading(line) || /^\|.*\|$/.test(line))) return false
  const held = new Set(contentForms(known))
  const words = contentForms(line)
  if (words.length === 1) return true
  return words.length <= MOST_WORDS && words.every((word) => held.has(word) || GENERAL.has(word))
}

/** A heading with nothing under it, or with another heading of its kind next, goes. */
export function withoutEmptyStructure(pieces: readonly Piece[]): readonly Piece[] {
  const kept: Piece[] = []
  // Whether something that holds follows at all, and before the next heading.
  let follows = false
  let followsHere = false
  for (const piece of [...pieces].reverse()) {
    const heading = piece.isStructure && isHeading(piece.text)
    if (!piece.isStructure || (heading ? followsHere : follows)) kept.push(piece)
    if (heading) followsHere = false
    if (!piece.isStructure) follows = followsHere = true
  }
  return kept.reverse()
}

function isHeading(text: string): boolean {
  return /^(#{1,6}\s|\*\*[^*]+\*\*:?$)|:\**$/.test(text.trim())
}

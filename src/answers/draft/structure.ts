import type { DraftSentence } from './parse-draft.ts'

/** A heading, the head or rule of a table, "The two papers differ:": it stays only above something that is kept. */
export function isStructure({ text, citations }: Pick<DraftSentence, 'text' | 'citations'>): boolean {
  const line = text.trim()
  if (citations.length > 0) return false
  return isRule(line) || (!/[.!?]\**$/u.test(line) && isHeading(line))
}

/** A table row above a rule names the columns of what follows. */
export function isTableHead(text: string, next: string | undefined): boolean {
  return isTableRow(text.trim()) && isRule(next?.trim() ?? '')
}

/** `| a | b |` */
export function isTableRow(line: string): boolean {
  return line.length > 1 && line.startsWith('|') && line.endsWith('|')
}

/** `|---|---|` */
export function isRule(line: string): boolean {
  return /^[|\s:-]+$/.test(line) && line.includes('-')
}

/** Leaves out headings with nothing under them. */
export function withoutEmptyStructure<Piece extends { readonly text: string; readonly isStructure: boolean }>(
  pieces: readonly Piece[],
): readonly Piece[] {
  const kept: Piece[] = []
  // Whether a sentence follows at all, and before the next heading.
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

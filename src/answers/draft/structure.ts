import type { DraftSentence } from './parse-draft.ts'

/** A heading, the head or rule of a table, "The two papers differ:": it stays only above something that is kept. */
export function isStructure({ text, citations }: Pick<DraftSentence, 'text' | 'citations'>): boolean {
  const line = text.trim()
  if (citations.length > 0) return false
  return isRule(line) || (!/[.!?]\**$/u.test(line) && isHeading(line))
}

/** Of each line, the head of the table that it is in, itself for a head. */
export function tableHeads(lines: readonly { readonly text: string }[]): readonly (string | null)[] {
  let head: string | null = null
  return lines.map(({ text }, index) => {
    const line = text.trim()
    if (isTableHead(line, lines[index + 1]?.text)) head = line
    else if (!line.startsWith('|')) head = null
    return head
  })
}

/** A table row above a rule names the columns of what follows. */
function isTableHead(text: string, next: string | undefined): boolean {
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

interface Line {
  readonly text: string
  readonly isStructure: boolean
}

/** Leaves out headings with nothing under them, and the head and rule of a table with none of its rows. */
export function withoutEmptyStructure<Piece extends Line>(pieces: readonly Piece[]): readonly Piece[] {
  return withoutEmptyHeadings(withoutHeadlessRules(pieces))
}

function withoutHeadlessRules<Piece extends Line>(pieces: readonly Piece[]): readonly Piece[] {
  return pieces.filter(({ text, isStructure }, index) => {
    if (!isStructure || !(isRule(text) || isTableHead(text, pieces[index + 1]?.text))) return true
    const next = pieces.slice(index + 1).find((each) => !isRule(each.text))
    return next !== undefined && !next.isStructure && isTableRow(next.text)
  })
}

function withoutEmptyHeadings<Piece extends Line>(pieces: readonly Piece[]): readonly Piece[] {
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

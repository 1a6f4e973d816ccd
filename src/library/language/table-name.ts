import type { Passage } from '../port/document.ts'
import { isRow } from './characters.ts'

/** "Table 2", "TABLE IV:", "Supplementary Table S1."; not "Table of contents", nor "Table 2 | 17", which lists tables. */
const caption =
  /^\W{0,3}((?:(?:Supplementa(?:ry|l)|Appendix|Extended Data) )?(?:Table|Tab\.?))\s{0,3}((?:[A-Z]{1,2}[.-]?)?\d{1,3}(?:[.-]\d{1,3}){0,3}[a-z]?|[IVXL]{1,6})(?![\p{L}\p{N}]| \|)/iu

/** How far from a passage the caption of its table is looked for, and how long a line between its rows may be. */
const mostLines = 200
const longestLooseLine = 60

/**
 * The name under which a table is known, from its caption: in the passage itself; above its rows, where a long table
 * was cut or the caption is a paragraph of its own; below them; or in the heading. Null if it has none.
 */
export function tableName(
  { section, text, start, end }: Pick<Passage, 'section' | 'text' | 'start' | 'end'>,
  page: string,
): string | null {
  return (
    tableNamedIn(text) ??
    nameAbove(page.slice(0, start).split('\n').reverse()) ??
    nameBelow(page.slice(end).split('\n')) ??
    tableNamedIn(section?.split(' > ').at(-1) ?? '')
  )
}

/** The table whose caption one of these lines is. */
export function tableNamedIn(text: string): string | null {
  for (const line of text.split('\n')) {
    const found = nameOf(line)
    if (found) return found
  }
  return null
}

function nameOf(line: string): string | null {
  const [, word, number] = caption.exec(line) ?? []
  if (!word || !number) return null
  // Small letters make no Roman number: "Table mix" names none.
  if (!/\d/.test(number) && number !== number.toUpperCase()) return null
  const isShouted = word === word.toUpperCase()
  return `${isShouted ? word.charAt(0) + word.slice(1).toLowerCase() : word} ${number}`
}

/** Rows, and short lines between them, belong to the table; the first other line must be its caption. */
function nameAbove(lines: readonly string[]): string | null {
  for (const line of lines.slice(0, mostLines)) {
    if (isRow(line)) continue
    const found = nameOf(line)
    if (found || line.length > longestLooseLine) return found
  }
  return null
}

/** A caption below, unless it stands right above the rows of the next table. */
function nameBelow(lines: readonly string[]): string | null {
  const rest = lines.slice(0, mostLines).filter((line) => line !== '')
  const at = rest.findIndex((line) => !isRow(line))
  const name = at < 0 ? null : nameOf(rest[at] ?? '')
  return name && !isRow(rest[at + 1] ?? '') ? name : null
}

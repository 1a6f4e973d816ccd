import type { GridRow, PageGrid, Stretch } from '../port/document.ts'
import type { PlacedRow, PlacedText } from './grid.ts'

export interface WrittenGrid {
  readonly text: string
  /** Places count from the beginning of the text. */
  readonly grid: PageGrid
}

export interface GridOptions {
  /** A line of its own above the rows. */
  readonly caption?: string
  /** Whether the places of its cells are known so well that a name never belongs to columns beyond its own. */
  readonly isExact?: boolean
}

/**
 * A table as text, one line for each row that holds anything: the cells with bars between them, a blank one as an empty
 * text, so that each stands behind as many bars as its column is far from the first. Null for a table without a cell.
 */
export function writeGrid(
  placed: readonly PlacedRow[],
  { caption = '', isExact = false }: GridOptions = {},
): WrittenGrid | null {
  const lines = caption === '' ? [] : [caption.replaceAll('|', '¦')]
  const rows: GridRow[] = []
  let start = caption === '' ? 0 : caption.length + 1
  for (const { isHeader, cells } of placed) {
    if (cells.length === 0) continue
    const row = rowAt(start, cells)
    lines.push(row.text)
    rows.push({ start, end: start + row.text.length, isHeader, cells: row.cells })
    start += row.text.length + 1
  }
  if (rows.length === 0) return null
  const text = lines.join('\n')
  return { text, grid: { start: 0, end: text.length, caption: caption || null, isExact, rows } }
}

const bar = ' | '

function rowAt(start: number, cells: readonly PlacedText[]) {
  let text = ''
  let column = 0
  const placed = cells.map((cell) => {
    while (column < cell.column) {
      // At the beginning of a line, its space is left out.
      text += text === '' ? '| ' : bar
      column += 1
    }
    const written = cell.text.replaceAll('|', '¦')
    text += written
    const place = { column, columns: cell.columns, isGroup: cell.isGroup }
    return { ...place, start: start + text.length - written.length, end: start + text.length }
  })
  return { text, cells: placed }
}

/** The same, for a text that begins `by` characters later. */
export function movedGrid(grid: PageGrid, by: number): PageGrid {
  const moved = <T extends Stretch>(stretch: T): T => ({ ...stretch, start: stretch.start + by, end: stretch.end + by })
  return { ...moved(grid), rows: grid.rows.map((row) => ({ ...moved(row), cells: row.cells.map(moved) })) }
}

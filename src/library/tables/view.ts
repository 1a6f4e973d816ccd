import type { GridRow, PlacedCell } from '../port/document.ts'

/** A cell with its words. */
export interface ViewedCell extends PlacedCell {
  readonly text: string
}

export interface ViewedRow extends Omit<GridRow, 'cells'> {
  /** The whole line. */
  readonly text: string
  readonly cells: readonly ViewedCell[]
}

/** How many columns the cells of some rows reach over. */
export function widthOf(rows: readonly ViewedRow[]): number {
  let width = 0
  for (const { cells } of rows) for (const { column, columns } of cells) width = Math.max(width, column + columns)
  return width
}

/** The rows of a table with the words of the page that they stand on. */
export function viewRows(rows: readonly GridRow[], page: string): readonly ViewedRow[] {
  return rows.map((row) => ({
    ...row,
    // A cell that stands alone at the beginning names rows.
    isHeader: row.isHeader && row.cells.some(({ column }) => column > 0),
    text: page.slice(row.start, row.end),
    cells: row.cells.map((cell) => ({ ...cell, text: page.slice(cell.start, cell.end) })),
  }))
}

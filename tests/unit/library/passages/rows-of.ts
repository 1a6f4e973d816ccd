import { type PlacedRow, placeCells, plainCell } from '../../../../src/library/tables/grid.ts'

/** Rows of a table, written with bars between their cells. */
export function rowsOf(...lines: readonly string[]): readonly PlacedRow[] {
  return placeCells(lines.map((line) => line.split(' | ').map(plainCell)))
}

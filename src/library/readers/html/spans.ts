import type { GridCell } from '../../tables/grid.ts'

const mostSpanned = 100

/** How far a `colspan` or `rowspan` reaches: what is no number counts as 1. */
function spanOf(stated: string | undefined): number {
  const span = /^\s*\d{1,5}\s*$/.test(stated ?? '') ? Number(stated) : 1
  return Math.min(Math.max(span, 1), mostSpanned)
}

/** A cell covers at most so many places: each is looked at again for every row. */
const mostCovered = 1000

/** How many columns and rows a cell spans, by what its markup states. */
export function spansOf(columns: string | undefined, rows: string | undefined): Pick<GridCell, 'columns' | 'rows'> {
  const across = spanOf(columns)
  return { columns: across, rows: Math.min(spanOf(rows), Math.ceil(mostCovered / across)) }
}

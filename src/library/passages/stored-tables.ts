import type { PageTable, TableColumn, TableRow } from '../port/document.ts'

/** What the columns of one part of a table may take, in characters. */
const mostOfColumns = 20_000
/** What a column, and a cell, take beside the names that they hold. */
const perColumn = 40
const perCell = 12

const unnamed: TableColumn = { path: [], unit: null, period: null, isLabel: false }

/**
 * The columns stored with some rows of a table. All, unless they would take more than is bearable for each part: then those
 * in which these rows have cells, the first ones as far as they fit.
 */
export function columnsFor(rows: readonly TableRow[], columns: readonly TableColumn[]): readonly TableColumn[] {
  if (columns.reduce((sum, column) => sum + sizeOfColumn(column), 0) <= mostOfColumns) return columns
  const used = new Set(rows.flatMap(({ cells }) => cells.map(([column]) => column)))
  const kept: TableColumn[] = []
  let size = 0
  let end = 0
  for (const [at, column] of columns.entries()) {
    const own = used.has(at) ? column : unnamed
    size += sizeOfColumn(own)
    if (size > mostOfColumns) break
    kept.push(own)
    if (used.has(at)) end = kept.length
  }
  return kept.slice(0, end)
}

/** About how many characters tables take where they are stored. */
export function sizeOfTables(tables: readonly PageTable[]): number {
  let size = 0
  for (const { caption, columns, rows } of tables) {
    size += caption?.length ?? 0
    for (const column of columns) size += sizeOfColumn(column)
    for (const { label, section, cells } of rows) size += lengthOf([label, ...section]) + perCell * (cells.length + 1)
  }
  return size
}

function sizeOfColumn({ path, unit, period }: TableColumn): number {
  return perColumn + lengthOf(path) + (unit?.length ?? 0) + (period?.length ?? 0)
}

function lengthOf(names: readonly string[]): number {
  return names.reduce((sum, name) => sum + name.length, 0)
}

import type { PageTable, Stretch, TableColumn, TableRow } from '../port/document.ts'
import type { ShownCell, ShownTable, TablePlace } from '../port/library.ts'
import type { PassageIndex } from '../port/passage-index.ts'
import { hasYear, periodIn } from './periods.ts'
import { isScale, isSign, unitOfCell } from './units.ts'

type Slice = (stretch: Stretch) => string

/** What an offset says that lies in the first of these parts of a table; `textOf` reads the page. */
export function tableAt(parts: readonly PageTable[], offset: number, textOf: Slice): TablePlace | null {
  const part = parts.find(({ start, end }) => start <= offset && offset < end)
  if (!part) return null
  const row = part.rows.find(({ start, end }) => start <= offset && offset < end) ?? null
  const cell = row?.cells.find(([, start, end]) => start <= offset && offset < end) ?? null
  const shown = cell && shownCell(cell, textOf)
  const column = shown ? (part.columns[shown.column] ?? null) : null
  return {
    caption: part.caption,
    unit: unitAt(part, row, column, shown?.text ?? null),
    period: periodAt(part, row, column),
    row: row?.label ?? null,
    section: row?.section ?? [],
    column: shown ? (column?.path ?? []) : null,
    cell: shown,
    table: shownTable(part, parts, textOf),
  }
}

function shownCell([column, start, end]: TableRow['cells'][number], textOf: Slice): ShownCell {
  return { column, start, end, text: textOf({ start, end }) }
}

function shownTable(
  { whole, caption, unit, columns }: PageTable,
  parts: readonly PageTable[],
  textOf: Slice,
): ShownTable {
  const own = parts.filter((part) => part.start >= whole.start && part.end <= whole.end)
  const rows = own.flatMap((part) => part.rows)
  return {
    ...{ ...whole, caption, unit, columns },
    rows: rows.map((row) => ({ ...row, cells: row.cells.map((cell) => shownCell(cell, textOf)) })),
  }
}

/** By the cell itself, then its row, its column, its table; a sign goes with the scale that is stated above it. */
function unitAt(
  table: PageTable,
  row: TableRow | null,
  column: TableColumn | null,
  cell: string | null,
): string | null {
  if (column?.isLabel) return row?.unit || null
  const stated = row?.unit ?? column?.unit ?? table.unit
  const own = cell === null ? null : unitOfCell(cell)
  if (own === null) return stated || null
  if (!isSign(own)) return own
  // "$3.56" a share, where the rest is in millions.
  if (!stated) return own
  return isScale(stated) ? `${own} ${stated}` : stated
}

/** By the column; what lacks its year is completed by the row, the lines above it, or the caption, if that names a year. */
function periodAt({ caption }: PageTable, row: TableRow | null, column: TableColumn | null): string | null {
  const own = column?.isLabel ? null : (column?.period ?? null)
  const ofTable = [periodIn(caption ?? '')].filter((period) => period !== null && hasYear(period))
  const others = [row?.period ?? null, ...(row?.section.toReversed().map(periodIn) ?? []), ...ofTable]
  let period = own
  for (const other of others) {
    if (period !== null && (hasYear(period) || other === null || period === other)) continue
    period = period === null ? other : `${period} ${other}`
  }
  return period
}

/** How much of a table is shown before and after a place in it, in characters of the page. */
const mostShown = 50_000

/** What a place on a page says, if it lies in a table. */
export async function readTableAt(
  index: Pick<PassageIndex, 'tables' | 'pageWindow'>,
  { documentId, page, offset }: { readonly documentId: string; readonly page: number; readonly offset: number },
): Promise<TablePlace | null> {
  const [part] = await index.tables(documentId, page, { start: offset, end: offset + 1 })
  if (!part) return null
  const { whole } = part
  const within = { start: Math.max(whole.start, offset - mostShown), end: Math.min(whole.end, offset + mostShown) }
  const parts = await index.tables(documentId, page, within)
  const range = { start: parts[0]?.start ?? part.start, end: parts.at(-1)?.end ?? part.end }
  const window = await index.pageWindow(documentId, page, range)
  if (!window) return null
  return tableAt(parts, offset, ({ start, end }) => window.text.slice(start - window.start, end - window.start))
}

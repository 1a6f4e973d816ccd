import type { Citation, Evidence } from '../../events/index.ts'
import { type PageTable, type Stretch, type TableCell, tableAt } from '../../library/index.ts'

/** Looks up the tables of a page, or the parts of them, that overlap a stretch of its text. */
export type TablesOf = (documentId: string, page: number, within: Stretch) => Promise<readonly PageTable[]>

/** A passage with the tables that it has a part of, where they are known. */
export interface TabledEvidence extends Evidence {
  readonly tables?: readonly PageTable[]
}

/** The passages with their tables. */
export function withTables(
  evidence: readonly Evidence[],
  tablesOf: TablesOf | undefined,
): Promise<readonly TabledEvidence[]> {
  return Promise.all(
    evidence.map(async (each) => {
      const { documentId, page, start, end, kind } = each.observation
      if (!tablesOf || kind !== 'table') return each
      return { ...each, tables: await tablesOf(documentId, page, { start, end }) }
    }),
  )
}

/** What the table says of the cells that a quote holds; undefined where the quote stands in none. */
export function quotedTable(
  tables: readonly PageTable[],
  quote: Stretch,
  textOf: (stretch: Stretch) => string,
): Citation['table'] {
  const part = tables.find((table) => overlap(table, quote))
  if (!part) return undefined
  const rows = tables
    .filter(({ whole }) => whole.start === part.whole.start)
    .flatMap((each) => each.rows.filter((row) => overlap(row, quote)).map((row) => ({ each, row })))
    .map(({ each, row }) => ({ each, cells: row.cells.filter((cell) => overlap(stretchOf(cell), quote)) }))
  const held = rows.flatMap(({ each, cells }) => cells.map((cell) => ({ each, cell })))
  const values = held.filter(({ cell: [column] }) => !part.columns[column]?.isLabel)
  const places = (values.length > 0 ? values : held).flatMap(
    ({ each, cell: [, start] }) => tableAt([each], start, textOf) ?? [],
  )
  const columns = [...new Set(held.map(({ cell: [column] }) => column))].sort((a, b) => a - b)
  const sections = places.map(({ section }) => [...section])
  return {
    caption: part.caption,
    unit: common(places.map(({ unit }) => unit)),
    section: common(sections) ?? [],
    row: common(places.map(({ row }) => row)),
    column: values.length > 0 ? common(places.map(({ column }) => column && [...column])) : null,
    period: common(places.map(({ period }) => period)),
    columns: columns.map((column) => [...(part.columns[column]?.path ?? [])]),
    rows: rows.map(({ cells }) =>
      columns.map((column) => textOf(stretchOf(cells.find(([at]) => at === column) ?? [column, 0, 0]))),
    ),
  }
}

function stretchOf([, start, end]: TableCell): Stretch {
  return { start, end }
}

function overlap(one: Stretch, other: Stretch): boolean {
  return one.start < other.end && other.start < one.end
}

/** What all of them say; null where they differ. */
function common<T>([first, ...others]: readonly (T | null)[]): T | null {
  const said = JSON.stringify(first)
  return first !== undefined && others.every((each) => JSON.stringify(each) === said) ? first : null
}

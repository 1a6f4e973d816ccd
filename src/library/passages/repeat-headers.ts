import { wordsIn } from '../language/characters.ts'
import type { Block, PageGrid, PageTable, ReadDocument, ReadPage, TableRow } from '../port/document.ts'
import { type ReadTable, readGrid } from '../tables/read-grid.ts'
import type { NearTable } from '../tables/units.ts'
import { columnsFor } from './stored-tables.ts'
import { isLoose, wholeTables } from './whole-tables.ts'

export interface Bounds {
  readonly words: number
  readonly characters: number
}

/** A row needs the caption and the header above it, so passages of tables may be longer than others. */
export const mostOfTable: Bounds = { words: 400, characters: 3000 }

/**
 * Makes each table one block, or several if it is long: no row is then without the caption, the unit and the header of its
 * table, which are written again above each part, also where a table continues on the next page. Each page has its tables.
 */
export function repeatHeaders(document: ReadDocument): ReadDocument {
  const texts = new Map(document.pages.map(({ number, text }) => [number, text]))
  const onPage = new Map<number, Block[]>(document.pages.map(({ number }) => [number, []]))
  for (const block of wholeTables(document.blocks, (page) => texts.get(page) ?? '')) onPage.get(block.page)?.push(block)
  const blocks: Block[] = []
  let last: Last = { block: null, text: '', table: null, names: [] }
  const pages: ReadPage[] = document.pages.map(({ grids = [], ...page }) => {
    const writer = new PageWriter(page.text)
    const own = onPage.get(page.number) ?? []
    const words = aroundOnlyTable(own, page.text)
    for (const [at, block] of own.entries()) {
      const near = { before: textOf(own[at - 1], page.text), behind: textOf(own[at + 1], page.text), page: words }
      const found = linesOf(block, { text: page.text, grids: gridsIn(block, grids), near }, last)
      const parts = block.kind === 'table' ? partsOf(found.lines) : [found.lines]
      for (const written of writer.add(block, parts)) blocks.push(written)
      last = found.last
    }
    return { ...page, text: writer.finish(), ...(writer.tables.length > 0 && { tables: writer.tables }) }
  })
  return { ...document, pages, blocks }
}

/** The words of a page beside its only table; empty if it has none or several. */
function aroundOnlyTable(blocks: readonly Block[], page: string): string {
  if (blocks.filter(({ kind }) => kind === 'table').length !== 1) return ''
  return blocks.map((block) => textOf(block, page)).join('\n')
}

/** A table states the unit of its own rows alone. */
function textOf(block: Block | undefined, page: string): string {
  return !block || block.kind === 'table' ? '' : page.slice(block.start, block.end)
}

/** A page as one of its blocks sees it. */
interface Surroundings {
  readonly text: string
  readonly grids: readonly PageGrid[]
  readonly near: NearTable
}

/** The block before. */
interface Last {
  readonly block: Block | null
  readonly text: string
  /** The last of its tables, or of those before, if it is but names of rows. */
  readonly table: ReadTable | null
  readonly names: readonly string[]
}

/** The grids in a block, which stand in the order of their places. */
function gridsIn({ start, end }: Block, grids: readonly PageGrid[]): readonly PageGrid[] {
  let [low, high] = [0, grids.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((grids[middle]?.start ?? 0) < start) low = middle + 1
    else high = middle
  }
  let to = low
  while ((grids[to]?.start ?? end) < end) to += 1
  return grids.slice(low, to)
}

/** A line of a block; `row` where it is one of a table's. */
interface Line {
  readonly text: string
  /** Where it stood on the page. */
  readonly start: number
  readonly row: { readonly table: ReadTable; readonly row: TableRow } | null
}

/** The lines of a block with what its tables say of them. */
function linesOf(
  block: Block,
  page: Surroundings,
  before: Last,
): { readonly lines: readonly Line[]; readonly last: Last } {
  const text = page.text.slice(block.start, block.end)
  if (block.kind !== 'table')
    return { lines: [{ text, start: block.start, row: null }], last: afterText(block, text, before) }
  const tables = tablesOf(block, page, before)
  const rows = new Map(tables.flatMap((table) => table.rows.map((row) => [row.start, { table, row }] as const)))
  let start = block.start
  const lines = text.split('\n').map((line): Line => {
    const found = { text: line, start, row: rows.get(start) ?? null }
    start += line.length + 1
    return found
  })
  return { lines, last: { block, text, table: tables.at(-1) ?? null, names: [] } }
}

/** A table may go on behind names of rows. */
function afterText(block: Block, text: string, { table, names }: Last): Last {
  const isName = block.kind === 'text' && isLoose(text)
  return { block, text, table: isName ? table : null, names: isName ? [...names, ...text.split('\n')] : [] }
}

function tablesOf(block: Block, { text: page, grids, near }: Surroundings, before: Last): readonly ReadTable[] {
  const heading = before.block?.kind === 'heading' ? before.text : null
  const tables: ReadTable[] = []
  let at = block.start
  for (const grid of grids) {
    const above = page
      .slice(at, grid.start)
      .split('\n')
      .filter((line) => line.trim() !== '')
    const own = tables.at(-1)
    // Of another page or block, only what has nothing above it goes on.
    const isNext = !own && above.length === 0 && before.table !== null
    const around = {
      above: isNext ? before.names : above,
      heading,
      near,
      before: own ?? (isNext ? before.table : null),
    }
    for (const table of readGrid(grid, page, around)) tables.push(table)
    at = grid.end
  }
  return tables
}

/** A longer head is none: it is not repeated. */
const mostOfHead = 0.3

/** Divides a table into parts of bounded size, each with the head of the table that its first row belongs to. */
function partsOf(lines: readonly Line[]): readonly (readonly Line[])[] {
  const parts: Line[][] = []
  let size: Bounds = { words: 0, characters: 0 }
  for (const line of lines) {
    const grown = sum(size, sizeOf(line.text))
    if (parts.length === 0 || grown.words > mostOfTable.words || grown.characters > mostOfTable.characters) {
      const head = headOf(line)
      parts.push(head.map((text) => ({ text, start: line.start, row: null })))
      size = head.map(sizeOf).reduce(sum, { words: 0, characters: 0 })
    }
    parts.at(-1)?.push(line)
    size = sum(size, sizeOf(line.text))
  }
  return parts
}

function sizeOf(line: string): Bounds {
  return { words: wordsIn(line).length, characters: line.length + 1 }
}

function sum(one: Bounds, other: Bounds): Bounds {
  return { words: one.words + other.words, characters: one.characters + other.characters }
}

/** What is written above a row that begins a part: the head of its table, unless that is too long. */
function headOf({ row }: Line): readonly string[] {
  if (!row) return []
  const { head } = row.table
  const { words, characters } = head.map(sizeOf).reduce(sum, { words: 0, characters: 0 })
  return words <= mostOfTable.words * mostOfHead && characters <= mostOfTable.characters * mostOfHead ? head : []
}

/** Rows of one table in one part of a block, from the line on with which its head begins. */
interface OpenPart {
  readonly table: ReadTable
  readonly start: number
  readonly rows: TableRow[]
}

/** The text of a page while parts of it are replaced. */
class PageWriter {
  readonly tables: PageTable[] = []
  readonly #original: string
  readonly #pieces: string[] = []
  readonly #whole = new Map<ReadTable, { start: number; end: number }>()
  #length = 0
  #taken = 0

  constructor(original: string) {
    this.#original = original
  }

  /** Writes what stands before a block, and its parts, each of which is a block. */
  add(block: Block, parts: readonly (readonly Line[])[]): readonly Block[] {
    this.#write(this.#original.slice(this.#taken, block.start))
    this.#taken = block.end
    return parts.map((lines, at) => {
      if (at > 0) this.#write('\n')
      const start = this.#length
      this.#addPart(lines)
      return { ...block, start, end: this.#length }
    })
  }

  finish(): string {
    this.#write(this.#original.slice(this.#taken))
    return this.#pieces.join('')
  }

  #addPart(lines: readonly Line[]): void {
    let start = this.#length
    const parts: OpenPart[] = []
    for (const [at, { text, row, ...old }] of lines.entries()) {
      if (at > 0) this.#write('\n')
      const moved = row && movedRow(row.row, this.#length - old.start)
      this.#write(text)
      if (!row || !moved) continue
      if (parts.at(-1)?.table !== row.table) parts.push({ table: row.table, start, rows: [] })
      parts.at(-1)?.rows.push(moved)
      start = this.#length + 1
    }
    for (const part of parts) this.#addTable(part)
  }

  #addTable({ table, start, rows }: OpenPart): void {
    const { caption, unit, columns } = table
    const end = rows.at(-1)?.end ?? start
    const whole = this.#whole.get(table) ?? { start, end }
    whole.end = end
    this.#whole.set(table, whole)
    this.tables.push({ start, end, whole, caption, unit, columns: columnsFor(rows, columns), rows })
  }

  #write(piece: string): void {
    this.#pieces.push(piece)
    this.#length += piece.length
  }
}

function movedRow(row: TableRow, by: number): TableRow {
  return {
    ...row,
    start: row.start + by,
    end: row.end + by,
    cells: row.cells.map(([column, start, end]) => [column, start + by, end + by] as const),
  }
}

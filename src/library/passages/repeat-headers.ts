import { wordsIn } from '../language/characters.ts'
import { cellsOf, headerOf, isRow } from '../language/table.ts'
import type { Block, ReadDocument, ReadPage } from '../port/document.ts'
import { wholeTables } from './whole-tables.ts'

export interface Bounds {
  readonly words: number
  readonly characters: number
}

/** A row needs the caption and the header above it, so passages of tables may be longer than others. */
export const mostOfTable: Bounds = { words: 400, characters: 3000 }

/**
 * Makes each table one block, or several if it is long: no row is then without the caption, the unit and the header of its
 * table, which are written again above each part, also where a table continues on the next page.
 */
export function repeatHeaders(document: ReadDocument): ReadDocument {
  const texts = new Map(document.pages.map(({ number, text }) => [number, text]))
  const onPage = new Map<number, Block[]>(document.pages.map(({ number }) => [number, []]))
  for (const block of wholeTables(document.blocks, (page) => texts.get(page) ?? '')) onPage.get(block.page)?.push(block)
  const blocks: Block[] = []
  let last: Table | null = null
  const pages: ReadPage[] = document.pages.map((page) => {
    const text = new TextWithBlocks(page.text)
    for (const block of onPage.get(page.number) ?? []) {
      const table: Table | null = block.kind === 'table' ? tableIn(page.text.slice(block.start, block.end), last) : null
      blocks.push(...text.add(block, table ? partsOf(table) : [page.text.slice(block.start, block.end)]))
      last = table
    }
    return { ...page, text: text.finish() }
  })
  return { ...document, pages, blocks }
}

/** The text of a page while parts of it are replaced. */
class TextWithBlocks {
  readonly #original: string
  readonly #pieces: string[] = []
  #length = 0
  #taken = 0

  constructor(original: string) {
    this.#original = original
  }

  /** Writes what stands before a block, and its parts, each of which is a block. */
  add(block: Block, parts: readonly string[]): readonly Block[] {
    this.#write(this.#original.slice(this.#taken, block.start))
    this.#taken = block.end
    return parts.map((part, at) => {
      if (at > 0) this.#write('\n')
      const start = this.#length
      this.#write(part)
      return { ...block, start, end: this.#length }
    })
  }

  finish(): string {
    this.#write(this.#original.slice(this.#taken))
    return this.#pieces.join('')
  }

  #write(piece: string): void {
    this.#pieces.push(piece)
    this.#length += piece.length
  }
}

interface Table {
  /** Caption, unit and header rows. */
  readonly head: readonly string[]
  readonly rows: readonly string[]
}

/** A table without a head that follows another with as many columns continues that. */
function tableIn(text: string, before: Table | null): Table {
  const lines = text.split('\n')
  const { rows: header, body } = headerOf(lines)
  const headLines = header.length > 0 ? body : Math.max(0, lines.findIndex(isRow))
  const table = { head: lines.slice(0, headLines), rows: lines.slice(headLines) }
  const continues = before !== null && table.head.length === 0 && columnsOf(table) === columnsOf(before)
  return continues ? { ...table, head: before.head } : table
}

function columnsOf({ rows }: Table): number {
  return Math.max(0, ...rows.slice(0, 10).map((row) => cellsOf(row).length))
}

/** A longer head is none: it is not repeated. */
const mostOfHead = 0.3

function partsOf({ head, rows }: Table): readonly string[] {
  const own = sizeOf(head)
  const repeats = own.words <= mostOfTable.words * mostOfHead && own.characters <= mostOfTable.characters * mostOfHead
  if (!repeats) return [[...head, ...rows].join('\n')]
  const parts: string[][] = [[]]
  let size = own
  for (const row of rows) {
    const added = sizeOf([row])
    size = { words: size.words + added.words, characters: size.characters + added.characters }
    const isFull = size.words > mostOfTable.words || size.characters > mostOfTable.characters
    if (isFull && (parts.at(-1)?.length ?? 0) > 0) {
      parts.push([])
      size = { words: own.words + added.words, characters: own.characters + added.characters }
    }
    parts.at(-1)?.push(row)
  }
  return parts.map((part) => [...head, ...part].join('\n'))
}

function sizeOf(lines: readonly string[]): Bounds {
  return {
    words: lines.reduce((sum, line) => sum + wordsIn(line).length, 0),
    characters: lines.reduce((sum, line) => sum + line.length + 1, 0),
  }
}

import type { Block, PageGrid, PageText, ReadPage } from '../../port/document.ts'
import type { PlacedRow } from '../../tables/grid.ts'
import { type GridOptions, movedGrid, writeGrid } from '../../tables/write-grid.ts'
import { checkCharacters, type ReadLimits } from './read-options.ts'

/** Collects text and its blocks, page by page, in reading order. */
export interface DocumentWriter {
  page(number: number, label?: string | null, header?: string | null): void
  /** The document's own title: a heading without a section. */
  title(text: string): void
  /** `level` 1 is outermost. The text that follows belongs to it, on later pages too. */
  heading(level: number, text: string): void
  /** Ends the sections that are below a heading of this name. */
  leave(name: RegExp): void
  paragraph(text: string): void
  /** One block: a caption and rows, one line each; what its cells are is kept. */
  table(rows: readonly PlacedRow[], options?: GridOptions): void
  finish(): { readonly pages: ReadPage[]; readonly blocks: Block[] }
}

const longestHeading = 300
const referencesName =
  /^(?:[\dIVX]+\.?\s+)?(?:references|bibliography|literature cited|works cited|references and notes)\.?:?$/i

/** `limits.characters` is for the text of all pages together. */
export function documentWriter(limits: ReadLimits): DocumentWriter {
  const pages: (Omit<PageText, 'text'> & { text: string; readonly grids: PageGrid[] })[] = []
  const blocks: Block[] = []
  let path: readonly { readonly level: number; readonly text: string }[] = []
  let section: readonly string[] = []
  let characters = 0

  const page = (number: number, label: string | null = null, header: string | null = null) => {
    const opened = { number, label, header, text: '', grids: [] as PageGrid[] }
    pages.push(opened)
    return opened
  }

  const write = (kind: Block['kind'], text: string, under: readonly string[], grid?: PageGrid): void => {
    if (text === '') return
    const open = pages.at(-1) ?? page(1)
    characters += text.length + 1
    checkCharacters(characters, limits)
    const start = open.text === '' ? 0 : open.text.length + 1
    open.text += start === 0 ? text : `\n${text}`
    if (grid) open.grids.push(movedGrid(grid, start))
    addBlock(blocks, { page: open.number, start, end: open.text.length, kind, section: under })
  }

  const setPath = (headings: typeof path): void => {
    path = headings
    section = path.map((above) => above.text)
    inReferences = section.some((name) => referencesName.test(name))
  }
  let inReferences = false

  return {
    page: (...place) => void page(...place),
    title(text) {
      write('heading', text, [])
    },
    heading(level, text) {
      if (text === '') return
      setPath([...path.filter((above) => above.level < level), { level, text: text.slice(0, longestHeading) }])
      write('heading', text, section)
    },
    leave(name) {
      const at = path.findIndex(({ text }) => name.test(text))
      if (at >= 0) setPath(path.slice(0, at))
    },
    paragraph(text) {
      write(inReferences ? 'references' : 'text', text, section)
    },
    table(rows, options) {
      const written = writeGrid(rows, options)
      if (written) write('table', written.text, section, written.grid)
    },
    finish: () => ({
      pages: pages.map(({ grids, ...page }) => (grids.length > 0 ? { ...page, grids } : page)),
      blocks,
    }),
  }
}

/** Neighbouring paragraphs of one section are one block. */
function addBlock(blocks: Block[], block: Block): void {
  const last = blocks.at(-1)
  const isRunning = block.kind === 'text' || block.kind === 'references'
  const extend = isRunning && last?.kind === block.kind && last.page === block.page && last.section === block.section
  if (extend) blocks[blocks.length - 1] = { ...last, end: block.end }
  else blocks.push(block)
}

const caption = /^(?:Table|TABLE|Tab\.)\s+(?:[A-Z]\.?)?(?:\d+|[IVX]+)(?:\.\d+)*\s*(?:[:.|–—-]|$)/u

/** Whether a paragraph is the caption of a table: "Table 2: Sizes". */
export function isTableCaption(text: string): boolean {
  return caption.test(text)
}

/** A writer that puts the caption of a table, a paragraph of its own right above it, into the table's block. */
export function joinCaptions(writer: DocumentWriter): DocumentWriter {
  let held = ''
  const settle = (): void => {
    writer.paragraph(held)
    held = ''
  }
  return {
    page(...place) {
      settle()
      writer.page(...place)
    },
    title(text) {
      settle()
      writer.title(text)
    },
    heading(level, text) {
      settle()
      writer.heading(level, text)
    },
    leave(name) {
      settle()
      writer.leave(name)
    },
    paragraph(text) {
      if (text === '') return
      settle()
      if (isTableCaption(text)) held = text
      else writer.paragraph(text)
    },
    table(rows, options) {
      const first = rows.find(({ cells }) => cells.length > 0)
      const takesHeld = (first?.cells.length ?? 0) > 1
      if (!takesHeld) settle()
      writer.table(rows, { ...options, ...(held !== '' && { caption: held }) })
      held = ''
    },
    finish() {
      settle()
      return writer.finish()
    },
  }
}

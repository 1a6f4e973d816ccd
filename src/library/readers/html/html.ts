import { hasLetter, wordSet, wordsIn } from '../../language/characters.ts'
import type { ReadDocument } from '../../port/document.ts'
import type { Cells, GridCell } from '../../tables/grid.ts'
import { spansOf } from '../../tables/grid.ts'
import { cleanLine, cleanLines } from '../common/clean-text.ts'
import { decodeHtml } from '../common/decode-text.ts'
import { type DocumentWriter, documentWriter, isTableCaption, joinCaptions } from '../common/document-writer.ts'
import { markupParser } from '../common/markup.ts'
import type { ReadOptions } from '../common/read-options.ts'
import { writeTable } from '../common/write-table.ts'
import { isHidden } from './hidden.ts'
import { addMeta, type HtmlHead, htmlMetadata } from './html-metadata.ts'

/** Reads a web page: headings, paragraphs, lists and tables, without scripts, styles and navigation. One page. */
export async function readHtml(bytes: Uint8Array, options: ReadOptions): Promise<ReadDocument> {
  return readHtmlText(decodeHtml(bytes), options)
}

/** A private character: nothing else puts it into the text. Office documents have it where a new page begins. */
export const pageMark = '\ue000'

/** A text as HTML, without marks of pages. */
export function escapeHtml(text: string): string {
  return text.replaceAll(pageMark, '').replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}

/** `pageMark` stands in the text where a new page begins. */
export function readHtmlText(html: string, options: ReadOptions, pageMark: string | null = null): ReadDocument {
  const writer = joinCaptions(documentWriter(options.limits))
  writer.page(1)
  const head = writeHtml(html, writer, pageMark)
  return { format: 'html', ...htmlMetadata(head), ...writer.finish() }
}

const dropped = wordSet('script style noscript template nav svg iframe object button select textarea dialog ix:header')
const blocks = wordSet(
  `p div section article main header footer aside ul ol li dl dt dd blockquote figure figcaption address details summary
   form fieldset hr body center`,
)
const headings = wordSet('h1 h2 h3 h4 h5 h6')
const bold = wordSet('b strong')
/** A paragraph that is bold throughout is a heading below `h6`, as in filings. */
const boldLevel = 7
const mostBoldWords = 14

interface Table {
  readonly rows: GridCell[][]
  row: GridCell[] | null
  /** The cell that is open. */
  cell: Omit<GridCell, 'text'> | null
}

interface Walk {
  readonly writer: DocumentWriter
  readonly head: HtmlHead
  text: string
  /** Characters of `text` that are bold. */
  boldCharacters: number
  boldDepth: number
  skipDepth: number
  preDepth: number
  /** Whether the next text is a superscript. */
  isRaised: boolean
  inTitle: boolean
  heading: number | null
  /** The open lists, innermost last: the number of the next item, null in lists without numbers. */
  readonly lists: (number | null)[]
  readonly tables: Table[]
  readonly pageMark: string | null
  page: number
  /** The page on which the text that is read stands; a table is written on the page where it begins. */
  nextPage: number
}

/** Writes markup, for instance within Markdown. Returns what its head states. */
export function writeHtml(html: string, writer: DocumentWriter, pageMark: string | null = null): HtmlHead {
  const state: Walk = {
    writer,
    head: { title: '', meta: new Map() },
    text: '',
    boldCharacters: 0,
    boldDepth: 0,
    skipDepth: 0,
    preDepth: 0,
    isRaised: false,
    inTitle: false,
    heading: null,
    lists: [],
    tables: [],
    pageMark,
    page: 1,
    nextPage: 1,
  }
  const parser = markupParser({
    onopentag: (name, attributes) => openTag(state, name, attributes),
    ontext: (text) => addPages(state, text),
    onclosetag: (name) => closeTag(state, name),
  })
  parser.end(html)
  flush(state)
  return state.head
}

/** The text that markup within a line shows. */
export function visibleText(html: string): string {
  let [text, hidden] = ['', 0]
  const parser = markupParser({
    onopentag: (name, attributes) => {
      if (hidden > 0 || dropped.has(name) || isHidden(attributes)) hidden += 1
      else if (name === 'br') text += '\n'
    },
    ontext: (part) => {
      if (hidden === 0) text += part
    },
    onclosetag: () => {
      if (hidden > 0) hidden -= 1
    },
  })
  parser.end(html)
  return text
}

type Attributes = Readonly<Record<string, string>>

function openTag(state: Walk, name: string, attributes: Attributes): void {
  if (state.skipDepth > 0 || dropped.has(name) || isHidden(attributes)) {
    state.skipDepth += 1
    return
  }
  if (bold.has(name)) state.boldDepth += 1
  else if (name === 'title') state.inTitle = true
  else if (name === 'meta') addMeta(state.head, attributes)
  else if (name === 'sup') state.isRaised = true
  else if (name === 'br') breakLine(state)
  else openBlock(state, name, attributes)
}

function openBlock(state: Walk, name: string, attributes: Attributes): void {
  if (headings.has(name)) {
    flush(state)
    state.heading = Number(name[1])
  } else if (name === 'pre') {
    flush(state)
    state.preDepth += 1
  } else if (name === 'table') openTable(state)
  else if (name === 'tr') openRow(state)
  else if (name === 'td' || name === 'th') openCell(state, name, attributes)
  else if (name === 'li') openItem(state, attributes)
  else if (blocks.has(name)) openGroup(state, name, attributes)
}

function openGroup(state: Walk, name: string, attributes: Attributes): void {
  flush(state)
  if (name === 'ol') state.lists.push(wholeNumber(attributes.start) ?? 1)
  else if (name === 'ul') state.lists.push(null)
}

function openItem(state: Walk, attributes: Attributes): void {
  flush(state)
  const number = wholeNumber(attributes.value) ?? state.lists.at(-1) ?? null
  if (number !== null && state.lists.length > 0) state.lists[state.lists.length - 1] = number + 1
  if (state.tables.length === 0) state.text = number === null ? '• ' : `${number}. `
}

function wholeNumber(text: string | undefined): number | null {
  return text && /^\d{1,6}$/.test(text) ? Number(text) : null
}

function closeTag(state: Walk, name: string): void {
  if (state.skipDepth > 0) {
    state.skipDepth -= 1
    return
  }
  if (bold.has(name)) state.boldDepth -= 1
  else if (name === 'title') state.inTitle = false
  else if (name === 'sup') state.isRaised = false
  else if (name === 'td' || name === 'th' || name === 'caption') closeCell(state)
  else if (name === 'table') closeTable(state)
  else if (name === 'pre') {
    flush(state)
    state.preDepth -= 1
  } else if (headings.has(name) || blocks.has(name)) flush(state)
  closeList(state, name)
}

function closeList(state: Walk, name: string): void {
  if (name === 'li' && itemMark.test(state.text)) state.text = ''
  if (name === 'ol' || name === 'ul') state.lists.pop()
}

const itemMark = /^\s*(?:•|\d+\.)\s*$/

/** Adds a text, and begins a page at each mark in it. */
function addPages(state: Walk, text: string): void {
  const parts = state.pageMark === null ? [text] : text.split(state.pageMark)
  parts.forEach((part, at) => {
    if (at > 0) state.nextPage += 1
    turnPages(state)
    addText(state, part)
  })
}

function turnPages(state: Walk): void {
  if (state.page === state.nextPage || state.tables.length > 0) return
  if (state.text.trim() !== '') flush(state)
  while (state.page < state.nextPage) {
    state.page += 1
    state.writer.page(state.page)
  }
}

function addText(state: Walk, text: string): void {
  if (state.skipDepth > 0) return
  if (state.inTitle) {
    state.head.title += text
    return
  }
  // 10<sup>6</sup> is not 106.
  const isNote =
    state.isRaised && state.tables.length > 0 && /[\p{L})\].]$/u.test(state.text) && /^\d{1,2}$/u.test(text)
  if (state.isRaised && /\d$/.test(state.text) && /^[-−]?\d/.test(text)) state.text += '^'
  state.isRaised = false
  state.text += isNote ? raised(text) : text
  if (state.boldDepth > 0) state.boldCharacters += text.trim().length
}

/** In a cell, a number that is raised behind a word names a note: it stays apart from the word. */
function raised(digits: string): string {
  return Array.from(digits, (digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'.charAt(Number(digit))).join('')
}

function breakLine(state: Walk): void {
  if (state.tables.length > 0 || state.heading !== null) state.text += ' '
  else if (state.preDepth > 0) state.text += '\n'
  else flush(state)
}

/** Writes the text since the last block began. */
function flush(state: Walk): void {
  if (state.tables.at(-1)?.row) {
    state.text += ' '
    return
  }
  // A list item's mark waits for the paragraph inside the item.
  if (itemMark.test(state.text) && (state.lists.length > 0 || state.text.includes('•'))) return
  const { text, heading, boldCharacters, writer } = state
  state.text = ''
  state.boldCharacters = 0
  state.heading = null
  if (state.preDepth > 0) for (const line of cleanLines(text).split('\n')) writer.paragraph(line)
  else writeParagraph(writer, cleanLine(text), heading, boldCharacters)
}

function writeParagraph(writer: DocumentWriter, text: string, heading: number | null, boldCharacters: number): void {
  if (text === '') return
  // Sites put a link to the heading behind it.
  if (heading !== null) writer.heading(heading, text.replace(/(?<!\s)\s*[¶#]$/u, ''))
  else if (isBoldHeading(text, boldCharacters) && !isTableCaption(text)) writer.heading(boldLevel, text)
  else writer.paragraph(text)
}

function isBoldHeading(text: string, boldCharacters: number): boolean {
  const isBold = boldCharacters >= wordsIn(text).join('').length
  return isBold && hasLetter(text) && !/[.!?,;]$/u.test(text) && text.split(' ').length <= mostBoldWords
}

// Tables inside tables: the inner ones hold the data, the outer ones only lay out the page.
function openTable(state: Walk): void {
  const outer = state.tables.at(-1)
  if (outer) {
    closeCell(state)
    writeCells(state.writer, outer.rows.splice(0))
    outer.row = null
  } else flush(state)
  state.tables.push({ rows: [], row: null, cell: null })
}

function openRow(state: Walk): void {
  const table = state.tables.at(-1)
  if (!table) return
  closeCell(state)
  state.text = ''
  table.row = []
  table.rows.push(table.row)
}

function openCell(state: Walk, name: string, attributes: Attributes): void {
  const table = state.tables.at(-1)
  if (!table) return
  closeCell(state)
  table.cell = { isHeader: name === 'th', ...spansOf(attributes.colspan, attributes.rowspan) }
}

function closeCell(state: Walk): void {
  const table = state.tables.at(-1)
  if (!table) return
  const text = cleanLine(state.text)
  const cell = { ...(table.cell ?? { isHeader: false, columns: 1, rows: 1 }), text }
  const isThere = table.cell !== null || text !== ''
  state.text = ''
  state.boldCharacters = 0
  table.cell = null
  if (!isThere) return
  if (table.row) table.row.push(cell)
  else table.rows.push([cell])
}

function closeTable(state: Walk): void {
  closeCell(state)
  const table = state.tables.pop()
  if (table) writeCells(state.writer, table.rows)
}

/** Where no cell spans columns, a blank one may belong to the name before it. */
function writeCells(writer: DocumentWriter, rows: Cells): void {
  writeTable(writer, rows, { isExact: rows.some((row) => row.some(({ columns }) => columns > 1)) })
}

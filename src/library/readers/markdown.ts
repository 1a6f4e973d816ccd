import { fromMarkdown } from 'mdast-util-from-markdown'
import { parse as parseYaml } from 'yaml'
import { yearIn } from '../language/characters.ts'
import type { ReadDocument } from '../port/document.ts'
import type { GridCell } from '../tables/grid.ts'
import { authorNames } from './common/author-names.ts'
import { cleanLine, cleanLines } from './common/clean-text.ts'
import { decodeText } from './common/decode-text.ts'
import { type DocumentWriter, documentWriter, isTableCaption, joinCaptions } from './common/document-writer.ts'
import type { ReadOptions } from './common/read-options.ts'
import { textCells, writeTable } from './common/write-table.ts'
import { escapeHtml, visibleText, writeHtml } from './html/html.ts'

type Node = ReturnType<typeof fromMarkdown>['children'][number]

/** Reads Markdown (CommonMark and pipe tables) as the text that a reader sees, without its markup. One page. */
export async function readMarkdown(bytes: Uint8Array, options: ReadOptions): Promise<ReadDocument> {
  const { properties, body } = frontMatter(decodeText(bytes).replace(/\r\n?/gu, '\n'))
  const writer = joinCaptions(documentWriter(options.limits))
  writer.page(1)
  for (const node of nodesOf(body)) writeNode(writer, node, '')
  return { format: 'markdown', ...metadata(properties), ...writer.finish() }
}

/** Markup of which a document cannot hold very much without taking the square of the time. */
const dense = {
  disable: {
    null: [
      'labelStartLink',
      'labelStartImage',
      'attention',
      'blockQuote',
      'list',
      'definition',
      'htmlFlow',
      'htmlText',
    ],
  },
}

/** Markup that is too dense to be meant is read as text: that of a paragraph, or all of these kinds. */
function nodesOf(body: string): readonly Node[] {
  const options = isDense(body) ? { extensions: [dense] } : {}
  const paragraphs = body.split(/\n[ \t]*\n/u).map((text) => ({ text, isText: isDenseParagraph(text) }))
  if (!paragraphs.some(({ isText }) => isText)) return fromMarkdown(body, options).children
  const runs: { text: string; readonly isText: boolean }[] = []
  for (const { text, isText } of paragraphs) {
    const last = runs.at(-1)
    if (!last || isText || last.isText) runs.push({ text, isText })
    else last.text += `\n\n${text}`
  }
  return runs.flatMap(({ text, isText }) => (isText ? asText(text) : fromMarkdown(text, options).children))
}

function asText(value: string): Node {
  return { type: 'paragraph', children: [{ type: 'text', value }] }
}

/** In a paragraph. */
const mostBrackets = 5000
const mostEmphasis = 1000
/** Lines of a paragraph that begin no quote or item of a list, below one that does: each is compared with all before it. */
const mostLazyLines = 500
/** In a document. */
const mostBracketsInAll = 30_000
const mostQuotesAndItems = 30_000
/** Comments, declarations and instructions of HTML: each that is not closed is looked for to the end of the document. */
const mostComments = 1000
const quoteOrItem = /^[ \t]{0,3}(?:>|[-+*][ \t]|\d{1,9}[.)][ \t])/gmu
/** A hundred quotes and lists within each other, at the beginning of a line. */
const deepLine = /^(?:[ \t]{0,9}(?:>|[-+*][ \t]|\d{1,9}[.)][ \t])){100}/mu

function isDense(body: string): boolean {
  return (
    count(body, /<[!?]/gu) > mostComments ||
    count(body, /\[/gu) > mostBracketsInAll ||
    count(body, quoteOrItem) > mostQuotesAndItems
  )
}

function isDenseParagraph(paragraph: string): boolean {
  const begun = count(paragraph, quoteOrItem)
  return (
    deepLine.test(paragraph) ||
    count(paragraph, /\[/gu) > mostBrackets ||
    count(paragraph, /[*_]+/gu) > mostEmphasis ||
    (begun > 0 && count(paragraph, /^/gmu) - begun > mostLazyLines)
  )
}

function count(text: string, mark: RegExp): number {
  return [...text.matchAll(mark)].length
}

type Properties = { readonly [name: string]: unknown }

function frontMatter(source: string): { properties: Properties; body: string } {
  const found = /^---\n([\s\S]*?)\n---(?:\n|$)/u.exec(source)
  if (!found) return { properties: {}, body: source }
  try {
    const parsed: unknown = parseYaml(found[1] ?? '')
    const isMap = typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
    if (isMap) return { properties: { ...parsed }, body: source.slice(found[0].length) }
  } catch {
    // Two rules around a text that is no YAML: it stays in the text.
  }
  return { properties: {}, body: source }
}

function metadata(properties: Properties): Pick<ReadDocument, 'title' | 'authors' | 'year'> {
  const { title, author, authors, date, year } = properties
  const from = 'front matter'
  const names = [authors ?? author ?? []].flat().flatMap(namesOf)
  const stated = yearIn(date instanceof Date ? date.toISOString() : String(year ?? date ?? ''))
  return {
    title: typeof title === 'string' ? { value: cleanLine(title), from } : null,
    authors: names.length > 0 ? { value: names, from } : null,
    year: stated === null ? null : { value: stated, from },
  }
}

/** "Ada Duck and Bo Heron", or `{ name: Ada Duck }`. */
function namesOf(author: unknown): readonly string[] {
  if (typeof author === 'string') return authorNames(cleanLine(author))
  const isNamed = typeof author === 'object' && author !== null && 'name' in author && typeof author.name === 'string'
  return isNamed ? [cleanLine(String(author.name))] : []
}

function writeNode(writer: DocumentWriter, node: Node, prefix: string): void {
  if (node.type === 'heading') writer.heading(node.depth, cleanLine(inlineText(node)))
  else if (node.type === 'paragraph' && prefix === '' && isBoldHeading(node))
    writer.heading(boldLevel, cleanLine(inlineText(node)))
  else if (node.type === 'paragraph') writeParagraph(writer, inlineText(node), prefix)
  else if (node.type === 'html') writeHtml(node.value, writer)
  else if (node.type === 'code') for (const line of cleanLines(node.value).split('\n')) writer.paragraph(line)
  else if (node.type === 'list') writeList(writer, node)
  else if (node.type === 'blockquote') for (const child of node.children) writeNode(writer, child, prefix)
}

/** A paragraph that is bold throughout stands for a heading below the sixth level. */
const boldLevel = 7
const mostBoldWords = 14

function isBoldHeading({ children: [only, ...more] }: Extract<Node, { type: 'paragraph' }>): boolean {
  if (only?.type !== 'strong' || more.length > 0) return false
  const text = cleanLine(inlineText(only))
  return !/[.!?,;:]$/u.test(text) && text.split(' ').length <= mostBoldWords && !isTableCaption(text)
}

function writeList(writer: DocumentWriter, list: Extract<Node, { type: 'list' }>): void {
  for (const [at, item] of list.children.entries()) {
    const prefix = list.ordered ? `${(list.start ?? 1) + at}. ` : '• '
    for (const [place, child] of item.children.entries()) writeNode(writer, child, place === 0 ? prefix : '')
  }
}

interface Inline {
  readonly type: string
  readonly value?: string | undefined
  readonly alt?: string | null | undefined
  readonly children?: readonly Inline[] | undefined
}

/** The visible text below a node, with the line ends of the source. */
function inlineText({ type, value, alt, children }: Inline): string {
  if (type === 'text' || type === 'inlineCode') return value ?? ''
  if (type === 'image') return alt ?? ''
  if (type === 'break') return '\n'
  // Markup within a line may hide a part of it.
  const isMarkup = children?.some((child) => child.type === 'html') ?? false
  if (!isMarkup) return children?.map(inlineText).join('') ?? ''
  return visibleText(
    children?.map((child) => (child.type === 'html' ? child.value : escapeHtml(inlineText(child)))).join('') ?? '',
  )
}

const delimiterRow = /^\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?$/u

function writeParagraph(writer: DocumentWriter, text: string, prefix: string): void {
  const lines = text.split('\n')
  const delimiter = lines.findIndex((line, at) => at > 0 && isTableHead(lines[at - 1] ?? '', line))
  if (delimiter < 0) {
    writer.paragraph(cleanLine(prefix + text))
    return
  }
  const following = lines.slice(delimiter + 1)
  const rowCount = following.findIndex((line) => !line.includes('|'))
  const rows = rowCount < 0 ? following : following.slice(0, rowCount)
  writer.paragraph(cleanLine(lines.slice(0, delimiter - 1).join(' ')))
  writeTable(writer, [lines[delimiter - 1] ?? '', ...rows].map(tableRow))
  writer.paragraph(cleanLine(following.slice(rows.length).join(' ')))
}

function isTableHead(head: string, line: string): boolean {
  return head.includes('|') && line.includes('-') && line.includes('|') && delimiterRow.test(line.trim())
}

/** A bar within a cell has a backslash before it, which the text no longer has: such a row has a cell too many. */
function tableRow(line: string, at: number): readonly GridCell[] {
  const texts = line
    .trim()
    .replace(/^\||\|$/gu, '')
    .split('|')
  return textCells(texts).map((cell) => ({ ...cell, isHeader: at === 0 }))
}

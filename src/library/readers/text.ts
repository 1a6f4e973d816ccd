import { hasLetter } from '../language/characters.ts'
import type { ReadDocument } from '../port/document.ts'
import { cleanLine, cleanLines } from './common/clean-text.ts'
import { decodeText } from './common/decode-text.ts'
import { type DocumentWriter, documentWriter } from './common/document-writer.ts'
import type { ReadOptions } from './common/read-options.ts'

/**
 * Reads plain text: paragraphs are parted by empty lines, wrapped lines within one are joined; headings are underlined,
 * numbered, or in capitals on a line of their own. One page.
 */
export async function readText(bytes: Uint8Array, options: ReadOptions): Promise<ReadDocument> {
  const writer = documentWriter(options.limits)
  writer.page(1)
  writeText(writer, decodeText(bytes))
  return { format: 'text', title: null, authors: null, year: null, ...writer.finish() }
}

/** Writes plain text with what looks like headings. */
export function writeText(writer: DocumentWriter, text: string): void {
  const paragraphs = cleanLines(text).split(/\n\s*\n/u)
  paragraphs.forEach((paragraph, at) => {
    const level = headingLevel(paragraph, paragraphs[at - 1], paragraphs[at + 1])
    if (level !== null) writer.heading(level, cleanLine(paragraph))
    else writeLines(writer, paragraph.split('\n'))
  })
}

const longestHeading = 80
const outermost = 1
const belowTitle = 2

/** How deep a heading is that a paragraph of one line makes; null if it makes none. */
function headingLevel(paragraph: string, before: string | undefined, after: string | undefined): number | null {
  if (!isHeadingLike(paragraph) || after === undefined) return null
  const depth = numberDepth(paragraph)
  // Entries of a list follow each other.
  const isEntry = depth !== null && [before, after].some((each) => each !== undefined && numberDepth(each) === depth)
  if (depth !== null) return isEntry ? null : depth + outermost
  if (!isInCapitals(paragraph)) return null
  return before === undefined ? outermost : belowTitle
}

function isHeadingLike(text: string): boolean {
  return !text.includes('\n') && text.length <= longestHeading && !/[.!?,;:|]$/u.test(text)
}

/** 2 for "3.1 Depths"; null for a line without such a number. */
function numberDepth(line: string): number | null {
  const number = /^(\d{1,2}(?:\.\d{1,2}){0,4})\.?\s+\p{Lu}/u.exec(line)?.[1]
  return number && isHeadingLike(line) ? number.split('.').length : null
}

function isInCapitals(text: string): boolean {
  return /\p{Lu}(?:[^\p{L}]*\p{Lu}){3}/u.test(text) && !/\p{Ll}|\s{3}|\t/u.test(text)
}

const underlines: Readonly<Record<string, number>> = { '=': outermost, '-': belowTitle, '~': belowTitle + 1 }

/** A paragraph of several lines, some of which may be underlined headings. */
function writeLines(writer: DocumentWriter, lines: readonly string[]): void {
  let open: string[] = []
  const settle = (): void => {
    for (const text of unwrap(open)) writer.paragraph(text)
    open = []
  }
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    const level = underlineLevel(line, lines[at + 1])
    if (level === null) {
      open.push(line)
      continue
    }
    settle()
    writer.heading(level, cleanLine(line))
    at++
  }
  settle()
}

/** "Depths" above "------". */
function underlineLevel(line: string, below: string | undefined): number | null {
  const mark = /^(=|-|~)\1{2,}$/u.exec(below?.trim() ?? '')?.[1]
  const isHeading = mark && hasLetter(line) && line.length <= longestHeading
  return isHeading ? (underlines[mark] ?? null) : null
}

const listItem = /^\s*(?:[-*•+]|\d+[.)])\s/u
const longLine = 45

/** Joins lines that were wrapped; keeps list items and short lines (verse, addresses, code) on their own. */
function unwrap(lines: readonly string[]): string[] {
  const joined: string[] = []
  let before = ''
  for (const line of lines) {
    const wrapped = before.length >= longLine && !listItem.test(line) && !/^\s{4}/u.test(line)
    if (wrapped && joined.length > 0) joined.push(`${joined.pop()} ${cleanLine(line)}`)
    else joined.push(cleanLine(line))
    before = line
  }
  return joined
}

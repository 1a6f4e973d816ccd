import type { DocumentWriter } from '../common/document-writer.ts'
import { endsInNumber, isContents } from './contents.ts'
import { continuesHeading, headingLevel } from './headings.ts'
import { joinLines, type Vocabulary } from './hyphens.ts'
import type { BodyType, Line } from './lines.ts'
import { captionEnd, paragraphs } from './paragraphs.ts'
import { findTables, isName, type TableSpan, tableRows } from './tables.ts'

export interface LayoutContext {
  readonly body: BodyType
  readonly words: Vocabulary
  readonly titleLines: readonly Line[]
  /** Names, addresses and dates below the title: never headings. */
  readonly frontLines: ReadonlySet<Line>
  /** What the document's table of contents lists. */
  readonly listedLines: ReadonlySet<Line>
}

/** Writes the lines of one page as title, headings, tables and paragraphs. */
export function writePage(writer: DocumentWriter, lines: readonly Line[], context: LayoutContext): void {
  const { body, words } = context
  const join: Join = (some) =>
    joinLines(
      some.map((line) => line.text),
      words,
    )
  const tables = findTables(lines, (start) => captionEnd(lines, start, body))
  let text: Line[] = []
  const writeText = (isAboveTable = false): void => {
    const titles = isAboveTable ? titleLines(text) : 0
    const running = text.slice(0, text.length - titles)
    for (const paragraph of paragraphs(running, body)) writer.paragraph(join(paragraph))
    for (const line of text.slice(running.length)) writer.paragraph(line.text)
    text = []
  }
  for (let at = 0; at < lines.length; ) {
    const table = tables.find((each) => each.start === at)
    const next = tables.find((each) => each.start > at)?.start ?? lines.length
    const piece = table ? tablePiece(lines, table, join) : pieceAt(lines.slice(0, next), at, context, join)
    if (piece.write) {
      writeText(table !== undefined)
      piece.write(writer)
    } else if (piece.text) text.push(piece.text)
    at = piece.end
  }
  writeText()
}

/** Lines above a table that say what it is, "Sales by region", "(in millions)". */
const mostTitles = 4

/** How many lines at the end of a text are titles of the table below: short ones, behind the end of a sentence. */
function titleLines(text: readonly Line[]): number {
  const short = text.length - 1 - text.findLastIndex((line) => !isName(line))
  const before = text.at(-short - 1)
  const isParted = before === undefined || /[.!?:]["”’)]?$/u.test(before.text)
  return short <= mostTitles && isParted ? short : 0
}

type Join = (lines: readonly Line[]) => string

/** What begins at a line: something to write, or a line of running text. */
interface Piece {
  readonly end: number
  readonly write?: (writer: DocumentWriter) => void
  readonly text?: Line
}

function tablePiece(lines: readonly Line[], table: TableSpan, join: Join): Piece {
  const caption = table.caption ? join(lines.slice(table.caption.start, table.caption.end)) : ''
  return { end: table.end, write: (writer) => writer.table(tableRows(lines, table), { caption, isExact: true }) }
}

function pieceAt(lines: readonly Line[], at: number, context: LayoutContext, join: Join): Piece {
  const end = at + 1
  const line = lines[at]
  if (!line) return { end }
  const heading = headingAt(lines, at, context)
  if (heading) {
    const text = join(lines.slice(at, heading.end))
    const write = (writer: DocumentWriter): void =>
      heading.level === 0 ? writer.title(text) : writer.heading(heading.level, text)
    return { end: heading.end, write }
  }
  if (context.frontLines.has(line)) return { end, write: (writer) => writer.paragraph(line.text) }
  return { end, text: line }
}

/** A heading that begins at this line, and its end; level 0 is the document's title. */
function headingAt(lines: readonly Line[], at: number, context: LayoutContext): { level: number; end: number } | null {
  const { body, titleLines, frontLines, listedLines } = context
  const line = lines[at]
  if (!line) return null
  if (titleLines.includes(line)) return { level: 0, end: endOfRun(lines, at, (next) => titleLines.includes(next)) }
  const level = frontLines.has(line) ? null : headingLevel(line, body, listedLines.has(line))
  if (level === null || (endsInNumber(line) && isContents(lines))) return null
  const end = endOfRun(lines, at, (next, before) => continuesHeading(before, next, body))
  return { level, end: Math.min(end, at + mostHeadingLines) }
}

const mostHeadingLines = 3
/** The end of the lines from `at` on that belong together. */
function endOfRun(lines: readonly Line[], at: number, belongs: (line: Line, before: Line) => boolean): number {
  for (let end = at + 1; end < lines.length; end++) {
    const [before, line] = [lines[end - 1], lines[end]]
    if (!before || !line || !belongs(line, before)) return end
  }
  return lines.length
}

import type { DocumentWriter } from '../common/document-writer.ts'
import { continuesHeading, type HeadingTypes, headingByType, headingOf, runInHeading } from './headings.ts'
import { joinLines, type Vocabulary } from './hyphens.ts'
import type { BodyType, Line } from './lines.ts'
import { captionEnd, paragraphs } from './paragraphs.ts'
import { beginsCaption, findTables, type TableSpan, tableText } from './tables.ts'

/** What the layout of one page needs to know of the whole document. */
export interface LayoutContext {
  readonly body: BodyType
  readonly types: HeadingTypes
  readonly words: Vocabulary
  readonly titleLines: readonly Line[]
  /** Names, addresses and dates below the title: no headings, however large. */
  readonly frontLines: ReadonlySet<Line>
}

/** Writes the lines of one page as title, headings, tables and paragraphs. */
export function writePage(writer: DocumentWriter, lines: readonly Line[], context: LayoutContext): void {
  const join: Join = (some) =>
    joinLines(
      some.map((line) => line.text),
      context.words,
    )
  let text: Line[] = []
  for (const piece of pieces(lines, context)) {
    if (piece.kind === 'text') {
      text.push(piece.line)
      continue
    }
    writeText(writer, text, context, join)
    text = []
    if (piece.kind === 'front') writer.paragraph(piece.line.text)
    else if (piece.kind === 'table') writer.table(tableText(lines, piece.table, caption(lines, piece.table, join)))
    else if (piece.kind === 'run-in') writer.heading(piece.level, piece.text)
    else if (piece.level === 0) writer.title(join(piece.lines))
    else writer.heading(piece.level, join(piece.lines))
  }
  writeText(writer, text, context, join)
}

type Join = (lines: readonly Line[]) => string

/** `front` is a line of names, addresses or dates below the title; a heading of level 0 is the title. */
type Piece =
  | { readonly kind: 'text'; readonly line: Line }
  | { readonly kind: 'front'; readonly line: Line }
  | { readonly kind: 'table'; readonly table: TableSpan }
  | { readonly kind: 'heading'; readonly level: number; readonly lines: readonly Line[] }
  | { readonly kind: 'run-in'; readonly level: number; readonly text: string }

function* pieces(lines: readonly Line[], context: LayoutContext): Generator<Piece> {
  const tables = findTables(lines, (start) => captionEnd(lines, start, context.body))
  for (let at = 0; at < lines.length; ) {
    const { found, end } = piecesAt(lines, at, tables, context)
    yield* found
    at = end
  }
}

function piecesAt(
  lines: readonly Line[],
  at: number,
  tables: readonly TableSpan[],
  context: LayoutContext,
): { found: readonly Piece[]; end: number } {
  const table = tables.find((each) => each.start === at)
  if (table) return { found: [{ kind: 'table', table }], end: table.end }
  const heading = headingAt(lines, at, context)
  if (heading) {
    const { level, end } = heading
    return { found: [{ kind: 'heading', level, lines: lines.slice(at, end) }], end }
  }
  const line = lines[at]
  if (!line) return { found: [], end: at + 1 }
  if (context.frontLines.has(line)) return { found: [{ kind: 'front', line }], end: at + 1 }
  const runIn = beginsCaption(line) ? null : runInHeading(line, lines[at - 1], context.body)
  if (!runIn) return { found: [{ kind: 'text', line }], end: at + 1 }
  const { level, text, rest } = runIn
  return {
    found: [
      { kind: 'run-in', level, text },
      { kind: 'text', line: rest },
    ],
    end: at + 1,
  }
}

function writeText(writer: DocumentWriter, text: readonly Line[], { body }: LayoutContext, join: Join): void {
  for (const paragraph of paragraphs(text, body, writer.inReferences())) writer.paragraph(join(paragraph))
}

function caption(lines: readonly Line[], table: TableSpan, join: Join): string {
  return table.caption ? join(lines.slice(table.caption.start, table.caption.end)) : ''
}

/** A heading that begins at this line and the line after its last; level 0 is the document's title. */
function headingAt(lines: readonly Line[], at: number, context: LayoutContext): { level: number; end: number } | null {
  const { body, types, titleLines, frontLines } = context
  const line = lines[at]
  if (!line) return null
  if (titleLines.includes(line)) return { level: 0, end: endOfRun(lines, at, (next) => titleLines.includes(next)) }
  if (frontLines.has(line)) return null
  const heading =
    headingOf(line, body) ??
    (beginsCaption(line) ? null : headingByType(line, { before: lines[at - 1], after: lines[at + 1] }, { body, types }))
  if (!heading) return null
  const end = endOfRun(lines, at, (next, before) => continuesHeading(before, next, body))
  return { level: heading.level, end: Math.min(end, at + mostHeadingLines) }
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

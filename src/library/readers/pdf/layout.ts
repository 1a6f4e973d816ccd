import type { DocumentWriter } from '../document-writer.ts'
import { continuesHeading, headingOf, isSectionName } from './headings.ts'
import { joinLines, type Vocabulary } from './hyphens.ts'
import type { BodyType, Line } from './lines.ts'
import { captionEnd, paragraphs } from './paragraphs.ts'
import { findTables, type TableSpan, tableText } from './tables.ts'

/** What the layout of one page needs to know of the whole document. */
export interface LayoutContext {
  readonly body: BodyType
  readonly words: Vocabulary
  readonly titleLines: readonly Line[]
  /** Names, addresses and dates below the title: no headings, however large. */
  readonly frontLines: ReadonlySet<Line>
}

/** Writes the lines of one page as title, headings, tables and paragraphs. */
export function writePage(writer: DocumentWriter, lines: readonly Line[], context: LayoutContext): void {
  const tables = findTables(lines, (start) => captionEnd(lines, start, context.body))
  const join = (some: readonly Line[]): string =>
    joinLines(
      some.map((line) => line.text),
      context.words,
    )
  let text: Line[] = []
  const flush = (): void => {
    for (const paragraph of paragraphs(text, context.body, writer.inReferences())) writer.paragraph(join(paragraph))
    text = []
  }
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]
    if (!line) continue
    const table = tables.find((each) => each.start === at)
    if (table) {
      flush()
      writer.table(tableText(lines, table, caption(lines, table, join)))
      at = table.end - 1
      continue
    }
    const heading = headingAt(lines, at, context)
    if (!heading && !context.frontLines.has(line)) {
      text.push(line)
      continue
    }
    flush()
    if (!heading) {
      writer.paragraph(line.text)
      continue
    }
    const headingText = join(lines.slice(at, heading.end))
    if (heading.level === 0) writer.title(headingText)
    else writer.heading(heading.level, headingText)
    at = heading.end - 1
  }
  flush()
}

function caption(lines: readonly Line[], table: TableSpan, join: (lines: readonly Line[]) => string): string {
  return table.caption ? join(lines.slice(table.caption.start, table.caption.end)) : ''
}

/** A heading that begins at this line and the line after its last; level 0 is the document's title. */
function headingAt(lines: readonly Line[], at: number, context: LayoutContext): { level: number; end: number } | null {
  const line = lines[at]
  if (!line) return null
  let end = at + 1
  if (context.titleLines.includes(line)) {
    while (end < lines.length && context.titleLines.includes(lines[end] as Line)) end++
    return { level: 0, end }
  }
  const heading = headingOf(line, context.body)
  if (!heading || (context.frontLines.has(line) && !isSectionName(line.text))) return null
  while (end < Math.min(lines.length, at + 3)) {
    const [before, next] = [lines[end - 1], lines[end]]
    if (!before || !next || !continuesHeading(before, next, context.body)) break
    end++
  }
  return { level: heading.level, end }
}

import { isRow } from '../../language/table.ts'
import type { DocumentWriter } from './document-writer.ts'

const caption = /^(?:Table|TABLE|Tab\.)\s+(?:[A-Z]\.?)?(?:\d+|[IVX]+)(?:\.\d+)*\s*(?:[:.|–—-]|$)/u

/** Whether a paragraph is the caption of a table: "Table 2: Sizes". */
export function isTableCaption(text: string): boolean {
  return caption.test(text)
}

/**
 * A writer that puts the caption of a table, where it is a paragraph of its own right before or after the table, into
 * the table's block, above its rows.
 */
export function joinCaptions(writer: DocumentWriter): DocumentWriter {
  let table: readonly string[] | null = null
  let held: string | null = null
  let standBelow = false

  const settle = (): void => {
    if (table && held !== null) standBelow = true
    if (table) writer.table(held === null ? table : withCaption(held, table))
    else if (held !== null) writer.paragraph(held)
    table = null
    held = null
  }

  return {
    inReferences: () => writer.inReferences(),
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
    paragraph(text) {
      if (text === '') return
      const isCaption = isTableCaption(text)
      // Below a table that has none, it may be the caption of that table or of the next.
      if (!isCaption || held !== null || (table !== null && !isRow(table[0] ?? ''))) settle()
      if (isCaption) held = text
      else writer.paragraph(text)
    },
    table(rows) {
      const takesHeld = isRow(rows[0] ?? '') && !(table !== null && standBelow)
      const above = takesHeld ? held : null
      if (above !== null) held = null
      settle()
      table = above === null ? rows : withCaption(above, rows)
    },
    finish() {
      settle()
      return writer.finish()
    },
  }
}

// The bar separates cells, so a bar within a caption is replaced.
function withCaption(text: string, rows: readonly string[]): readonly string[] {
  return [text.replaceAll('|', '¦'), ...rows]
}

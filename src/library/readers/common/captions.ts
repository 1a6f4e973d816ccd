import type { DocumentWriter } from './document-writer.ts'

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

import type { PageText, Passage } from '../../../library/document.ts'
import type { PassageRow } from './library-rows.ts'

type ReadPage = (documentId: string, page: number) => PageText | undefined

/**
 * Makes passages of rows. Offsets count UTF-16 code units, as JavaScript does and SQLite does not, so the text is cut
 * out here.
 */
export function passageReader(read: ReadPage): (row: PassageRow) => Passage {
  const pageOf = pageReader(read)
  return ({ number: _, ...row }) => {
    const text = pageOf(row.documentId, row.page)?.text ?? ''
    return { ...row, text: text.slice(row.start, row.end) }
  }
}

/** Reads each page once: a text file is one page, however long. */
export function pageReader(read: ReadPage): ReadPage {
  const pages = new Map<string, PageText | undefined>()
  return (documentId, page) => {
    const key = `${documentId} ${page}`
    const found = pages.get(key) ?? read(documentId, page)
    pages.set(key, found)
    return found
  }
}

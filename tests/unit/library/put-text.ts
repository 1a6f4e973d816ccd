import type { Passage } from '../../../src/library/port/document.ts'
import type { PassageIndex } from '../../../src/library/port/passage-index.ts'

/** Puts a document of one page into an index, each given text a passage of its own. */
export async function putText(
  index: PassageIndex,
  text: {
    readonly id: string
    readonly title: string | null
    readonly passages: readonly string[]
    readonly kind?: Passage['kind']
    readonly source?: string
  },
): Promise<void> {
  const { id: documentId, title, kind = 'text', source = `${documentId}.txt` } = text
  let start = 0
  const passages = text.passages.map((passage, ordinal): Passage => {
    const end = start + passage.length
    const place = {
      passageId: `${documentId}.${ordinal}`,
      documentId,
      ordinal,
      page: 1,
      section: null,
      kind,
      start,
      end,
    }
    start = end + 1
    return { ...place, text: passage }
  })
  const page = { number: 1, label: null, text: text.passages.join('\n'), header: null }
  const record = { documentId, title, authors: [], year: null, source, format: 'text' as const }
  await index.put({ record, pages: [page], passages }, { source, documentId, size: 0, modifiedMs: 0 })
}

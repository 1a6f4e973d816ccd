import type { EvidencePassage } from '../../../../../src/events/index.ts'
import { type DocumentCard, readCard } from '../../../../../src/library/card.ts'
import type { KnownDocument } from '../../../../../src/offline/parts/parts.ts'

/** A library of documents that consist of their first pages; the first line is the title. */
export function libraryOf(pages: Readonly<Record<string, string>>) {
  const documents: KnownDocument[] = Object.entries(pages).map(([source, page]) => {
    const [title = null] = page.split('\n')
    return { documentId: source, title: title || null, authors: [], year: null, source }
  })
  const evidence: EvidencePassage[] = documents.map(({ documentId, title, source }, i) => {
    const place = { documentId, title, source, year: null, page: 1, section: null }
    return { ...place, id: `P${i + 1}`, kind: 'text', origin: 'documents', text: pages[source] ?? '', score: 0 }
  })
  const card = async (documentId: string): Promise<DocumentCard | null> => {
    const document = documents.find((each) => each.documentId === documentId)
    if (!document) return null
    const stated = document.title ? [{ value: document.title, from: 'heading' }] : []
    return readCard({
      document: { ...document, format: 'markdown', pages: 1, passages: 0, tags: [], addedAt: null },
      metadata: { title: stated, authors: [], year: [] },
      page: pages[documentId] ?? '',
      passages: [],
    })
  }
  return { documents, evidence, parts: { card } }
}

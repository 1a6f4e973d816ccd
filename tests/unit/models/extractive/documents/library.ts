import type { EvidencePassage } from '../../../../../src/events/index.ts'
import type { DocumentFacts, KnownDocument } from '../../../../../src/offline/parts/parts.ts'

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
  const facts = async (documentId: string): Promise<DocumentFacts | null> => {
    const title = documents.find((each) => each.documentId === documentId)?.title
    const stated = title ? [{ value: title, from: 'heading' }] : []
    return { title: stated, authors: [], year: [], pages: null, firstPage: pages[documentId] ?? '' }
  }
  const sentences = (text: string) => text.match(/[^.]+(?:\.(?!\s)[^.]*)*\.?/gu)?.map((each) => each.trim()) ?? []
  const contentStems = (text: string) => text.toLowerCase().match(/[a-z]{3,}/gu) ?? []
  return { documents, evidence, parts: { facts, sentences, contentStems } }
}

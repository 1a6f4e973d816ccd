import { describe, expect, it } from 'vitest'
import { answerAboutDocuments, MOST_LISTED } from '../../../../src/offline/documents/answer-about-documents.ts'
import type { ExtractiveParts } from '../../../../src/offline/parts/parts.ts'
import { libraryOf } from '../../models/extractive/documents/library.ts'

const answer = async (pages: Readonly<Record<string, string>>, isRead = (_: string) => true) => {
  const { documents, evidence, parts } = libraryOf(pages)
  // The other parts are not needed to read a title page.
  const answering = { ...parts, documents: async () => documents, search: async () => [] } as unknown as ExtractiveParts
  const read = evidence.filter(({ documentId }) => isRead(documentId))
  const asked = { agent: 'synthesis', question: 'What documents do I have?', evidence: read } as const
  return answerAboutDocuments(asked, answering)
}

describe('what the library holds', () => {
  it('is listed by title, each quoted from its first page', async () => {
    expect(await answer({ 'a.md': 'The Halden Filter\nText.', 'b.md': 'Moss Survey\nText.' })).toEqual({
      text: '- “The Halden Filter”<cite id="P1">The Halden Filter</cite>\n- “Moss Survey”<cite id="P2">Moss Survey</cite>',
      confidence: 0.9,
      remarks: ['There are 2 documents.'],
    })
  })

  it('is listed up to a number, and it is said how many there are and where the whole list is', async () => {
    const names = Array.from({ length: MOST_LISTED + 3 }, (_, i) => [`${i}.md`, `Report ${i}\nText.`] as const)
    const listed = await answer(Object.fromEntries(names))
    expect(listed?.text.split('\n')).toHaveLength(MOST_LISTED)
    expect(listed?.remarks).toEqual([
      `There are ${MOST_LISTED + 3} documents; 3 more are not listed here. The whole list: \`quaero library list\`, or Documents in the page.`,
    ])
  })

  it('names beside the list what nothing can be quoted from', async () => {
    const listed = await answer({ 'a.md': 'The Halden Filter\nText.', 'scan.pdf': '' }, (id) => id === 'a.md')
    expect(listed?.remarks).toEqual([
      'There are 2 documents; nothing could be quoted from “scan.pdf”. The whole list: `quaero library list`, or Documents in the page.',
    ])
  })

  it('tells documents of one title apart by their dates', async () => {
    const policy = (version: string) => `Travel Policy\nVersion ${version}. Owner: Finance.`
    const listed = await answer({ 'a.md': policy('1.0, 1 March 2023'), 'b.md': policy('2.0, 1 January 2025') })
    expect(listed?.text).toMatch(/- “Travel Policy”<cite[^\n]*Version 1\.0, 1 March 2023/)
    expect(listed?.text).toMatch(/- “Travel Policy”<cite[^\n]*Version 2\.0, 1 January 2025/)
  })
})

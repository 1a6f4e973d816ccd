import { describe, expect, it } from 'vitest'
import { answerWithInventory, MOST_LISTED } from '../../../../src/offline/documents/inventory.ts'
import { libraryOf } from '../../models/extractive/documents/library.ts'

const answer = async (pages: Readonly<Record<string, string>>) => {
  const { documents, evidence, parts } = libraryOf(pages)
  return answerWithInventory(documents, evidence, parts)
}

describe('what the library holds', () => {
  it('is listed by title, each quoted from its first page', async () => {
    expect(await answer({ 'a.md': 'The Halden Filter\nText.', 'b.md': 'Moss Survey\nText.' })).toEqual({
      text: '- “The Halden Filter”<cite id="P1">The Halden Filter</cite>\n- “Moss Survey”<cite id="P2">Moss Survey</cite>',
      confidence: 0.9,
      remarks: ['There are 2 documents.'],
    })
  })

  it('is listed up to a number, and the others are counted', async () => {
    const names = Array.from({ length: MOST_LISTED + 3 }, (_, i) => [`${i}.md`, `Report ${i}\nText.`] as const)
    const listed = await answer(Object.fromEntries(names))
    expect(listed?.text.split('\n')).toHaveLength(MOST_LISTED)
    expect(listed?.remarks).toEqual([`There are ${MOST_LISTED + 3} documents; 3 more are not listed.`])
  })

  it('names beside the list what nothing can be quoted from', async () => {
    const { documents, evidence, parts } = libraryOf({ 'a.md': 'The Halden Filter\nText.', 'scan.pdf': '' })
    const read = evidence.filter(({ documentId }) => documentId === 'a.md')
    expect((await answerWithInventory(documents, read, parts))?.remarks).toEqual([
      'There are 2 documents; nothing could be quoted from “scan.pdf”.',
    ])
  })

  it('tells documents of one title apart by their dates', async () => {
    const policy = (version: string) => `Travel Policy\nVersion ${version}. Owner: Finance.`
    const listed = await answer({ 'a.md': policy('1.0, 1 March 2023'), 'b.md': policy('2.0, 1 January 2025') })
    expect(listed?.text).toContain('- “Travel Policy”: “Version 1.0, 1 March 2023”<cite')
    expect(listed?.text).toContain('- “Travel Policy”: “Version 2.0, 1 January 2025”<cite')
  })
})

import { describe, expect, it } from 'vitest'
import { documentBatches, mostPerBatch, splitPassages } from '../../../../src/library/passages/split.ts'
import type { ReadDocument } from '../../../../src/library/port/document.ts'

const base = { format: 'text', title: null, authors: null, year: null } as const

function onePage(text: string): ReadDocument {
  const block = { page: 1, start: 0, end: text.length, kind: 'text', section: [] } as const
  return { ...base, pages: [{ number: 1, label: null, text, header: null }], blocks: [block] }
}

describe('the batches of a document', () => {
  it.each([
    ['long paragraphs', 'Herons stand at the edge of ponds in the evening. '.repeat(40_000)],
    ['many short lines', 'a line\n'.repeat(100_000)],
    ['characters of two code units', '😀'.repeat(300_000)],
  ])('hold a bounded part each, and together the whole: %s', (_, text) => {
    const document = onePage(text)
    const batches = [...documentBatches('d1', document)]
    expect(batches.length).toBeGreaterThan(5)
    for (const { pages, passages } of batches) {
      const characters = [...pages, ...passages].reduce((sum, each) => sum + each.text.length, 0)
      expect(characters).toBeLessThan(mostPerBatch.characters + 20_000)
      expect(passages.length).toBeLessThanOrEqual(mostPerBatch.passages)
    }
    const pieces = batches.flatMap(({ pages }) => pages)
    expect(pieces.map((piece) => piece.text).join('')).toBe(text)
    expect(
      pieces.every((piece) => !/[\ud800-\udbff]$/.test(piece.text) && text.startsWith(piece.text, piece.start)),
    ).toBe(true)
    expect(batches.flatMap(({ passages }) => passages)).toEqual(splitPassages('d1', document))
  })

  it('are one for a short document', () => {
    expect([...documentBatches('d1', onePage('Ponds are small.'))]).toHaveLength(1)
  })
})

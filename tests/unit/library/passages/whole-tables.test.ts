import { describe, expect, it } from 'vitest'
import { splitPassages } from '../../../../src/library/passages/split.ts'
import { documentWriter } from '../../../../src/library/readers/common/document-writer.ts'

function passages(write: (writer: ReturnType<typeof documentWriter>) => void): readonly string[] {
  const writer = documentWriter({ pages: 100, characters: 1_000_000 })
  writer.page(1)
  write(writer)
  const document = { format: 'pdf' as const, title: null, authors: null, year: null, ...writer.finish() }
  return splitPassages('0123456789abcdef', document).map(({ text }) => text)
}

describe('a table', () => {
  it('keeps its unit and columns above it, and the parts between which labels stand', () => {
    const found = passages((writer) => {
      writer.paragraph('The company keeps its books in euros.\n(in millions)\nDecember 31, 2021 2020')
      writer.table(['Cash | 12 | 10', 'Inventories | 5 | 4'])
      writer.paragraph('Current liabilities:')
      writer.table(['Accounts payable | 3 | 2'])
      writer.paragraph('The notes are an integral part of these statements.')
    })
    expect(found).toEqual([
      'The company keeps its books in euros.',
      expect.stringMatching(
        /^\(in millions\)\nDecember 31, 2021 2020\s+Cash .*\n.*\s+Current liabilities:\s+Accounts payable/,
      ),
      'The notes are an integral part of these statements.',
    ])
  })

  it('with a numbered caption is whole, and a sentence or a heading ends one', () => {
    const rows = ['Cash | 12 | 10', 'Inventories | 5 | 4']
    const named = passages((writer) => {
      writer.table(['Table 1: Assets', ...rows])
      writer.table(['Table 2: Debts', ...rows])
    })
    const parted = passages((writer) => {
      writer.table(rows)
      writer.heading(1, 'Cash flows')
      writer.table(rows)
    })
    expect([named.length, parted.length]).toEqual([2, 2])
  })
})

import { describe, expect, it } from 'vitest'
import { splitPassages } from '../../../../src/library/passages/split.ts'
import { wholeTables } from '../../../../src/library/passages/whole-tables.ts'
import type { Block } from '../../../../src/library/port/document.ts'
import { documentWriter } from '../../../../src/library/readers/common/document-writer.ts'
import { rowsOf } from './rows-of.ts'

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
      writer.table(rowsOf('Cash | 12 | 10', 'Inventories | 5 | 4'))
      writer.paragraph('Current liabilities:')
      writer.table(rowsOf('Accounts payable | 3 | 2'))
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
    const rows = rowsOf('Cash | 12 | 10', 'Inventories | 5 | 4')
    const named = passages((writer) => {
      writer.table(rows, { caption: 'Table 1: Assets' })
      writer.table(rows, { caption: 'Table 2: Debts' })
    })
    const parted = passages((writer) => {
      writer.table(rows)
      writer.heading(1, 'Cash flows')
      writer.table(rows)
    })
    expect([named.length, parted.length]).toEqual([2, 2])
  })
})

describe('the time that a page takes grows no faster than the page', () => {
  const parts = (count: number) => {
    const lines = Array.from({ length: count }, (_, at) =>
      at % 2 === 0 ? `Cash ${at} | 12 | 10` : 'Current liabilities',
    )
    let start = 0
    const blocks = lines.map((line, at): Block => {
      const block = { page: 1, start, end: start + line.length, section: [] }
      start += line.length + 1
      return { ...block, kind: at % 2 === 0 ? 'table' : 'text' }
    })
    const page = lines.join('\n')
    return [...wholeTables(blocks, () => page)].length
  }
  const headings = (count: number) =>
    passages((writer) => {
      for (let at = 0; at < count; at += 1) writer.heading(1, `Part ${at}`)
      writer.paragraph('This is the end.')
    }).length

  it.each([
    ['parts of one table', (size: number) => parts(4 * size)],
    ['headings', headings],
  ])(
    'with its %s',
    (_, work) => {
      work(500)
      // Square time would need 256 times as long; memory that is collected now and then costs a few times as much.
      expect(timeOf(() => work(16_000)) / timeOf(() => work(1000))).toBeLessThan(100)
    },
    120_000,
  )
})

/** The least time of the processor that work takes in three attempts, in microseconds. */
function timeOf(work: () => unknown): number {
  const times = Array.from({ length: 3 }, () => {
    const begun = process.cpuUsage()
    work()
    return process.cpuUsage(begun).user
  })
  return Math.min(...times)
}

import { describe, expect, it } from 'vitest'
import { repeatHeaders } from '../../../../src/library/passages/repeat-headers.ts'
import { splitPassages } from '../../../../src/library/passages/split.ts'
import { readDocument } from '../../../../src/library/readers/read-document.ts'
import { type Drawn, makePdf } from '../../../fixtures/documents/make-pdf.ts'
import { roomy } from '../readers/read-options.ts'

function drawRows(rows: readonly (readonly string[])[], top: number): Drawn[] {
  return rows.flatMap((row, at) =>
    row.map((text, column) => ({ text, x: 72 + column * 90, y: top - at * 12, size: 9 })),
  )
}

describe('a table in several passages', () => {
  it('has its header and what stands above it in each, and every row once', async () => {
    const rows = Array.from({ length: 300 }, (_, at) => `Pond ${at},${at + 0.5},${at * 2}`)
    const csv = ['Depth of ponds,,', 'Pond,Depth,Area', ...rows].join('\n')
    const document = await readDocument('a.csv', Buffer.from(csv), roomy)
    const passages = splitPassages('d', document)
    expect(passages.length).toBeGreaterThan(3)
    for (const { text } of passages) expect(text).toMatch(/Pond \| Depth \| Area\nPond \d/)
    const found = passages.flatMap(({ text }) => text.match(/^Pond \d+ .*$/gmu) ?? [])
    expect(found).toEqual(rows.map((row) => row.replaceAll(',', ' | ')))
    const [page] = repeatHeaders(document).pages
    for (const { start, end, text } of passages) expect(page?.text.slice(start, end)).toBe(text)
  })

  it('has them on the next page too', async () => {
    const head = [{ text: 'Table 1: Depth of ponds (in metres)', x: 72, y: 200, size: 9 }]
    const first = drawRows(
      [['Pond', '2020', '2021'], ...['North', 'South', 'East'].map((name) => [name, '1.5', '2.5'])],
      185,
    )
    const second = drawRows(
      ['West', 'Far', 'Near'].map((name) => [name, '3.5', '4.5']),
      720,
    )
    const after = [{ text: 'Fish live in them.', x: 72, y: 600, size: 9 }]
    const document = await readDocument(
      'a.pdf',
      makePdf([
        [...head, ...first],
        [...second, ...after],
      ]),
      roomy,
    )
    const tables = splitPassages('d', document).filter(({ kind }) => kind === 'table')
    expect(tables.map(({ page, text }) => [page, text])).toEqual([
      [
        1,
        'Table 1: Depth of ponds (in metres)\nPond | 2020 | 2021\nNorth | 1.5 | 2.5\nSouth | 1.5 | 2.5\nEast | 1.5 | 2.5',
      ],
      [
        2,
        'Table 1: Depth of ponds (in metres)\nPond | 2020 | 2021\nWest | 3.5 | 4.5\nFar | 3.5 | 4.5\nNear | 3.5 | 4.5',
      ],
    ])
  })
})

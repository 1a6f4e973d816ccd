import { describe, expect, it } from 'vitest'
import { repeatHeaders } from '../../../../src/library/passages/repeat-headers.ts'
import { documentBatches, mostPerBatch } from '../../../../src/library/passages/split.ts'
import type { PageGrid } from '../../../../src/library/port/document.ts'
import { readDocument } from '../../../../src/library/readers/read-document.ts'
import { placeCells, plainCell } from '../../../../src/library/tables/grid.ts'
import { readGrid } from '../../../../src/library/tables/read-grid.ts'
import { tableAt } from '../../../../src/library/tables/table-at.ts'
import { writeGrid } from '../../../../src/library/tables/write-grid.ts'
import { roomy } from '../readers/read-options.ts'

const alone = { above: [], heading: null, near: { before: '', behind: '', page: '' }, before: null }

function gridOf(rows: readonly (readonly string[])[]): { readonly grid: PageGrid; readonly text: string } {
  const written = writeGrid(placeCells(rows.map((row) => row.map(plainCell))))
  if (!written) throw new Error('A table without a cell')
  return written
}

function numbered(count: number, name: string): string[] {
  return Array.from({ length: count }, (_, at) => `${name}${at}`)
}

async function read(name: string, text: string) {
  return readDocument(name, Buffer.from(text), roomy)
}

/** How many characters the tables of a file take where they are stored. */
async function storedSize(name: string, text: string): Promise<number> {
  const { pages } = repeatHeaders(await read(name, text))
  return pages.reduce((sum, { tables }) => sum + JSON.stringify(tables ?? []).length, 0)
}

/** The least time that work takes in three attempts, in milliseconds. */
async function timeOf(work: () => unknown): Promise<number> {
  const times: number[] = []
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const begun = performance.now()
    await work()
    times.push(performance.now() - begun)
  }
  return times.reduce((least, time) => Math.min(least, time))
}

describe('a table of very many rows', () => {
  const header = numbered(2, 'Depth ').join(',')
  const csv = (rows: number) => [header, ...Array.from({ length: rows }, (_, at) => `Pond ${at},1`)].join('\n')

  it('is read row by row', () => {
    const { grid, text } = gridOf(
      csv(50_000)
        .split('\n')
        .map((line) => line.split(',')),
    )
    const [table] = readGrid(grid, text, alone)
    expect(table?.rows).toHaveLength(50_000)
    expect(table?.columns.map(({ path }) => path)).toEqual(numbered(2, 'Depth ').map((name) => [name]))
  }, 120_000)

  it('is stored whole from a file', async () => {
    const batches = documentBatches('d1', await read('a.csv', csv(20_000)))
    let rows = 0
    for (const { pages } of batches)
      for (const { tables = [] } of pages) for (const table of tables) rows += table.rows.length
    expect(rows).toBe(20_000)
  }, 120_000)
})

describe('what is stored of a table', () => {
  it('grows with its file, however many lines stand alone in it', async () => {
    const html = (lines: number) => {
      const alone = numbered(lines, 'Group ').map((name) => `<tr><td>${name}</td></tr>`)
      return `<table><tr><td>Pond</td><td>Depth</td></tr>${alone.join('')}<tr><td>North</td><td>2</td></tr><tr><td>South</td><td>3</td></tr></table>`
    }
    const [few, many] = [await storedSize('a.html', html(200)), await storedSize('a.html', html(2000))]
    expect(many / few).toBeLessThan(15)
  })

  it('holds a long text above several columns once', async () => {
    const long = 'word '.repeat(8000)
    const rows = '<tr><th>Pond</th><td>1</td><td>2</td></tr>'.repeat(3)
    const html = `<table><tr><th>Name</th><th colspan="100">${long}</th></tr>${rows}</table>`
    const { pages } = repeatHeaders(await read('a.html', html))
    expect(pages.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThan(2 * html.length)
    expect(await storedSize('a.html', html)).toBeLessThan(2 * html.length)
  })

  it('names but the columns in which a part of a wide table has cells', async () => {
    const header = numbered(2000, 'Depth ').join(',')
    const csv = [header, ...Array.from({ length: 10_000 }, (_, at) => `Pond ${at},${at % 7},3`)].join('\n')
    expect(await storedSize('a.csv', csv)).toBeLessThan(10 * csv.length)
    const [page] = repeatHeaders(await read('a.csv', csv)).pages
    const at = page?.text.indexOf('Pond 9000 | 5 | 3') ?? 0
    const found = tableAt(
      page?.tables ?? [],
      at + 'Pond 9000 | '.length,
      ({ start, end }) => page?.text.slice(start, end) ?? '',
    )
    expect(found).toMatchObject({ row: 'Pond 9000', column: ['Depth 1'], cell: { text: '5' } })
  })

  it('is counted where batches are filled', async () => {
    const csv = ['Pond,Depth', ...Array.from({ length: 40_000 }, (_, at) => `a${at},1`)].join('\n')
    for (const { pages } of documentBatches('d1', await read('a.csv', csv)))
      expect(JSON.stringify(pages).length).toBeLessThan(10 * mostPerBatch.characters)
  })
})

describe('the time that a table takes grows no faster than the table', () => {
  it.each([
    ['columns', (size: number) => [numbered(size, 'Depth '), numbered(size, ''), numbered(size, '')]],
    [
      'empty columns',
      (size: number) =>
        Array.from({ length: 4 }, (_, row) =>
          numbered(size, `p${row}_`).flatMap((text, at) => (at % 2 === 0 ? [text, ''] : [text])),
        ),
    ],
    [
      'lines without values',
      (size: number) => [...numbered(size, 'Pond ').map((name) => [name, 'Depth', 'Area']), ['a', '1', '2']],
    ],
  ])(
    'for %s',
    async (_, rowsOf) => {
      const csv = (size: number) =>
        rowsOf(size)
          .map((row) => row.join(','))
          .join('\n')
      const work = async (size: number) => repeatHeaders(await read('a.csv', csv(size)))
      await work(250)
      // Square time would need 64 times as long.
      expect((await timeOf(() => work(8000))) / (await timeOf(() => work(1000)))).toBeLessThan(48)
    },
    120_000,
  )
})

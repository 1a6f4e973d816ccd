import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { browserForTests, getJson, pageWithAnswer, stageForTest } from '../fixtures/page-tests.ts'
import { browserPath } from '../fixtures/stage.ts'

const report = `# Half-year report

The company sells three brands.

Table 1: Sales by brand (CHF million)

| Brand | January–June 2023 | January–June 2022 |
|---|---|---|
| Coffee |  |  |
| Amberline | 3,128 | 3,182 |
| Birch & Co | 1,204 | 1,118 |
| Tea |  |  |
| Others | 640 | 655 |

Growth was strongest in tea.
`

const browser = browserForTests('tables on the page are not looked at.')

const twoLines = `<html><head><title>Half-year report</title></head><body><h1>Half-year report</h1>
<table><caption>Table 1: Sales by brand</caption><thead>
<tr><th rowspan="2">Brand</th><th colspan="2">2023</th><th colspan="2">2022</th></tr>
<tr><th>Sales</th><th>Growth</th><th>Sales</th><th>Growth</th></tr></thead>
<tbody><tr><td>Amberline</td><td>3,128</td><td>4.1%</td><td>3,182</td><td>2.2%</td></tr>
<tr><td>Birch</td><td>1,204</td><td>1.0%</td><td>1,118</td><td>0.4%</td></tr></tbody></table></body></html>`

/** The page with a footnote of a made-up answer that quotes these words of the report. */
async function openQuote(quote: string, { content = report, name = 'report.md', ...made }: Partial<MadeUpReport> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'quaero-tables-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, name), content)
  const stage = await stageForTest({ documents: [folder] })
  const { documents } = await getJson<{ documents: readonly { documentId: string; source: string }[] }>(
    stage,
    '/documents',
  )
  const [{ documentId, source } = { documentId: '', source: '' }] = documents
  const { text } = await getJson<{ text: string }>(stage, `/documents/${documentId}/pages/1`)
  const start = text.indexOf(quote)
  const citation = { documentId, source, page: 1, start, end: start + quote.length, quote }
  const { page, complaints } = await pageWithAnswer(browser(), stage, {
    ...{ answer: 'This. [1]', ...made },
    citations: [{ ...citation, ...(made.sentences && { table: {} }) }],
  })
  await page.locator('.page-text mark').first().waitFor()
  return { page, complaints, text }
}

interface MadeUpReport {
  readonly content: string
  readonly name: string
  readonly sentences: readonly { readonly text: string; readonly state: string; readonly markers: readonly number[] }[]
}

describe.skipIf(!browserPath)('a table on the page of a source', { timeout: 120_000, tags: ['Q13'] }, () => {
  it('has rows and columns, with the cells of the quoted row marked', async () => {
    const { page, complaints } = await openQuote('Amberline | 3,128 | 3,182')
    const table = page.locator('.page-text table')
    expect(await table.locator('thead th').allTextContents()).toEqual([
      'Brand',
      'January–June 2023',
      'January–June 2022',
    ])
    expect(await table.locator('tbody tr').count()).toBe(5)
    expect(await table.locator('mark').allTextContents()).toEqual(['Amberline', '3,128', '3,182'])
    const around = await page.locator('.page-text').textContent()
    expect(around).toContain('Table 1: Sales by brand (CHF million)')
    expect(around).toContain('Growth was strongest in tea.')
    expect(around).not.toContain(' | ')
    expect(complaints).toEqual([])
  })

  it('has a single quoted cell marked, and stays within a narrow window', async () => {
    const { page } = await openQuote('1,118')
    expect(await page.locator('.page-text td mark').allTextContents()).toEqual(['1,118'])
    await page.setViewportSize({ width: 390, height: 844 })
    const width = await page.evaluate<number>('document.documentElement.scrollWidth')
    expect(width).toBeLessThanOrEqual(390)
  })

  it('has the cells of a quoted row marked that the answer says', async () => {
    const { page } = await openQuote('Amberline | 3,128 | 4.1% | 3,182 | 2.2%', {
      ...{ content: twoLines, name: 'report.html' },
      sentences: [{ text: 'Sales of Amberline were 3,182 in 2022.', state: 'verified', markers: [1] }],
    })
    expect(await page.locator('.page-text mark:not(.other)').allTextContents()).toEqual(['Amberline', '3,182'])
    expect(await page.locator('.page-text mark.other').allTextContents()).toEqual(['3,128', '4.1%', '2.2%'])
  })

  it('has a header of two lines once, with the names that columns share over them', async () => {
    const { page } = await openQuote('Brand | 2023 | 2023 | 2022 | 2022\n| Sales | Growth | Sales | Growth', {
      ...{ content: twoLines, name: 'report.html' },
    })
    const rows = await page.evaluate<unknown>(`Array.from(document.querySelectorAll('.page-text thead tr'), (row) =>
      Array.from(row.cells, ({ textContent, colSpan, rowSpan }) => [textContent, colSpan, rowSpan]))`)
    expect(rows).toEqual([
      [
        ['Brand', 1, 2],
        ['2023', 2, 1],
        ['2022', 2, 1],
      ],
      [
        ['Sales', 1, 1],
        ['Growth', 1, 1],
        ['Sales', 1, 1],
        ['Growth', 1, 1],
      ],
    ])
    expect(await page.locator('.page-text thead mark').count()).toBe(7)
    expect((await page.locator('.page-text').textContent())?.match(/2023/g)).toHaveLength(1)
  })
})

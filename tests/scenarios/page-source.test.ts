import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { drawLines, makePdf } from '../fixtures/documents/make-pdf.ts'
import { folderOf, getJson, type MadeUp, setUpPages } from '../fixtures/page-tests.ts'
import { askOn, browserPath } from '../fixtures/stage.ts'

const lines = ['Herons stand in shallow water.', 'A heron eats 300 grams of fish a day.', 'Ducks eat grass and seeds.']
const quote = 'A heron eats 300 grams of fish a day.'
/** Printed 204 to 206. */
const birds = makePdf(
  lines.map((line) => drawLines(['On the food of birds', line], { x: 72, y: 700 })),
  { pageLabelsFrom: 204, info: { Title: 'On the food of birds' } },
)

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

const twoLines = `<html><head><title>Half-year report</title></head><body><h1>Half-year report</h1>
<table><caption>Table 1: Sales by brand</caption><thead>
<tr><th rowspan="2">Brand</th><th colspan="2">2023</th><th colspan="2">2022</th></tr>
<tr><th>Sales</th><th>Growth</th><th>Sales</th><th>Growth</th></tr></thead>
<tbody><tr><td>Amberline</td><td>3,128</td><td>4.1%</td><td>3,182</td><td>2.2%</td></tr>
<tr><td>Birch</td><td>1,204</td><td>1.0%</td><td>1,118</td><td>0.4%</td></tr></tbody></table></body></html>`

const { folder } = folderOf({ 'birds.pdf': birds, 'report.md': report, 'report.html': twoLines })
const pages = setUpPages('the page of a source is not looked at.', { documents: [folder] })

/** The page with a footnote of a made-up answer that quotes these words of a file. */
async function openQuote(
  source: string,
  quote: string,
  { number = 1, ...made }: Partial<MadeUp> & { number?: number } = {},
) {
  const stage = pages.stage()
  const { documents } = await getJson<{ documents: readonly { documentId: string; source: string }[] }>(
    stage,
    '/documents',
  )
  const { documentId } = documents.find((each) => each.source === source)!
  const { text } = await getJson<{ text: string }>(stage, `/documents/${documentId}/pages/${number}`)
  const start = text.indexOf(quote)
  const citation = { documentId, source, page: number, start, end: start + quote.length, quote }
  const table = made.sentences === undefined ? {} : { table: {} }
  const visit = await pages.openAnswers([{ answer: 'This. [1]', ...made, citations: [{ ...citation, ...table }] }])
  await visit.page.locator('.page-text mark, .quote-mark').first().waitFor()
  return visit
}

const openBirds = () => openQuote('birds.pdf', quote, { number: 2 })

const drawn = (page: Page, number: number) => page.locator(`.pdf[aria-busy=false] canvas[aria-label^="Page ${number}"]`)

describe.skipIf(!browserPath)('the source of a footnote', { timeout: 120_000 }, () => {
  it('has the other pages of its document, by their printed numbers, and leads back to the quote', async () => {
    const { page, complaints } = await openBirds()
    const turner = page.getByRole('navigation', { name: 'Pages' })
    const number = turner.getByRole('textbox', { name: 'Page' })
    expect([await number.inputValue(), await turner.getByRole('status').textContent()]).toEqual([
      '205',
      '(2 of 3 in the file)',
    ])
    expect(await turner.getByRole('button', { name: 'Back to the quote' }).count()).toBe(0)
    await turner.getByRole('button', { name: 'Next page' }).click()
    await drawn(page, 3).waitFor()
    expect(await page.locator('.quote-mark').count()).toBe(0)
    expect(await turner.getByRole('button', { name: 'Next page' }).isDisabled()).toBe(true)
    // Keys that move within the number open no other source.
    await number.fill('204')
    await number.press('ArrowLeft')
    await number.press('Enter')
    await drawn(page, 1).waitFor()
    await page.getByRole('button', { name: 'Text', exact: true }).click()
    await page.getByText('Herons stand in shallow water.').waitFor()
    await number.fill('9999')
    await number.press('Enter')
    expect(await number.inputValue()).toBe('204')
    await number.fill('3')
    await number.press('Enter')
    await page.getByText('Ducks eat grass and seeds.').waitFor()
    await turner.getByRole('button', { name: 'Back to the quote' }).click()
    expect(await page.locator('.page-text mark').textContent()).toBe(quote)
    expect(complaints).toEqual([])
  })

  it('is named by one page number in the footnote, the panel, the search and the exported conversation', async () => {
    const { page } = await openBirds()
    await page.getByRole('button', { name: 'New question' }).click()
    await askOn(page, 'How much fish does a heron eat a day?')
    const name = 'p. 205 (2 of the file)'
    expect(await page.locator('.notes cite').first().textContent()).toContain(name)
    await page.locator('.notes button').first().click()
    await page.locator('.source header').getByText(name).waitFor()
    await page.getByRole('button', { name: 'Documents' }).click()
    await page.getByRole('searchbox', { name: 'Search the documents' }).fill('heron eats fish')
    expect(await page.locator('.passages cite').first().textContent()).toContain(name)
    const { threads } = await getJson<{ threads: readonly { threadId: string }[] }>(pages.stage(), '/threads')
    const { messages } = await getJson<{ messages: readonly { citations?: readonly { label: string }[] }[] }>(
      pages.stage(),
      `/threads/${threads[0]!.threadId}`,
    )
    expect(messages.at(-1)?.citations?.[0]?.label).toContain(name)
  })

  it('has the quote marked in its text where pdf.js cannot draw the page', { tags: ['slow'] }, async () => {
    const { page } = await openBirds()
    await page.route(/\/assets\/pdf\/pdf\.min\.mjs/, (route) =>
      route.fulfill({
        contentType: 'text/javascript',
        body: `export const GlobalWorkerOptions = {}; export function getDocument() { throw new Error('Not today.') }`,
      }),
    )
    await page.reload()
    await page.locator('.notes button').click()
    await page.getByText('The page cannot be drawn with the quote marked. This is the text that was read.').waitFor()
    expect(await page.locator('.page-text mark').textContent()).toBe(quote)
  })

  it('gives the file to save, and its text alone once the file has changed', async () => {
    const { page } = await openBirds()
    const downloading = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download the original' }).click()
    const download = await downloading
    expect(download.suggestedFilename()).toBe('birds.pdf')
    expect(readFileSync(await download.path()).equals(birds)).toBe(true)
    await page.keyboard.press('Escape')
    const file = join(folder, 'birds.pdf')
    writeFileSync(file, '%PDF-1.4 and something else')
    await page.locator('.notes button').click()
    await page.getByText('The file has moved or changed since it was read.').waitFor()
    expect(await page.locator('.page-text mark').textContent()).toBe(quote)
    expect(await page.getByRole('link', { name: 'Download the original' }).count()).toBe(0)
    writeFileSync(file, birds)
  })
})

describe.skipIf(!browserPath)('a table on the page of a source', { timeout: 120_000, tags: ['Q13'] }, () => {
  it('has rows and columns, with the cells of the quoted row marked', async () => {
    const { page, complaints } = await openQuote('report.md', 'Amberline | 3,128 | 3,182')
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
    const { page } = await openQuote('report.md', '1,118')
    expect(await page.locator('.page-text td mark').allTextContents()).toEqual(['1,118'])
    await page.setViewportSize({ width: 390, height: 844 })
    const width = await page.evaluate<number>('document.documentElement.scrollWidth')
    expect(width).toBeLessThanOrEqual(390)
  })

  it('has the cells of a quoted row marked that the answer says', async () => {
    const { page } = await openQuote('report.html', 'Amberline | 3,128 | 4.1% | 3,182 | 2.2%', {
      sentences: [{ text: 'Sales of Amberline were 3,182 in 2022.', state: 'verified', markers: [1] }],
    })
    expect(await page.locator('.page-text mark:not(.other)').allTextContents()).toEqual(['Amberline', '3,182'])
    expect(await page.locator('.page-text mark.other').allTextContents()).toEqual(['3,128', '4.1%', '2.2%'])
  })

  it('has a header of two lines once, with the names that columns share over them', async () => {
    const { page } = await openQuote(
      'report.html',
      'Brand | 2023 | 2023 | 2022 | 2022\n| Sales | Growth | Sales | Growth',
    )
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

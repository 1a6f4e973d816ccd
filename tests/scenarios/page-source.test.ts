import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { drawLines, makePdf } from '../fixtures/documents/make-pdf.ts'
import { browserForTests, getJson, pageWithAnswer, stageForTest } from '../fixtures/page-tests.ts'
import { askOn, browserPath } from '../fixtures/stage.ts'

const browser = browserForTests('the pages of a source are not turned.')

const pages = ['Herons stand in shallow water.', 'A heron eats 300 grams of fish a day.', 'Ducks eat grass and seeds.']
const quote = 'A heron eats 300 grams of fish a day.'
/** Printed 204 to 206. */
const birds = makePdf(
  pages.map((line) => drawLines(['On the food of birds', line], { x: 72, y: 700 })),
  { pageLabelsFrom: 204, info: { Title: 'On the food of birds' } },
)

async function openBirds() {
  const folder = mkdtempSync(join(tmpdir(), 'quaero-source-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'birds.pdf')
  writeFileSync(file, birds)
  const stage = await stageForTest({ documents: [folder] })
  const { documents } = await getJson<{ documents: readonly { documentId: string }[] }>(stage, '/documents')
  const documentId = documents[0]!.documentId
  const { text } = await getJson<{ text: string }>(stage, `/documents/${documentId}/pages/2`)
  const start = text.indexOf(quote)
  const citation = { documentId, source: 'birds.pdf', page: 2, start, end: start + quote.length, quote }
  const { page, complaints } = await pageWithAnswer(browser(), stage, { answer: 'Fish. [1]', citations: [citation] })
  await page.locator('.quote-mark').first().waitFor()
  return { page, complaints, file, stage }
}

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

  it('gives the file to save, as long as it is as it was', async () => {
    const { page, file } = await openBirds()
    const downloading = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download the original' }).click()
    const download = await downloading
    expect(download.suggestedFilename()).toBe('birds.pdf')
    expect(readFileSync(await download.path()).equals(birds)).toBe(true)
    renameSync(file, `${file}.moved`)
    await page.keyboard.press('Escape')
    await page.locator('.notes button').click()
    await page.getByText('The file has moved or changed since it was read.').waitFor()
    expect(await page.getByRole('link', { name: 'Download the original' }).count()).toBe(0)
  })

  it('is named by one page number in the footnote, the panel, the search and the exported conversation', async () => {
    const { page, stage } = await openBirds()
    await page.getByRole('button', { name: 'New question' }).click()
    await askOn(page, 'How much fish does a heron eat a day?')
    const name = 'p. 205 (2 of the file)'
    expect(await page.locator('.notes cite').first().textContent()).toContain(name)
    await page.locator('.notes button').first().click()
    await page.locator('.source header').getByText(name).waitFor()
    await page.getByRole('button', { name: 'Documents' }).click()
    await page.getByRole('searchbox', { name: 'Search the documents' }).fill('heron eats fish')
    expect(await page.locator('.passages cite').first().textContent()).toContain(name)
    const { threads } = await getJson<{ threads: readonly { threadId: string }[] }>(stage, '/threads')
    const { messages } = await getJson<{ messages: readonly { citations?: readonly { label: string }[] }[] }>(
      stage,
      `/threads/${threads[0]!.threadId}`,
    )
    expect(messages.at(-1)?.citations?.[0]?.label).toContain(name)
  })
})

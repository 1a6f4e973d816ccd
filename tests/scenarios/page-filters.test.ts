import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { folderOf, setUpPages } from '../fixtures/page-tests.ts'
import { browserPath } from '../fixtures/stage.ts'

const { folder } = folderOf({
  'acme.md': '# Acme\n\nAcme sold 312 pumps in 2021.\n',
  'borea.md': '# Borea\n\nBorea sold 77 pumps in 2022.\n',
})
const pages = setUpPages('filters on the page are not tried.', { documents: [folder] })

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

async function tagged(page: Page, title: string, tags: string) {
  await press(page, `Edit ${title}`)
  await page.getByRole('textbox', { name: 'Tags, separated by commas' }).fill(tags)
  await press(page, 'Save')
}

async function asked(page: Page, question: string) {
  await page.getByRole('textbox', { name: 'Question' }).fill(question)
  await press(page, 'Ask')
  const turn = page.locator('.turn', { has: page.getByRole('heading', { name: question }) })
  await turn.getByRole('button', { name: 'How it was found' }).waitFor()
}

describe.skipIf(!browserPath)('documents on the page', { timeout: 180_000 }, () => {
  it('get tags, which limit questions as chips, as filters do', async () => {
    const { page, complaints } = await pages.open()
    await press(page, 'Documents')
    await tagged(page, 'Acme', 'Finance, kind:10-K')
    await tagged(page, 'Borea', 'finance')
    const rows = page.getByRole('list', { name: 'The library' }).getByRole('listitem')
    await press(page, 'kind:10-k')
    await page.getByText('Questions search 1 of 2 documents.').waitFor()
    expect(await rows.allTextContents()).toEqual([expect.stringContaining('finance, kind:10-k')])
    await press(page, 'New question')
    await asked(page, 'How many pumps were sold?')
    expect(await page.getByText('1 document: tag=kind:10-k').count()).toBe(1)
    expect(await page.locator('.turn').textContent()).not.toContain('77')
    await press(page, 'Do not limit to kind:10-k')
    await asked(page, 'How many pumps did Borea sell?')
    expect(await page.locator('.turn').last().textContent()).toContain('77')
    expect(await page.getByText('Limited to').count()).toBe(1)
    expect(complaints).toEqual([])
  })

  it('stay limited in a conversation that is opened again, until its chip is taken away', async () => {
    const { page } = await pages.open()
    await press(page, 'Documents')
    const filter = page.getByRole('textbox', { name: 'Filter' })
    await filter.fill('title~acme')
    await press(page, 'Filter')
    await press(page, 'New question')
    await asked(page, 'How many pumps were sold in all?')
    const { page: other } = await pages.open()
    await press(other, 'How many pumps were sold in all?')
    await press(other, 'Do not limit to title~acme')
    await asked(other, 'How many pumps did Borea sell?')
    expect(await other.locator('.turn').last().textContent()).toContain('77')
  })

  it('are filtered by what is written, and what is wrong with it is said', async () => {
    const { page } = await pages.open()
    await press(page, 'Documents')
    const filter = page.getByRole('textbox', { name: 'Filter' })
    await filter.fill('title~acme or')
    await press(page, 'Filter')
    await page.getByRole('alert').getByText('at character 14').waitFor()
    await filter.fill('title~acme')
    await press(page, 'Filter')
    await page.getByText('Questions search 1 of 2 documents.').waitFor()
    await press(page, 'Table')
    await page.getByRole('textbox', { name: 'Questions, one a line' }).fill('How many pumps were sold? [number]')
    await press(page, 'Plan the table')
    await page.getByText('1 document, 1 question').waitFor()
    await page.getByText('Limited to 1 document: title~acme').waitFor()
    await page.getByRole('button', { name: /^(Report|Digest)$/ }).click()
    await page.getByRole('textbox', { name: /is to answer/ }).fill('How many pumps were sold?')
    await page.getByRole('button', { name: /^Plan the/ }).click()
    await page.getByRole('button', { name: /^Write the/ }).click()
    await page.locator('.report').getByText('Limited to 1 document: title~acme').waitFor()
  })
})

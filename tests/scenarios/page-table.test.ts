import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { getJson, papers, setUpPages } from '../fixtures/page-tests.ts'
import { browserPath } from '../fixtures/stage.ts'

const questions = [
  'What share of the messages is lost when ten runs start at once?',
  'Which database keeps the events?',
  'What does a lease prevent?',
]

/** Over two papers, without a language model. */
const pages = setUpPages('the table of the page is not tested.', {
  documents: ['lost-updates.pdf', 'event-log.pdf'].map((name) => join(papers, name)),
})

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).press('Enter')

async function plan(page: Page, asked: readonly string[]): Promise<void> {
  await page.getByRole('textbox', { name: 'Questions, one a line' }).fill(asked.join('\n'))
  await press(page, 'Plan the table')
}

describe.skipIf(!browserPath)('the table of the page', { timeout: 60_000 }, () => {
  it('is planned, filled, opened at a quote and saved by the keyboard, and known after a reload', async () => {
    const { page, complaints } = await pages.open()
    await press(page, 'Table')
    await plan(page, questions.slice(0, 2))
    await page.getByText('2 documents, 2 questions: 4 cells to ask.').waitFor()
    await press(page, 'Fill the table')
    await page.getByText(/^Filled\. /).waitFor()
    const row = page.getByRole('row', { name: /Lost Updates/ })
    const value = row.getByRole('button').first()
    expect(await row.getByRole('cell').first().textContent()).toMatch(/verified/)
    await value.press('Enter')
    await page.locator('.quote-mark').first().waitFor()
    expect(await value.getAttribute('aria-pressed')).toBe('true')
    await page.keyboard.press('Escape')
    await page.getByRole('complementary', { name: 'Source' }).waitFor({ state: 'detached' })
    const saving = page.waitForEvent('download')
    await press(page, 'CSV')
    const saved = await saving
    expect(saved.suggestedFilename()).toBe('table.csv')
    expect(await readFile(await saved.path(), 'utf8')).toContain('90%')
    await page.reload()
    await page.getByRole('textbox', { name: 'Questions, one a line' }).waitFor()
    await press(page, 'Plan the table')
    // What is known is shown at once.
    await page.getByText(/^Filled\. /).waitFor()
    expect(complaints).toEqual([])
  })

  it('is stopped and gone on with, and filled while a conversation is shown', async () => {
    const { page } = await pages.open()
    await press(page, 'Table')
    await plan(
      page,
      questions.map((each) => `${each} And why is that?`),
    )
    await press(page, 'Fill the table')
    await page.locator('.value, td details').first().waitFor()
    await press(page, 'Stop')
    await page.getByText(/^Stopped; /).waitFor()
    expect(await page.getByText('not asked').count()).toBeGreaterThan(0)
    await press(page, 'Continue')
    await press(page, 'New question')
    await page.getByRole('textbox', { name: 'Question' }).waitFor()
    await press(page, 'Table')
    await page.getByText(/^Filled\. /).waitFor()
    expect(await page.locator('td').filter({ hasText: 'not asked' }).count()).toBe(0)
  })

  it('goes on where a server that was killed has stopped, and asks nothing twice', async () => {
    const { page } = await pages.open()
    const { kill, restart } = pages.stage()
    await press(page, 'Table')
    await plan(
      page,
      questions.map((each) => `${each} And when?`),
    )
    await press(page, 'Fill the table')
    await page.locator('.value, td details').first().waitFor()
    await kill()
    expect(await page.getByRole('alert').textContent()).toContain('What it has answered is kept')
    await restart()
    await press(page, 'Continue')
    await page.getByText(/^Filled\. /).waitFor()
    const { runs } = await getJson<{ runs: readonly { question: string }[] }>(pages.stage(), '/runs?limit=200')
    expect(runs.filter(({ question }) => question.endsWith('And when?'))).toHaveLength(6)
  })

  it('says which line is no question, and asks only the documents that are chosen', async () => {
    const { page } = await pages.open()
    await press(page, 'Table')
    await plan(page, [`${questions[0]} [colour]`])
    expect(await page.getByRole('alert').textContent()).toContain('"[colour]" is no form of a column')
    await page.getByText('Documents asked: all 2').click()
    await page.getByRole('checkbox', { name: /Lost Updates/ }).press('Space')
    await plan(page, [`${questions[2]} [one of loss | delay]`])
    await page.getByText('1 document, 1 question').waitFor()
    expect(await page.getByRole('row').count()).toBe(2)
  })
})

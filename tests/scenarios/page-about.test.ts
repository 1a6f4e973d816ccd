import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { papers, setUpPages } from '../fixtures/page-tests.ts'
import { browserPath } from '../fixtures/stage.ts'

/** Over two papers, without a language model. */
const pages = setUpPages('what the page says of documents is not looked at.', {
  documents: ['lost-updates.pdf', 'event-log.pdf'].map((name) => join(papers, name)),
})

const question = (page: Page) => page.getByRole('textbox', { name: 'Question' })
const paper = (page: Page) => page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor')
const [white, black] = ['rgb(253, 252, 249)', 'rgb(22, 24, 26)']

/** Opens what is said of the paper on lost updates, by the keyboard. */
async function openAbout(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Documents' }).click()
  await page.getByRole('button', { name: /^About The Last Writer Wins/ }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('list', { name: 'In its own words' }).waitFor()
}

/** Has the server say that pages were recognised in a scan. */
const recognised = (page: Page, confidence: number) =>
  page.route(/\/pages\/\d+(\?|$)/, async (route) => {
    const response = await route.fetch()
    await route.fulfill({ json: { ...(await response.json()), confidence } })
  })

describe.skipIf(!browserPath)('the page', { timeout: 120_000, tags: ['slow'] }, () => {
  it('suggests questions, which a click writes for one document and never sends', async () => {
    const { page, complaints } = await pages.open()
    const asked: string[] = []
    page.on('request', (request) => request.method() === 'POST' && asked.push(request.url()))
    const suggested = page.getByRole('group', { name: 'Suggested from title and headings' }).getByRole('button')
    await suggested.first().waitFor()
    expect(await suggested.count()).toBe(2)
    const [words] = await suggested.allTextContents()
    await suggested.first().focus()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Do not limit to 1 document' }).waitFor()
    expect(await question(page).inputValue()).toBe(words)
    expect(await page.evaluate<string>('document.activeElement.tagName')).toBe('TEXTAREA')
    expect(asked).toEqual([])
    await page.keyboard.press('Enter')
    await page.locator('.answer').waitFor()
    expect(await page.locator('.understood').textContent()).toContain('1 document')
    expect(await question(page).inputValue()).toBe('')
    expect(complaints).toEqual([])
  })

  it('shows the sentences in which a document says what it is, each of which opens its page there', async () => {
    const { page, complaints } = await pages.open()
    await openAbout(page)
    const sentences = page.getByRole('list', { name: 'In its own words' }).getByRole('button')
    expect(await sentences.allTextContents()).toEqual([
      expect.stringMatching(/^A person presses the send button twice.*p\. 1$/),
      expect.stringContaining('each writes the thread back.'),
      expect.stringContaining('LangGraph.js'),
    ])
    await sentences.first().press('Enter')
    await page.locator('.quote-mark').first().waitFor()
    await page.keyboard.press('Escape')
    await page.locator('.library').getByRole('button', { name: 'say about Starts spread over time?' }).click()
    await page.getByRole('heading', { name: 'What do you want to know?' }).waitFor()
    expect(await question(page).inputValue()).toMatch(/^What does “The Last Writer Wins.*spread over time\?$/)
    expect(complaints).toEqual([])
  })

  it.each([
    [0.87, 'Text recognised in a scan, confidence 0.87'],
    [0.41, 'Text recognised in a scan, confidence 0.41, which is low'],
  ])('says that the text of a page was recognised with a confidence of %d', async (confidence, words) => {
    const { page } = await pages.open()
    await recognised(page, confidence)
    await openAbout(page)
    await page.getByRole('button', { name: /^A person presses/ }).click()
    const said = page.locator('.source .notice')
    await said.waitFor()
    expect(await said.textContent()).toBe(words)
    expect(await page.locator('.source .problem').count()).toBe(confidence < 0.6 ? 1 : 0)
    await page.getByRole('button', { name: 'Text', exact: true }).click()
    await page.locator('.page-text mark').first().waitFor()
    expect(await said.textContent()).toBe(words)
  })

  it('has the theme of the system, or the one that is chosen, from the first moment on, and prints on white', async () => {
    const { page, complaints } = await pages.open({ colorScheme: 'light' })
    const theme = page.getByRole('combobox', { name: 'Theme' })
    await theme.waitFor()
    expect(await paper(page)).toBe(white)
    await theme.selectOption('Dark theme')
    expect(await paper(page)).toBe(black)
    await page.emulateMedia({ media: 'print' })
    expect(await paper(page)).toBe(white)
    await page.emulateMedia({ media: 'screen' })
    // Nothing of the page has run yet but what stands before it.
    await page.route(/\/assets\/(app|chunk)\.js/, (route) => route.abort())
    await page.reload()
    expect(await paper(page)).toBe(black)
    await page.unroute(/\/assets\/(app|chunk)\.js/)
    await page.reload()
    expect(await theme.inputValue()).toBe('dark')
    await theme.selectOption('Theme of the system')
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await paper(page)).toBe(black)
    expect(complaints.filter((text) => !text.includes('ERR_FAILED'))).toEqual([])
  })
})

import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { papers, setUpPages } from '../fixtures/page-tests.ts'
import { askOn, browserPath } from '../fixtures/stage.ts'

const question = 'What share of the messages is lost when ten runs start at once?'

/** Over two papers, without a language model. */
const pages = setUpPages('the page is not tested.', {
  documents: ['lost-updates.pdf', 'event-log.pdf'].map((name) => join(papers, name)),
})

// What runs in the browser is text: the tests know no types of pages.

/** How much of the marks' area on the canvas is drawn upon: letters, on paper. */
const inkUnderMarks = `(() => {
  const canvas = document.querySelector('canvas')
  const [drawing, at] = [canvas.getContext('2d'), canvas.getBoundingClientRect()]
  const scale = canvas.width / at.width
  const shares = Array.from(document.querySelectorAll('.quote-mark'), (mark) => {
    const { left, top, width, height } = mark.getBoundingClientRect()
    const { data } = drawing.getImageData((left - at.left) * scale, (top - at.top) * scale, width * scale, height * scale)
    return data.filter((value, index) => index % 4 === 0 && value < 128).length / (data.length / 4)
  })
  return Math.min(...shares)
})()`

describe.skipIf(!browserPath)('the page', { timeout: 60_000 }, () => {
  it('hides the token of its link, answers, and opens a footnote on its page with the quote marked', async () => {
    const { page, complaints } = await pages.open()
    expect(page.url()).not.toContain('token')
    await askOn(page, question)
    const chip = page.getByRole('button', { name: /^Source 1:/ }).first()
    await chip.hover()
    expect(await page.getByRole('tooltip').textContent()).toContain('90% for ten')
    await chip.click()
    await page.locator('.quote-mark').first().waitFor()
    expect(await page.locator('.quote-mark').count()).toBeGreaterThan(2)
    expect(await page.evaluate<number>(inkUnderMarks)).toBeGreaterThan(0.05)
    expect(await page.getByRole('complementary', { name: 'Source' }).textContent()).toContain('Lost Updates')
    expect(complaints).toEqual([])
  })

  it('opens a footnote by its address, with the token or after it was entered', {
    tags: ['slow'],
    timeout: 120_000,
  }, async () => {
    const { page } = await pages.open()
    const { url } = pages.stage()
    await askOn(page, question)
    const { runs } = await (await page.request.get(new URL('/api/runs', url).href)).json()
    const place = `/#/source/${runs[0].runId}/1`
    const { origin, hash } = new URL(url)
    const shown = async (address: string, token: string | null) => {
      const context = await pages.browser().newContext()
      onTestFinished(() => context.close())
      const other = await context.newPage()
      await other.goto(address)
      if (token !== null) {
        await other.getByLabel('Link or token').fill(token)
        await other.keyboard.press('Enter')
      }
      await other.locator('.quote-mark').first().waitFor()
      return other.url()
    }
    expect(await shown(`${origin}${place}&${hash.slice(1)}`, null)).not.toContain('token')
    await shown(`${origin}${place}`, url)
  })

  it('marks a sentence that nobody read again, and says why', { tags: ['Q2'] }, async () => {
    const { page, complaints } = await pages.open()
    await askOn(page, question)
    const isResult = (url: URL) => /^\/api\/runs\/[\w-]+$/.test(url.pathname)
    await page.route(isResult, async (route) => {
      const response = await route.fetch()
      const result = await response.json()
      const [text] = result.answer.split(/\s*\[1\]/)
      const sentences = [
        { text, state: 'quoted', markers: [1], reason: 'the second reading failed' },
        { text: 'Cut.', state: 'unsupported', markers: [], reason: 'no' },
      ]
      await route.fulfill({ response, json: { ...result, sentences } })
    })
    await page.reload()
    const marked = page.getByTitle('Quoted, not read again')
    await marked.first().waitFor()
    expect((await marked.allTextContents()).join(' ')).toContain('90% for ten')
    const legend = page.getByText('1 sentence is quoted but nobody read it again: the second reading failed.')
    expect(await legend.count()).toBe(1)
    await page.getByText(/confidence, \d+%/).click()
    expect(await page.getByText('1 sentence is only quoted, not read again, which lowers it.').isVisible()).toBe(true)
    expect(complaints).toEqual([])
  })

  it('is used with the keyboard alone', { tags: ['slow'] }, async () => {
    const { page } = await pages.open()
    await page.keyboard.type(question)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'How it was found' }).waitFor()
    const focused = () => page.evaluate<string>(`document.activeElement?.getAttribute('aria-label') ?? ''`)
    for (let presses = 0; presses < 20 && !(await focused()).startsWith('Source 1'); presses += 1)
      await page.keyboard.press('Shift+Tab')
    expect(await page.getByRole('tooltip').isVisible()).toBe(true)
    await page.keyboard.press('Enter')
    await page.locator('.quote-mark').first().waitFor()
    await page.keyboard.press('Escape')
    expect(await page.locator('.source').count()).toBe(0)
  })

  it('goes back to the place before, and opens a footnote whose link comes into the address', {
    tags: ['slow'],
  }, async () => {
    const { page } = await pages.open()
    await askOn(page, question)
    expect(await page.title()).toBe(`${question} · Quaero`)
    const { runs } = await (await page.request.get(new URL('/api/runs', page.url()).href)).json()
    await page.getByRole('button', { name: 'Documents' }).click()
    await page.getByText('Questions search all 2 documents').waitFor()
    await page.reload()
    await page.getByText('Questions search all 2 documents').waitFor()
    await page.goBack()
    await page.getByRole('heading', { name: question, level: 2 }).waitFor()
    await page.goBack()
    await page.getByRole('heading', { name: 'What do you want to know?' }).waitFor()
    await page.goForward()
    await page.getByRole('heading', { name: question, level: 2 }).waitFor()
    await page.goto(new URL(`/#/source/${runs[0].runId}/1`, page.url()).href)
    await page.locator('.quote-mark').first().waitFor()
  })

  it('searches the documents, corrects a title, and asks only the documents that are chosen', {
    tags: ['slow'],
  }, async () => {
    const { page, complaints } = await pages.open()
    await page.getByRole('button', { name: 'Documents' }).click()
    await page.getByRole('searchbox', { name: 'Search the documents' }).fill('lease immediate transaction')
    await page.locator('.passages button').first().click()
    await page.locator('.quote-mark').first().waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: /^Edit What Survives/ }).click()
    await page.getByRole('textbox', { name: 'Title' }).fill('A log that survives')
    await page.getByRole('textbox', { name: 'Year' }).fill('2025')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('checkbox', { name: /A log that survives.*2025/ }).waitFor()
    await page.getByRole('checkbox', { name: /A log that survives.*2025/ }).check()
    await page.getByText('Questions search 1 of 2 documents.').waitFor()
    await page.getByRole('button', { name: 'New question' }).click()
    await askOn(page, 'What is a lease?')
    expect(await page.locator('.turn').textContent()).not.toContain('Varga')
    expect(complaints).toEqual([])
  })
})

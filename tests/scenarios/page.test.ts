import { cp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BrowserContextOptions } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { holdAnswers, questions, scenes } from '../fixtures/page-states.ts'
import { browserForTests, dropFiles, pageOf, papers, stageForTest } from '../fixtures/page-tests.ts'
import { askOn, browserPath } from '../fixtures/stage.ts'
import { temporaryFolder } from '../fixtures/workflow.ts'

const question = 'What share of the messages is lost when ten runs start at once?'

const browser = browserForTests('the page is not tested.')

/** A server over the named papers, without a language model, and its page. */
async function open({ names = ['lost-updates.pdf'], ...options }: BrowserContextOptions & { names?: string[] } = {}) {
  const stage = await stageForTest({ documents: names.map((name) => join(papers, name)) })
  return { ...(await pageOf(browser(), stage, options)), stage }
}

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
    const { page, complaints } = await open()
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
    const { page, stage } = await open()
    await askOn(page, question)
    const { runs } = await (await page.request.get(new URL('/api/runs', stage.url).href)).json()
    const place = `/#/source/${runs[0].runId}/1`
    const { origin, hash } = new URL(stage.url)
    const shown = async (address: string, token: string | null) => {
      const context = await browser().newContext()
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
    await shown(`${origin}${place}`, stage.url)
  })

  it('marks a sentence that nobody read again, and says why', { tags: ['Q2'] }, async () => {
    const { page, complaints } = await open()
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

  it('adds dropped files, and says why one was not added', { tags: ['slow'] }, async () => {
    const { page, complaints } = await open({ names: [] })
    await page.getByRole('button', { name: 'Documents' }).click()
    await page.getByText('The library is empty.').waitFor()
    await dropFiles(page, [join(papers, 'lost-updates.pdf')])
    await page.getByRole('button', { name: 'Dismiss broken.pdf' }).waitFor()
    expect(await page.locator('.uploads .failed').textContent()).toContain('broken.pdf')
    await page.getByText('Questions search this document.').waitFor()
    await page.getByRole('button', { name: 'New question' }).click()
    await askOn(page, question)
    expect(await page.locator('.answer').textContent()).toContain('90% for ten')
    expect(complaints).toEqual([])
  })

  it('understands a follow-up, and shows the conversation again after a reload in the middle of an answer', {
    tags: ['slow'],
  }, async () => {
    const { page } = await open()
    await askOn(page, question)
    await page.getByRole('textbox', { name: 'Question' }).fill('And with five?')
    await Promise.all([page.waitForResponse(/\/api\/ask/), page.keyboard.press('Enter')])
    await page.reload()
    await page.getByRole('button', { name: 'How it was found' }).nth(1).waitFor()
    expect(await page.locator('.question').allTextContents()).toEqual([question, 'And with five?'])
    expect(await page.locator('.understood').textContent()).toContain('when ten runs start at once? And with five?')
  })

  it('is used with the keyboard alone', { tags: ['slow'] }, async () => {
    const { page } = await open()
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

  it('fits a telephone, in light colours', { tags: ['slow'] }, async () => {
    const { page, complaints } = await open({ viewport: { width: 390, height: 844 } })
    await askOn(page, question)
    await page
      .getByRole('button', { name: /^Source 1:/ })
      .first()
      .click()
    await page.locator('.quote-mark').first().waitFor()
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(390)
    const paper = await page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor')
    expect(Number(/\d+/.exec(paper)?.[0])).toBeGreaterThan(128)
    expect(complaints).toEqual([])
  })

  it('says that a file has changed since it was read, and shows the text that was read', {
    tags: ['slow'],
  }, async () => {
    const folder = await temporaryFolder()
    const paper = join(folder, 'lost-updates.pdf')
    await cp(join(papers, 'lost-updates.pdf'), paper)
    const { page } = await pageOf(browser(), await stageForTest({ documents: [paper] }))
    await askOn(page, question)
    await writeFile(paper, '%PDF-1.4 and something else')
    await page
      .getByRole('button', { name: /^Source 1:/ })
      .first()
      .click()
    await page.getByText('The file has moved or changed since it was read.').waitFor()
    expect((await page.locator('.page-text mark').allTextContents()).join(' ')).toContain('90% for ten')
  })

  it('marks the quote in the stored text where pdf.js cannot draw the page', { tags: ['slow'] }, async () => {
    const { page } = await open()
    await page.route(/\/assets\/pdf\/pdf\.min\.mjs/, (route) =>
      route.fulfill({
        contentType: 'text/javascript',
        body: `export const GlobalWorkerOptions = {}; export function getDocument() { throw new Error('Not today.') }`,
      }),
    )
    await askOn(page, question)
    await page
      .getByRole('button', { name: /^Source 1:/ })
      .first()
      .click()
    await page.getByText('The page cannot be drawn with the quote marked. This is the text that was read.').waitFor()
    expect((await page.locator('.page-text mark').allTextContents()).join(' ')).toContain('90% for ten')
  })

  it('goes back to the place before, and opens a footnote whose link comes into the address', {
    tags: ['slow'],
  }, async () => {
    const { page } = await open()
    await askOn(page, question)
    expect(await page.title()).toBe(`${question} · Quaero`)
    const { runs } = await (await page.request.get(new URL('/api/runs', page.url()).href)).json()
    await page.getByRole('button', { name: 'Documents' }).click()
    await page.getByText('Questions search this document.').waitFor()
    await page.reload()
    await page.getByText('Questions search this document.').waitFor()
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
    const { page, complaints } = await open({ names: ['lost-updates.pdf', 'event-log.pdf'] })
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

  it('tells a screen reader whole sentences and how it ended, and does not move where motion is unwanted', {
    tags: ['slow'],
  }, async () => {
    const stage = await stageForTest({ documents: [join(papers, 'lost-updates.pdf')], scenes })
    const { page } = await pageOf(browser(), stage, { reducedMotion: 'reduce' })
    const release = holdAnswers()
    await page.getByRole('textbox', { name: 'Question' }).fill(questions.answered)
    await page.keyboard.press('Enter')
    const log = page.getByRole('log', { name: 'Answer as it is written' })
    await log.getByText('Of 2,040 messages sent in 180 trials, 1,678 were lost, which is 82.3%.').waitFor()
    expect(await log.locator('p').allTextContents()).not.toContainEqual(expect.stringMatching(/[^.]$/))
    expect(await page.evaluate<number>('document.getAnimations().length')).toBe(0)
    release()
    await log.getByText('The answer is complete, with 2 sources.').waitFor()
  })
})

import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startQuaero } from '../fixtures/command-line.ts'
import { temporaryFolder } from '../fixtures/workflow.ts'

const executablePath = ['/usr/bin/chromium', '/usr/bin/google-chrome'].find(existsSync)
if (!executablePath) console.warn('Chromium is not installed: the page is not tested.')

const papers = join(import.meta.dirname, '../../examples/papers')
const question = 'What share of the messages is lost when ten runs start at once?'

let browser: Browser
beforeAll(async () => {
  if (executablePath) browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
})
afterAll(() => browser?.close())

/** A server over the named papers, its page opened by the printed link, and everything that the browser complained of. */
async function openPage({
  names = ['lost-updates.pdf'],
  ...options
}: BrowserContextOptions & { names?: string[] } = {}) {
  const cwd = await temporaryFolder()
  const words = ['serve', ...names.map((name) => join(papers, name)), '--port', '0', '--json']
  const { child } = startQuaero(words, { cwd })
  const { url } = JSON.parse(String((await once(child.stdout!, 'data'))[0]))
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options })
  onTestFinished(() => context.close())
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => complaints.push(message.text()))
  page.on('pageerror', ({ message }) => complaints.push(message))
  page.on('requestfailed', (request) => complaints.push(`${request.url()}: ${request.failure()?.errorText}`))
  page.on('request', (request) => {
    if (!/^(blob|data):/.test(request.url()) && !request.url().startsWith(new URL(url).origin))
      complaints.push(request.url())
  })
  await page.goto(url)
  await page.getByRole('textbox', { name: 'Question' }).waitFor()
  return { page, complaints, url }
}

async function ask(page: Page, text = question): Promise<void> {
  const answered = await page.getByRole('button', { name: 'How it was found' }).count()
  await page.getByRole('textbox', { name: 'Question' }).fill(text)
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'How it was found' }).nth(answered).waitFor()
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

/** Two files to drop: a whole one, and a broken one. */
function droppedFiles(base64: string): string {
  return `(() => {
    const bytes = Uint8Array.from(atob('${base64}'), (letter) => letter.charCodeAt(0))
    const transfer = new DataTransfer()
    transfer.items.add(new File([bytes], 'lost-updates.pdf'))
    transfer.items.add(new File(['%PDF-1.4 and nothing more'], 'broken.pdf'))
    return transfer
  })()`
}

describe.skipIf(!executablePath)('the page', { timeout: 30_000 }, () => {
  it('hides the token of its link, answers, and opens a footnote on its page with the quote marked', async () => {
    const { page, complaints } = await openPage()
    expect(page.url()).not.toContain('token')
    await ask(page)
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

  it('opens a footnote by its address, with the token or after it was entered', { timeout: 120_000 }, async () => {
    const { page, url } = await openPage()
    await ask(page)
    await page
      .getByRole('button', { name: /^Source 1:/ })
      .first()
      .waitFor()
    const { runs } = await (await page.request.get(new URL('/api/runs', url).href)).json()
    const place = `/#/source/${runs[0].runId}/1`
    const { origin, hash } = new URL(url)
    const shown = async (address: string, token: string | null) => {
      const context = await browser.newContext()
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

  it('adds dropped files, and says why one was not added', async () => {
    const { page, complaints } = await openPage({ names: [] })
    await page.getByRole('button', { name: 'Documents' }).click()
    await page.getByText('The library is empty.').waitFor()
    const whole = (await readFile(join(papers, 'lost-updates.pdf'))).toString('base64')
    const dropped = await page.evaluateHandle(droppedFiles(whole))
    await page.dispatchEvent('.documents', 'drop', { dataTransfer: dropped })
    await page.getByRole('button', { name: 'Try again' }).waitFor()
    expect(await page.locator('.uploads .failed').textContent()).toContain('broken.pdf')
    await page.getByText('Questions search all 1 documents.').waitFor()
    await page.getByRole('button', { name: 'New question' }).click()
    await ask(page)
    expect(await page.locator('.answer').textContent()).toContain('90% for ten')
    expect(complaints).toEqual([])
  })

  it('understands a follow-up, and shows the conversation again after a reload in the middle of an answer', async () => {
    const { page } = await openPage()
    await ask(page)
    await page.getByRole('textbox', { name: 'Question' }).fill('And with five?')
    await Promise.all([page.waitForResponse(/\/api\/ask/), page.keyboard.press('Enter')])
    await page.reload()
    await page.getByRole('button', { name: 'How it was found' }).nth(1).waitFor()
    expect(await page.locator('.question').allTextContents()).toEqual([question, 'And with five?'])
    expect(await page.locator('.understood').textContent()).toContain('five runs start at once')
  })

  it('is used with the keyboard alone', async () => {
    const { page } = await openPage()
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

  it.each(['light', 'dark'] as const)('fits a telephone, in %s colours', async (colorScheme) => {
    const { page, complaints } = await openPage({ viewport: { width: 390, height: 844 }, colorScheme })
    await ask(page)
    await page
      .getByRole('button', { name: /^Source 1:/ })
      .first()
      .click()
    await page.locator('.quote-mark').first().waitFor()
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(390)
    const paper = await page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor')
    expect(Number(/\d+/.exec(paper)?.[0]) > 128).toBe(colorScheme === 'light')
    expect(complaints).toEqual([])
  })
})

import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { holdAnswers, questions, scenes } from '../fixtures/page-states.ts'
import { askOn, browserPath, openPage, type Stage, startStage } from '../fixtures/stage.ts'

if (!browserPath) console.warn("Chromium is not installed: a person's way through the page is not tested.")

const papers = join(import.meta.dirname, '../../examples/papers')

let browser: Browser
beforeAll(async () => {
  if (browserPath) browser = await chromium.launch({ executablePath: browserPath, args: ['--no-sandbox'] })
})
afterAll(() => browser?.close())

const answers = (page: Page) => page.locator('.answer')
const question = (page: Page) => page.getByRole('textbox', { name: 'Question' })

/** Three papers and a broken file, dropped on the page. */
async function dropFiles(page: Page): Promise<void> {
  const names = ['lost-updates.pdf', 'event-log.pdf', 'fts-retrieval.pdf']
  const whole = await Promise.all(
    names.map(async (name) => [name, (await readFile(join(papers, name))).toString('base64')]),
  )
  const transfer = await page.evaluateHandle(`(() => {
    const transfer = new DataTransfer()
    for (const [name, base64] of ${JSON.stringify(whole)})
      transfer.items.add(new File([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))], name))
    transfer.items.add(new File(['%PDF-1.4 and nothing more'], 'broken.pdf'))
    return transfer
  })()`)
  await page.dispatchEvent('.workplace', 'dragover', { dataTransfer: transfer })
  await page.dispatchEvent('.workplace', 'drop', { dataTransfer: transfer })
}

/** Asks, and returns in the middle of the answer, with what lets the rest of it come. */
async function askHeld(page: Page): Promise<() => void> {
  const release = holdAnswers()
  await question(page).fill(questions.answered)
  await page.keyboard.press('Enter')
  await page.locator('.prose.coming').waitFor()
  return release
}

async function readsAndOpensFootnotes(page: Page): Promise<void> {
  const release = await askHeld(page)
  expect(await page.locator('.prose.coming').textContent()).toContain('1,678 were lost')
  release()
  await answers(page).waitFor()
  expect(await page.locator('.unverified').textContent()).toContain('PostgreSQL')
  expect(await page.locator('.notes').textContent()).toContain('2,040 - 1,678 = 362')
  const first = page.getByRole('button', { name: /^Source 1:/ }).first()
  await first.hover()
  expect(await page.getByRole('tooltip').textContent()).toContain('180 trials')
  await first.click()
  await page.locator('.quote-mark').first().waitFor()
  await page.keyboard.press('ArrowRight')
  await page.getByText('2 of 2').waitFor()
  await page.keyboard.press('Escape')
  await page.locator('.source').waitFor({ state: 'detached' })
  // The focus is back where it was, which shows the quote again.
  await page.getByRole('tooltip').waitFor()
  const focused = await page.evaluate<string>('document.activeElement.getAttribute("aria-label")')
  expect(focused).toMatch(/^Source 1:/)
}

async function asksOnAndIsAskedBack(page: Page): Promise<void> {
  await askOn(page, questions.followUp)
  expect(await page.locator('.understood').textContent()).toContain('start 400 ms apart')
  await page.getByRole('button', { name: 'New question' }).click()
  await askOn(page, questions.clarified)
  await page.getByRole('button', { name: questions.chosen }).click()
  await answers(page).waitFor()
  expect(await answers(page).textContent()).toContain('10.0%')
}

async function stopsReloadsAndOutlivesTheServer(page: Page, stage: Stage): Promise<void> {
  await page.getByRole('button', { name: 'New question' }).click()
  const stopped = await askHeld(page)
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByText('You stopped this question.').waitFor()
  stopped()
  await page.getByRole('button', { name: 'New question' }).click()
  const reloaded = await askHeld(page)
  await page.reload()
  await page.locator('.prose.coming').waitFor()
  expect(await page.locator('.prose.coming').textContent()).toContain('1,678 were lost')
  reloaded()
  await answers(page).waitFor()
  await page.getByRole('button', { name: 'New question' }).click()
  const killed = await askHeld(page)
  await stage.kill()
  await page.getByText('The server does not answer. Trying again …').waitFor()
  killed()
  await writeFile(join(stage.folder, 'quaero.yaml'), 'tools:\n  trust: strict\n')
  await stage.restart()
  await page.reload()
  await page.getByRole('button', { name: 'Go on' }).click()
  await answers(page).waitFor()
  expect(await answers(page).textContent()).toContain('82.3%')
}

async function approvesWithOtherArguments(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'New question' }).click()
  await askOn(page, questions.approved)
  await page.reload()
  await page.getByRole('button', { name: 'Edit' }).click()
  const field = page.getByRole('textbox', { name: 'Arguments of pdf_retrieval' })
  await field.fill('{ "words": 1 }')
  await page.getByRole('button', { name: 'Allow with these' }).click()
  await page.locator('.turn > .problem').waitFor()
  await page.getByRole('button', { name: 'Edit' }).click()
  await field.fill('{ "query": "late starts over 400 ms" }')
  await page.getByRole('button', { name: 'Allow with these' }).click()
  await answers(page).waitFor()
  await page.getByRole('button', { name: 'How it was found' }).click()
  await page.getByText('late starts over 400 ms').first().waitFor()
}

async function exportsAndOpensAnotherThread(page: Page): Promise<void> {
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export' }).click()
  const download = await downloading
  expect(download.suggestedFilename()).toMatch(/^Which-share.*\.md$/)
  expect(await readFile(await download.path(), 'utf8')).toMatch(/10\.0%[\s\S]*\[1\] .*400 ms/)
  await page.getByRole('searchbox', { name: 'Search the conversations' }).fill('how large')
  await page.locator('.thread').nth(1).waitFor({ state: 'detached' })
  await page.locator('.thread').click()
  await page.getByRole('heading', { name: questions.clarified, level: 2 }).waitFor()
  await page.getByRole('button', { name: 'Continue from here' }).first().waitFor()
}

async function readsInTheDarkOnATelephone(page: Page): Promise<void> {
  await page.getByRole('searchbox', { name: 'Search the conversations' }).fill('which share')
  await page.locator('.thread').click()
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.setViewportSize({ width: 390, height: 844 })
  await page
    .getByRole('button', { name: /^Source 1:/ })
    .first()
    .click()
  await page.locator('.quote-mark').first().waitFor()
  expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(390)
  expect(await page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor')).toBe(
    'rgb(22, 24, 26)',
  )
  await page.getByRole('button', { name: 'Close the source' }).click()
}

describe.skipIf(!browserPath)("a person's way through the page", { timeout: 300_000 }, () => {
  it('leads from the printed link through documents, answers, questions back, approvals and a server that dies', async () => {
    const stage = await startStage({ scenes, config: 'tools:\n  trust: open\n' })
    onTestFinished(stage.close)
    const { page, context, complaints } = await openPage(browser, stage.url)
    onTestFinished(() => context.close())
    await dropFiles(page)
    await page.getByRole('button', { name: 'Try again' }).waitFor()
    expect(await page.locator('.uploads .failed').textContent()).toMatch(/broken\.pdf.*damaged/)
    await page.getByText('Questions search all 3 documents').waitFor()
    await page.getByRole('button', { name: 'New question' }).click()
    await readsAndOpensFootnotes(page)
    await asksOnAndIsAskedBack(page)
    expect(complaints).toEqual([])
    await stopsReloadsAndOutlivesTheServer(page, stage)
    // The browser says that the server was gone, and that a changed argument was refused; nothing else.
    await approvesWithOtherArguments(page)
    await exportsAndOpensAnotherThread(page)
    await readsInTheDarkOnATelephone(page)
    expect(complaints.filter((text) => !/ERR_|422/.test(text))).toEqual([])
  })
})

import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { holdAnswers, questions, scenes } from '../fixtures/page-states.ts'
import { dropFiles, papers, setUpPages } from '../fixtures/page-tests.ts'
import { askOn, browserPath, type Stage } from '../fixtures/stage.ts'

const pages = setUpPages("a person's way through the page is not tested.", {
  scenes,
  config: 'tools:\n  trust: open\n',
})

const answers = (page: Page) => page.locator('.answer')
const question = (page: Page) => page.getByRole('textbox', { name: 'Question' })

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
  await page.locator('.prose.coming', { hasText: '1,678 were lost' }).waitFor()
  release()
  await answers(page).waitFor()
  expect(await page.locator('.unverified').textContent()).toContain('PostgreSQL')
  expect(await page.locator('.notes').textContent()).toContain('2,040 − 1,678 = 362')
  const first = page.getByRole('button', { name: /^Source 1:/ }).first()
  await first.hover()
  expect(await page.getByRole('tooltip').textContent()).toContain('180 trials')
  await first.click()
  await page.locator('.quote-mark').first().waitFor()
  await page.keyboard.press('ArrowRight')
  await page.getByText('2 of 2').waitFor()
  // Faster than a page is drawn.
  for (const key of ['p', 'n', 'ArrowLeft', 'n', 'ArrowLeft']) await page.keyboard.press(key)
  await page.getByText('1 of 2').waitFor()
  await page.getByRole('button', { name: 'Enlarge the page' }).click()
  await page.locator('.pdf[aria-busy=false] .sheet.large .quote-mark').first().waitFor()
  await page.keyboard.press('Escape')
  await page.locator('.source').waitFor({ state: 'detached' })
  // The focus is back where it was, which shows the quote again.
  await page.getByRole('tooltip').waitFor()
  const focused = await page.evaluate<string>('document.activeElement.getAttribute("aria-label")')
  expect(focused).toMatch(/^Source 1:/)
}

async function copiesTheAnswer(page: Page): Promise<void> {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.getByRole('button', { name: 'Copy' }).click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  const copied = await page.evaluate<string>('navigator.clipboard.readText()')
  expect(copied).toMatch(/82\.3%\.[\s\S]*\[1\] Varga.*“Of 2,040[\s\S]*\[2\] 2,040 − 1,678 = 362/)
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
  await page.locator('.prose.coming', { hasText: '1,678 were lost' }).waitFor()
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
  await askOn(page, questions.approved)
  // The first one waits no more.
  await page.getByText('It waited for your approval when you asked on.').waitFor()
  expect(await page.locator('.approval').count()).toBe(1)
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
  await page.getByRole('button', { name: 'How it was found' }).last().click()
  await page.getByText('late starts over 400 ms').first().waitFor()
}

async function exportsAndOpensAnotherThread(page: Page): Promise<void> {
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export' }).click()
  const download = await downloading
  expect(download.suggestedFilename()).toMatch(/^Which-share.*\.md$/)
  expect(await readFile(await download.path(), 'utf8')).toMatch(/10\.0%[\s\S]*\[1\] .*400 ms/)
  await page.getByRole('button', { name: 'Rename' }).click()
  await page.getByRole('textbox', { name: 'Title of the conversation' }).fill('Which share: late starts')
  await page.keyboard.press('Enter')
  await page.locator('.thread', { hasText: 'late starts' }).waitFor()
  await page.getByRole('searchbox', { name: 'Search the conversations' }).fill('how large')
  await page.locator('.thread').nth(1).waitFor({ state: 'detached' })
  await page.locator('.thread').click()
  await page.getByRole('heading', { name: questions.clarified, level: 2 }).waitFor()
  await page.getByRole('button', { name: 'Continue from here' }).first().waitFor()
}

async function readsInTheDarkOnATelephone(page: Page): Promise<void> {
  await page.getByRole('searchbox', { name: 'Search the conversations' }).fill('which share')
  // Until the list follows the words, it has the conversation that was searched for before.
  await page.locator('.thread', { hasText: 'late starts' }).click()
  const paper = () => page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor')
  expect(await paper()).toBe('rgb(253, 252, 249)')
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.setViewportSize({ width: 390, height: 844 })
  await page
    .getByRole('button', { name: /^Source 1:/ })
    .first()
    .click()
  await page.locator('.quote-mark').first().waitFor()
  expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(390)
  expect(await paper()).toBe('rgb(22, 24, 26)')
  await page.getByRole('button', { name: 'Close the source' }).click()
}

async function deletesConversationsAndDocuments(page: Page): Promise<void> {
  await page.setViewportSize({ width: 1440, height: 900 })
  page.on('dialog', (dialog) => void dialog.accept())
  await page.getByRole('searchbox', { name: 'Search the conversations' }).fill('')
  await page.locator('.thread').nth(1).waitFor()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByRole('heading', { name: 'What do you want to know?' }).waitFor()
  await page.locator('.thread', { hasText: 'late starts' }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Documents' }).click()
  // What was added stood there until the documents were left.
  expect(await page.locator('.uploads').count()).toBe(0)
  await page.getByRole('button', { name: /^Remove The Last Writer Wins/ }).click()
  await page.getByText('Questions search all 2 documents').waitFor()
  await page.reload()
  await page.getByText('Questions search all 2 documents').waitFor()
  expect(await page.locator('.thread').allTextContents()).not.toContainEqual(expect.stringContaining('late starts'))
}

describe.skipIf(!browserPath)("a person's way through the page", { timeout: 300_000, tags: ['slow'] }, () => {
  it('leads from the printed link through documents, answers, questions back, approvals and a server that dies', async () => {
    const { page, complaints } = await pages.open()
    await dropFiles(
      page,
      ['lost-updates.pdf', 'event-log.pdf', 'fts-retrieval.pdf'].map((name) => join(papers, name)),
    )
    await page.getByRole('button', { name: 'Dismiss broken.pdf' }).waitFor()
    expect(await page.locator('.uploads .failed').textContent()).toMatch(/broken\.pdf.*damaged/)
    await page.getByText('Questions search all 3 documents').waitFor()
    await page.getByRole('button', { name: 'New question' }).click()
    await readsAndOpensFootnotes(page)
    await copiesTheAnswer(page)
    await asksOnAndIsAskedBack(page)
    expect(complaints).toEqual([])
    await stopsReloadsAndOutlivesTheServer(page, pages.stage())
    // The browser says that the server was gone, and that a changed argument was refused; nothing else.
    await approvesWithOtherArguments(page)
    await exportsAndOpensAnotherThread(page)
    await readsInTheDarkOnATelephone(page)
    await deletesConversationsAndDocuments(page)
    expect(complaints.filter((text) => !/ERR_|422/.test(text))).toEqual([])
  })
})

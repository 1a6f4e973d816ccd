import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { holdAnswers, questions, scenes } from '../fixtures/page-states.ts'
import { getJson, papers, setUpPages } from '../fixtures/page-tests.ts'
import { browserPath } from '../fixtures/stage.ts'

const documents = ['lost-updates.pdf', 'event-log.pdf'].map((name) => join(papers, name))
const withModel = setUpPages('the report of the page is not tested.', { documents: [papers], scenes })
const keyless = setUpPages('the digest of the page is not tested.', { documents })

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).press('Enter')
const outline = (page: Page) => page.getByRole('textbox', { name: 'Outline' })
const written = (page: Page) => page.getByText(/^Written: /)

async function plan(page: Page, kind: 'report' | 'digest', question: string): Promise<void> {
  await page.getByRole('textbox', { name: `What the ${kind} is to answer` }).fill(question)
  await press(page, `Plan the ${kind}`)
  await outline(page).waitFor()
}

/** An outline that asks each question in a section of its own. */
const sectionsOf = (asked: readonly string[]) =>
  ['# Losses', ...asked.map((each, index) => `## Part ${index + 1}\n- ${each}`)].join('\n\n')

async function countRuns(pages: ReturnType<typeof setUpPages>, of: RegExp): Promise<number> {
  const { runs } = await getJson<{ runs: readonly { question: string }[] }>(pages.stage(), '/runs?limit=200')
  return runs.filter(({ question }) => of.test(question)).length
}

describe.skipIf(!browserPath)('the report of the page', { timeout: 120_000 }, () => {
  it('is planned, written section by section, and says what contradicts, what is missing and what fell', async () => {
    const { page, complaints } = await withModel.open()
    await press(page, 'Report')
    await plan(page, 'report', questions.report)
    expect(await outline(page).inputValue()).toContain(`## What a log keeps\n- ${questions.abstained}`)
    const release = holdAnswers()
    await press(page, 'Write the report')
    const sections = page.getByRole('list', { name: 'Sections' })
    await sections.getByText('2 asked, 1 found').waitFor()
    expect(await sections.getByRole('listitem').first().textContent()).toContain('0 asked')
    release()
    await written(page).waitFor()
    const text = (await page.getByRole('article').textContent()) ?? ''
    const headings =
      /What concurrent runs lose|What the documents disagree about|What was not found|Documents that were never/
    const [, body, contradictions, notFound, rest] = text.split(headings)
    expect(body).toMatch(/1,678 were lost, which is 82.3%.*A log with one writer lost nothing/)
    expect(contradictions).toMatch(/“Of 2,040 messages sent.*“such a log lost nothing in 180 kills/)
    expect(notFound).toBe(`${questions.abstained} — I found no answer to this in 7 documents.`)
    expect(rest).toMatch(/opened.*Glossary.*2,040 − 1,678 = 362.*Not verified.*PostgreSQL/)
    await page
      .getByRole('article')
      .getByRole('button', { name: /^Source 4:/ })
      .first()
      .press('Enter')
    await page.locator('.quote-mark').first().waitFor()
    await page.keyboard.press('Escape')
    expect(complaints).toEqual([])
  })

  it('asks and writes only what was edited, and stops and goes on in the middle of it', async () => {
    const { page } = await withModel.open()
    await press(page, 'Report')
    await plan(page, 'report', questions.report)
    await press(page, 'Write the report')
    await written(page).waitFor()
    const before = await countRuns(withModel, /./)
    await outline(page).fill(`${await outline(page).inputValue()}\n- ${questions.answered} And why?`)
    const release = holdAnswers()
    await press(page, 'Write the report')
    await page.getByText('2 asked, 1 found').waitFor()
    await press(page, 'Stop')
    await page.getByText(/^Stopped; /).waitFor()
    release()
    await press(page, 'Continue')
    await written(page).waitFor()
    // The question, and its section.
    expect(await countRuns(withModel, /./)).toBe(before + 2)
  })

  it('goes on where a server that was killed has stopped, and asks nothing twice', async () => {
    const { page } = await withModel.open()
    const { kill, restart } = withModel.stage()
    await press(page, 'Report')
    await plan(page, 'report', questions.report)
    await outline(page).fill(sectionsOf([`${questions.answered} And when?`, questions.logged]))
    const release = holdAnswers()
    await press(page, 'Write the report')
    await page.getByText('1 asked, 1 found').waitFor()
    await kill()
    expect(await page.getByRole('alert').textContent()).toContain('What it has answered is kept')
    release()
    await restart()
    await press(page, 'Continue')
    await written(page).waitFor()
    expect(await countRuns(withModel, /^How many.*And when\?$/)).toBe(1)
  })
})

describe.skipIf(!browserPath)('the digest of the page', { timeout: 120_000 }, () => {
  it('is called so everywhere, is saved in each form, and is found again after a reload', async () => {
    const { page, complaints } = await keyless.open()
    await press(page, 'Digest')
    await plan(page, 'digest', questions.answered)
    await outline(page).fill(sectionsOf([questions.answered, questions.logged]))
    await press(page, 'Write the digest')
    await written(page).waitFor()
    expect(await page.title()).toBe('Digest · Quaero')
    expect(await page.locator('#app').textContent()).not.toMatch(/report/i)
    for (const [form, name] of Object.entries({
      ...{ Word: 'digest.docx', Markdown: 'digest.md', HTML: 'digest.html', LaTeX: 'digest.tex' },
      ...{ JSON: 'digest.json', BibTeX: 'references.bib', CSL: 'references.json' },
    })) {
      const saving = page.waitForEvent('download')
      await press(page, form)
      const saved = await saving
      expect(saved.suggestedFilename()).toBe(name)
      if (form !== 'Word') expect(await readFile(await saved.path(), 'utf8')).toContain('Lost Updates')
    }
    const before = await countRuns(keyless, /./)
    await page.reload()
    await press(page, 'Write the digest')
    await written(page).waitFor()
    expect(await countRuns(keyless, /./)).toBe(before)
    expect(complaints).toEqual([])
  })

  it('draws the words of documents as they are', async () => {
    const { page, complaints } = await keyless.open()
    const hostile = [
      '# [link](https://evil.example) [1] and **bold**, _so_',
      '- 1. `a|b` <img src=x> | x |',
      '> ~~all~~ [2]',
    ]
    const at = {
      documentId: 'abcdef',
      title: '*Odd* [1](x)',
      source: 'odd.md',
      section: null,
      page: 1,
      start: 0,
      end: 1,
    }
    const paragraphs = hostile.map((text, index) => [
      {
        id: `${index}`,
        text,
        state: 'quoted',
        quotes: [{ ...at, text }],
        formulas: [],
        runId: 'r',
        threadId: 't',
        question: '?',
      },
    ])
    const none = { summary: [], contradictions: [], notFound: [], unfinished: [], unsupported: [], unopened: [] }
    const sections = [{ heading: '[3] **Odd**', questions: ['?'], paragraphs }]
    const report = { kind: 'digest', title: 'Odd', question: '?', documents: 1, usage: {}, sections, ...none }
    const body = `event: report\ndata: ${JSON.stringify({ step: 'report', report })}\n\n`
    await page.route(/api\/reports$/, (route) => route.fulfill({ contentType: 'text/event-stream', body }))
    await press(page, 'Digest')
    await plan(page, 'digest', 'Odd?')
    await press(page, 'Write the digest')
    await written(page).waitFor()
    const prose = page.locator('article .prose')
    const text = ((await prose.textContent()) ?? '').replaceAll('\u2060', '')
    expect(hostile.filter((each) => !text.replaceAll('a|b', '`a|b`').includes(each))).toEqual([])
    expect(await prose.locator('a, strong, s, img, ol, ul, blockquote, td').count()).toBe(0)
    // The title of the document stands before each paragraph, in slanted letters; all three have the same footnote.
    expect(await prose.locator('em').allTextContents()).toEqual(Array(3).fill('*Odd* [1]\u2060(x):'))
    expect(await prose.getByRole('button').allTextContents()).toEqual(['1', '1', '1'])
    expect(complaints).toEqual([])
  })

  it('says what is no outline, and asks only the documents that are chosen, after a reload too', async () => {
    const { page } = await keyless.open()
    await press(page, 'Digest')
    await page.getByText('Documents asked: all 2').click()
    await page.getByRole('checkbox', { name: /Lost Updates/ }).press('Space')
    await plan(page, 'digest', questions.answered)
    await page.reload()
    await page.getByText('Documents asked: 1 of 2').waitFor()
    const planned = await outline(page).inputValue()
    await outline(page).fill('# Losses')
    await press(page, 'Write the digest')
    expect(await page.getByRole('alert').textContent()).toContain('no section with a question')
    await outline(page).fill(planned)
    await press(page, 'Write the digest')
    await page.getByText('1 document searched.').waitFor()
  })
})

import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { holdAnswers, questions, scenes } from '../fixtures/page-states.ts'
import { papers, setUpPages } from '../fixtures/page-tests.ts'
import { browserPath } from '../fixtures/stage.ts'

const pages = setUpPages('how the page shows an answer as it is written is not tested.', {
  documents: [join(papers, 'lost-updates.pdf')],
  scenes,
})

// What runs in the browser is text: the tests know no types of pages.

/**
 * Notes in `seen` when something begins, and when it has been painted: the first words of an answer from when their event
 * comes over the connection, the quote of a footnote from when the pointer comes. `frames` are the pictures in between.
 */
const watching = `(() => {
  const seen = window.seen = {}
  let frame = 0
  const count = () => { frame += 1; requestAnimationFrame(count) }
  requestAnimationFrame(count)
  const begin = (name) => { seen[name] ??= { began: performance.now(), frame } }
  const painted = (name) => {
    const one = seen[name]
    if (!one || one.isFound) return
    one.isFound = true
    // The next picture has it.
    requestAnimationFrame(() => setTimeout(() => {
      one.ms = performance.now() - one.began
      one.frames = frame - one.frame
    }))
  }
  const fetched = window.fetch
  window.fetch = async (...request) => {
    const response = await fetched(...request)
    if (!response.headers.get('content-type')?.includes('event-stream')) return response
    const reader = new TextDecoder()
    const noting = new TransformStream({ transform(chunk, out) {
      const lines = reader.decode(chunk, { stream: true }).split('\\n')
      if (lines.some((line) => /"message\\.delta"/.test(line) && /"scope":"thread"/.test(line))) begin('words')
      out.enqueue(chunk)
    } })
    return new Response(response.body.pipeThrough(noting), response)
  }
  document.addEventListener('mouseover', ({ target }) => target.closest?.('.marker') && begin('quote'), true)
  new MutationObserver(() => {
    if (document.querySelector('.prose.coming')?.textContent) painted('words')
    if (document.querySelector('[role=tooltip] q')) painted('quote')
  }).observe(document, { subtree: true, childList: true, characterData: true })
})()`

async function measured(page: Page, name: 'words' | 'quote') {
  const read = () => page.evaluate<{ ms?: number; frames: number } | undefined>(`window.seen.${name}`)
  await expect.poll(async () => (await read())?.ms, { timeout: 30_000 }).toBeGreaterThan(0)
  return (await read())!
}

describe.skipIf(!browserPath)('an answer as it is written', { timeout: 60_000, tags: ['slow'] }, () => {
  it('shows its first words within six pictures of their event, and a quote within three of the pointer', async () => {
    const { page, context } = await pages.open()
    await context.addInitScript(watching)
    await page.reload()
    const release = holdAnswers()
    await page.getByRole('textbox', { name: 'Question' }).fill(questions.answered)
    await page.keyboard.press('Enter')
    const words = await measured(page, 'words')
    release()
    await page.locator('.answer').waitFor()
    await page
      .getByRole('button', { name: /^Source 1:/ })
      .first()
      .hover()
    const quote = await measured(page, 'quote')
    // Sixty pictures a second make six of them a tenth of a second.
    const said = (name: string, { ms = 0, frames }: { ms?: number; frames: number }) =>
      `${name} after ${ms.toFixed(0)} ms, ${frames} pictures`
    console.info(`${said('first words', words)}; ${said('quote', quote)}`)
    expect(words.frames).toBeLessThanOrEqual(6)
    expect(quote.frames).toBeLessThanOrEqual(3)
  })

  it('tells a screen reader whole sentences and how it ended, and does not move where motion is unwanted', async () => {
    const { page } = await pages.open({ reducedMotion: 'reduce' })
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

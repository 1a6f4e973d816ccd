import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { visitStates } from '../fixtures/page-states.ts'
import { setUpPages } from '../fixtures/page-tests.ts'
import { browserPath } from '../fixtures/stage.ts'

const { browser } = setUpPages('the states of the page are not tested.')

// What runs in the browser is text: the tests know no types of pages.

/** What axe finds by the rules of WCAG 2.2 AA and good practice. */
const violations = `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })
  .then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) =>
    id + ' at ' + target.join(' ') + ': ' + failureSummary.replace(/\\s+/g, ' '))))`

/** Words and fields that stand over the edge of the window, or of the part that they stand in. */
const cropped = `Array.from(document.querySelectorAll('main *, .source *, .rail.open *'))
  .filter((element) => element.checkVisibility() && element.getClientRects().length > 0)
  .filter((element) => !element.closest('.table, .pdf, pre, .hidden, .thread-header h1'))
  .filter((element) => {
    const { left, right } = element.getBoundingClientRect()
    return right > innerWidth + 1 || left < -1
  })
  .map((element) => element.outerHTML.slice(0, 120))`

async function findings(page: Page): Promise<readonly string[]> {
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(axe.source)
  const found: string[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    for (const each of await page.evaluate<string[]>(violations)) found.push(`${colorScheme}: ${each}`)
  }
  await page.setViewportSize({ width: 390, height: 844 })
  for (const each of await page.evaluate<string[]>(violations)) found.push(`narrow: ${each}`)
  for (const each of await page.evaluate<string[]>(cropped)) found.push(`cropped: ${each}`)
  await page.setViewportSize({ width: 1440, height: 900 })
  return found
}

describe.skipIf(!browserPath)('each state of the page', { timeout: 400_000, tags: ['slow'] }, () => {
  it('has nothing that axe finds, light and dark, wide and narrow, and nothing that stands over the edge', async () => {
    const found: Record<string, readonly string[]> = {}
    await visitStates(browser(), async (state, page) => {
      const all = await findings(page)
      if (all.length > 0) found[state] = all
    })
    expect(found).toEqual({})
  })
})

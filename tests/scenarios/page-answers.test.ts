import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { type MadeUp, setUpPages } from '../fixtures/page-tests.ts'
import { browserPath } from '../fixtures/stage.ts'

const pages = setUpPages('answers on the page are not looked at.', {})

const quote = { documentId: 'f00d', source: 'report.md', page: 1, start: 0, end: 4, quote: 'Rose' }
const citations = [1, 2, 3].map((number) => ({ ...quote, quote: `Rose ${number}`, end: 4 + number }))

async function shown(...answers: readonly MadeUp[]) {
  const visit = await pages.openAnswers(
    answers.map((each) => ({ ...each, citations })),
    0,
  )
  await visit.page.locator('.answer .prose').last().waitFor()
  return visit
}

/** The numbers whose digits another element lies over, in a window of this width. */
async function covered(page: Page, width: number): Promise<readonly string[]> {
  await page.setViewportSize({ width, height: 844 })
  return page.evaluate<string[]>(`Array.from(document.querySelectorAll('.prose .marker')).flatMap((button) => {
    const range = document.createRange()
    range.selectNodeContents(button)
    const { left, right, top, bottom } = range.getBoundingClientRect()
    const points = [left + 0.5, (left + right) / 2, right - 0.5].map((x) => document.elementFromPoint(x, (top + bottom) / 2))
    return points.every((each) => each === button) ? [] : [button.textContent]
  })`)
}

/** How much of the room of each number is that of the number before it, in pixels. */
const overlaps = `Array.from(document.querySelectorAll('.prose .note + .note > .marker'), (button) =>
  button.parentElement.previousElementSibling.querySelector('.marker').getBoundingClientRect().right -
    button.getBoundingClientRect().left)`

/** What placements of emphasis look like: text, strong and emphasised words, and numbers of footnotes. */
const looks = `Array.from(document.querySelectorAll('.prose'), (prose) => {
  const plain = (text) => text.replaceAll('\\u2060', '')
  const all = (selector) => Array.from(prose.querySelectorAll(selector), ({ textContent }) => plain(textContent))
  const text = plain(prose.innerText).replace(/\\s+/g, ' ').trim()
  return { text, strong: all('strong'), em: all('em'), notes: all('.marker') }
})`

/** Answers with the text that is read of them, its strong and its emphasised words. */
const placements: readonly (readonly [string, string, readonly string[], readonly string[]])[] = [
  ['**Profit rose [1].** Then it fell. [2]', 'Profit rose1. Then it fell.2', ['Profit rose1.'], []],
  ['**Profit rose.** [1] *Then* it fell. [2]', 'Profit rose.1 Then it fell.2', ['Profit rose.'], ['Then']],
  ['*rose* [1], **fell** [2]', 'rose1, fell2', ['fell'], ['rose']],
  ['***rose [1]*** and _fell [2]_', 'rose1 and fell2', ['rose1'], ['rose1', 'fell2']],
  ['**Profit *rose [1]* again** [2]', 'Profit rose1 again2', ['Profit rose1 again'], ['rose1']],
  ['[Profit **rose** [1]](https://example.org/a_b_c) and fell [2]', 'Profit rose1 and fell2', ['rose'], []],
  ['- **Profit [1]:** rose\n- *Loss* fell [2]', 'Profit1: rose Loss fell2', ['Profit1:'], ['Loss']],
  ['## **Profit** [1]\n\nIt fell [2]', 'Profit1 It fell2', ['Profit'], []],
  ['| **Profit [1]** | *fell* |\n|---|---|\n| 4 [2] | 2 |', 'Profit1 fell 42 2', ['Profit1'], ['fell']],
  ['~~Profit rose [1]~~ `it [2] fell`', 'Profit rose1 it [2] fell', [], []],
]

describe.skipIf(!browserPath)('an answer on the page', { timeout: 120_000 }, () => {
  it('has numbers side by side that can each be hit, by a pointer and by a finger', async () => {
    const { page, complaints } = await shown({
      answer:
        'Profit rose by a tenth. [1][2]\n\nIt fell.[1][2][3] **Then it rose.** [2][3]\n\n| Year | Profit |\n|---|---|\n| 2021 | 4 [1][2] |',
    })
    for (const width of [1280, 390]) expect(await covered(page, width)).toEqual([])
    for (const overlap of await page.evaluate<number[]>(overlaps)) expect(overlap).toBeLessThanOrEqual(0.01)
    const sizes = await page.evaluate<number[]>(
      `Array.from(document.querySelectorAll('.prose .marker'), (each) => each.getBoundingClientRect()).flatMap(({ width, height }) => [width, height])`,
    )
    expect(Math.min(...sizes)).toBeGreaterThanOrEqual(24)
    expect(complaints).toEqual([])
  })

  it('draws emphasis with its footnotes, whatever stands within what', async () => {
    const { page } = await shown(...placements.map(([answer]) => ({ answer })))
    expect(await page.evaluate(looks)).toEqual(
      placements.map(([answer, text, strong, em]) => {
        const notes = answer.includes('`') ? ['1'] : ['1', '2']
        return { text, strong, em, notes }
      }),
    )
  })

  it('marks quoted sentences and shortest answers where they are, whatever emphasis they cross', async () => {
    const answer = '**Profit rose by 4% [1]. It fell** then. [2]'
    const sentence = (text: string, state: string, marker: number) => ({ text, state, markers: [marker] })
    const { page } = await shown({
      answer,
      sentences: [sentence('**Profit rose by 4%', 'quoted', 1), sentence('It fell** then.', 'verified', 2)],
      highlights: [{ start: answer.indexOf('4%'), end: answer.indexOf('4%') + 2 }],
    })
    expect(await page.locator('.prose .quoted').textContent()).toMatch(/^Profit rose by 4%/)
    const strong = await page.locator('.prose strong').allTextContents()
    expect(strong.map((each) => each.replaceAll('\u2060', ''))).toEqual(['Profit rose by ', '4%', '4%', '1. It fell'])
    expect(await page.locator('.prose .marker').allTextContents()).toEqual(['1', '2'])
  })

  it('has lists with their numbers, whatever stands between the items', async () => {
    const { page } = await shown({
      answer:
        '3. Profit rose. [1]\n   - in **Europe**\n   - in Asia\n4. It fell. [2]\n\n6. It rose again. [3]\n\nThen:\n\n1. One\n1. Two\n\n7) Seven',
    })
    const numbers = await page.evaluate<number[][]>(
      `Array.from(document.querySelectorAll('.prose ol'), (list) => Array.from(list.children, (item) => item.value))`,
    )
    expect(numbers).toEqual([
      [3, 4, 6],
      [1, 2, 7],
    ])
    expect(await page.locator('.prose ol').first().getAttribute('start')).toBe('3')
    expect(await page.locator('.prose ol > li > ul > li').allTextContents()).toEqual(['in Europe', 'in Asia'])
  })
})

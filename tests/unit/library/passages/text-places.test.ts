import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { placeTexts, rectanglesOf } from '../../../../src/library/passages/text-places.ts'
import type { Box } from '../../../../src/library/port/document.ts'
import { openQuaero } from '../../../fixtures/workflow.ts'

const box: Box = [10, 20, 110, 30]

/** What the page's text says at the place of each printed text. */
function placed(text: string, printed: readonly string[]): readonly string[] {
  return placeTexts(
    text,
    printed.map((each) => ({ text: each, box })),
  ).map(([start, end]) => text.slice(start, end))
}

describe('the place of a printed text', () => {
  it('is found where a hyphen at the end of its line was joined', () =>
    expect(placed('The measurement was repeated.', ['The measure-', 'ment was repeated.'])).toEqual([
      'The measure',
      'ment was repeated.',
    ]))

  it('is found in a row of a table, cell by cell', () =>
    expect(placed('| Runs | Lost |\n| --- | --- |\n| ten | 90% |', ['Runs', 'Lost', 'ten', '90%'])).toEqual([
      'Runs',
      'Lost',
      'ten',
      '90%',
    ]))

  it('is another for each of two equal lines', () =>
    expect(
      placeTexts(
        'Total\none\nTotal\ntwo',
        ['Total', 'one', 'Total', 'two'].map((text) => ({ text, box })),
      ).map(([start]) => start),
    ).toEqual([0, 6, 10, 16]))

  it('is missing for a running header, which the text leaves out', () =>
    expect(placed('The first line.', ['Proceedings of 2026', 'The first line.'])).toEqual(['The first line.']))

  it('is found before the last one where the text has another order than the page', () =>
    expect(placed('A title\nA column', ['A column', 'A title'])).toEqual(['A column', 'A title']))

  it('has the letters of the printed text, whatever was printed', () => {
    const lines = fc.array(fc.string({ unit: fc.constantFrom(...'ab -|\u2010 é𝑥1'), maxLength: 12 }), { maxLength: 12 })
    const kept = (text: string) => text.replace(/[\s\-‐|]/gu, '')
    fc.assert(
      fc.property(lines, fc.constantFrom(' ', '\n', ''), (printed, between) => {
        const found = placed(printed.join(between), printed)
        expect(found.map(kept)).toEqual(printed.map(kept).filter((each) => each !== ''))
      }),
    )
  })
})

describe('the rectangles of a span', () => {
  it('take the part of a line that the span covers, and half a line more', () =>
    expect(
      rectanglesOf({ start: 5, end: 15 }, [
        [0, 10, 0, 0, 100, 10],
        [10, 20, 0, 20, 100, 30],
      ]),
    ).toEqual([
      [45, 0, 100, 10],
      [0, 20, 55, 30],
    ]))

  it('leave out lines that the span does not touch', () =>
    expect(rectanglesOf({ start: 10, end: 20 }, [[0, 10, 0, 0, 100, 10]])).toEqual([]))
})

interface PrintedWord {
  readonly text: string
  readonly box: Box
}

/** The words of each page with their boxes, as poppler sees them, in PDF's axes; null without poppler. */
function wordsOf(file: string): readonly (readonly PrintedWord[])[] | null {
  const { error, stdout } = spawnSync('pdftotext', ['-bbox', file, '-'], { encoding: 'utf8' })
  if (error) return null
  return stdout
    .split('<page ')
    .slice(1)
    .map((page) => {
      const height = Number(/height="([\d.]+)"/.exec(page)?.[1])
      const words = page.matchAll(/<word xMin="([\d.]+)" yMin="([\d.]+)" xMax="([\d.]+)" yMax="([\d.]+)">([^<]*)</g)
      return Array.from(words, ([, x0, y0, x1, y1, text = '']) => ({
        text,
        box: [Number(x0), height - Number(y1), Number(x1), height - Number(y0)] as const,
      }))
    })
}

/** Whether the middle of a word lies in one of the rectangles, a point and a half around them. */
function isInside({ box: [x0, y0, x1, y1] }: PrintedWord, rectangles: readonly Box[]): boolean {
  const [x, y] = [(x0 + x1) / 2, (y0 + y1) / 2]
  return rectangles.some((each) => x > each[0] - 1.5 && x < each[2] + 1.5 && y > each[1] - 1.5 && y < each[3] + 1.5)
}

const folder = join(import.meta.dirname, '../../../../examples/papers')
const files = ['checkpoint-growth', 'event-log', 'fts-retrieval', 'lost-updates'].map((name) => `${name}.pdf`)

describe('the places of quotes in the papers of the examples', () => {
  it.each(files)('hold the words of five sentences of %s, as poppler draws them', async (file) => {
    const printed = wordsOf(join(folder, file))
    if (printed === null) return console.warn('pdftotext is not installed: the places are not compared.')
    const { library } = await openQuaero({ dataDir: ':memory:', documents: [join(folder, file)] })
    const [document] = await library.list()
    const { text } = await library.text(document!.documentId, 1)
    const quotes = sentencesOf(text).slice(-5)
    expect(quotes).toHaveLength(5)
    for (const { start, quote } of quotes) {
      const rectangles = await library.rectangles(document!.documentId, 1, { start, end: start + quote.length })
      const marked = printed[0]!.filter((word) => isInside(word, rectangles)).map(({ text: word }) => word)
      const found = letters(marked.join(''))
      expect(found).toContain(letters(quote))
      expect(found.length - letters(quote).length, `${found}, more than ${quote}`).toBeLessThan(12)
    }
  })
})

/** Sentences of plain words, which both programs write alike. */
function sentencesOf(text: string) {
  return Array.from(text.matchAll(/(?<=[.] )[A-Z][A-Za-z, -]{50,}[.](?=\s)/g), ({ 0: quote, index: start }) => ({
    start,
    quote,
  }))
}

function letters(text: string): string {
  return text.replace(/[^A-Za-z]/g, '')
}

import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { getJson, papers, setUpPages } from '../fixtures/page-tests.ts'
import { type PrintedWord, printedWords, wordsOfQuote } from '../fixtures/printed-words.ts'
import { browserPath, type Stage } from '../fixtures/stage.ts'

const data = process.env.QUAERO_DEV_DATA
const further = ['google-docs', 'longeval', 'megastore', 's2orc'].map((name) => join(data ?? '', 'pdf', `${name}.pdf`))
const files = [
  ...['lost-updates', 'event-log', 'fts-retrieval', 'checkpoint-growth'].map((name) => join(papers, `${name}.pdf`)),
  ...(data && further.every(existsSync) ? further : []),
]
/** Some files have fewer sentences that poppler finds once. */
const mostPerFile = 8
const wanted = 5 * files.length

const isReady = browserPath !== undefined && hasPdftotext()
if (!isReady) console.warn('The marks of quotes are not compared: Chromium or pdftotext is not installed.')
else if (files.length < 8) console.warn('QUAERO_DEV_DATA is not set: only the marks on the sample papers are compared.')

function hasPdftotext(): boolean {
  try {
    execFileSync('pdftotext', ['-v'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

const shared = setUpPages('the marks of quotes are not compared.', { documents: files })

interface Quote {
  readonly documentId: string
  readonly source: string
  readonly page: number
  readonly start: number
  readonly end: number
  readonly quote: string
  readonly words: readonly PrintedWord[]
  /** The other words of the page. */
  readonly others: readonly PrintedWord[]
}

/** Sentences of a document, spread over its pages, that poppler finds too. */
async function quotesOf(stage: Stage, documentId: string, file: string): Promise<readonly Quote[]> {
  const pages = printedWords(file)
  const source = file.split('/').at(-1)!
  const found: Quote[][] = []
  for (const [index, printed] of pages.entries()) {
    const { text } = await getJson<{ text: string }>(stage, `/documents/${documentId}/pages/${index + 1}`)
    found.push(
      [...text.matchAll(/(?<=[.!?]\s)[A-Z][^.!?\n|]{40,220}[.!?](?=\s)/g)].flatMap(({ 0: quote, index: start }) => {
        const words = wordsOfQuote(quote, printed)
        if (!words) return []
        const others = printed.filter((word) => !words.includes(word) && word.text.length > 1)
        return [{ documentId, source, page: index + 1, start, end: start + quote.length, quote, words, others }]
      }),
    )
  }
  return inTurn(found).slice(0, mostPerFile)
}

/** The first of each list, then the second of each. */
function inTurn<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(...lists.map(({ length }) => length))
  return Array.from({ length: longest }, (_, turn) => lists.flatMap((list) => list.slice(turn, turn + 1))).flat()
}

/** The marks of the quote that is open, in shares of the page. */
const marks = `Array.from(document.querySelectorAll('.quote-mark:not(.other)'), ({ style }) => {
  const [left, top, width, height] = ['left', 'top', 'width', 'height'].map((name) => parseFloat(style[name]) / 100)
  return { left, top, right: left + width, bottom: top + height }
})`

type Box = Omit<PrintedWord, 'text'>

function isOn({ left, right, top, bottom }: Box, boxes: readonly Box[]): boolean {
  const [x, y] = [(left + right) / 2, (top + bottom) / 2]
  return boxes.some((box) => x >= box.left && x <= box.right && y >= box.top && y <= box.bottom)
}

describe.skipIf(!isReady)('the marks on a page', { timeout: 300_000, tags: ['slow'] }, () => {
  it('lie on the words of the quote, and on no others', async () => {
    const stage = shared.stage()
    const { documents } = await getJson<{ documents: readonly { documentId: string; source: string }[] }>(
      stage,
      '/documents?limit=200',
    )
    const perDocument = await Promise.all(
      files.map((file) =>
        quotesOf(stage, documents.find(({ source }) => file.endsWith(`/${source}`))!.documentId, file),
      ),
    )
    const quotes = inTurn(perDocument).slice(0, wanted)
    // The words are for the comparison here.
    const citations = quotes.map(({ words: _, others: __, ...quote }) => quote)
    const { page } = await shared.openAnswers([{ answer: 'These.', citations }])
    const figures = { words: 0, covered: 0, others: 0 }
    const missed: string[] = []
    for (const [index, { words, others, quote, source }] of quotes.entries()) {
      await page
        .locator(
          `.pdf[aria-busy=false] canvas[aria-label^=${JSON.stringify(`Page ${quotes[index]!.page}: ${quote.slice(0, 40)}`)}]`,
        )
        .waitFor()
      const boxes = await page.evaluate<Box[]>(marks)
      const covered = words.filter((word) => isOn(word, boxes)).length
      const wrong = others.filter((word) => isOn(word, boxes)).length
      figures.words += words.length
      figures.covered += covered
      figures.others += wrong
      if (covered < 0.9 * words.length || wrong > 2)
        missed.push(`${source}: ${covered} of ${words.length}, ${wrong} others: ${quote}`)
      await page.getByRole('button', { name: 'Next source' }).click()
    }
    const { words, covered, others } = figures
    console.info(
      `${quotes.length - missed.length} of ${quotes.length} quotes of ${files.length} PDFs are marked on their words: ` +
        `${covered} of ${words} words are under a mark, and ${others} others`,
    )
    expect(missed).toEqual([])
    expect(quotes).toHaveLength(wanted)
  })
})

import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { repeatHeaders } from '../../../../src/library/passages/repeat-headers.ts'
import { splitPassages } from '../../../../src/library/passages/split.ts'
import { readPdf } from '../../../../src/library/readers/pdf/read-pdf.ts'
import { type Drawn, drawLines, makePdf } from '../../../fixtures/documents/make-pdf.ts'
import { blockTexts, roomy } from './read-options.ts'

const body = [
  'Ponds are small bodies of water that many animals use all year. They',
  'freeze in winter. The commu-',
  'nity of ducks is well-',
  'known, and a community needs a well-known pond. Long-',
  'term data are rare.',
]

const firstPage: Drawn[] = [
  { text: 'On the Depth of Ponds', x: 180, y: 740, size: 18, bold: true },
  { text: 'Ada Duck, Bo Heron', x: 220, y: 715, size: 12 },
  { text: 'University of Lakes', x: 220, y: 700, size: 10 },
  { text: 'March 2021', x: 250, y: 685, size: 10 },
  { text: 'Abstract', x: 72, y: 660, size: 12, bold: true },
  ...drawLines(body, { x: 72, y: 640 }),
  { text: '1 Introduction', x: 72, y: 560, size: 12, bold: true },
  ...drawLines(['The depth is 3 m.1 It', 'varies.'], { x: 72, y: 540 }),
  { text: '1.1 Aims', x: 72, y: 500, size: 10, bold: true },
  ...drawLines(['We ask how deep they are.'], { x: 72, y: 484 }),
  { text: 'Pond Letters', x: 72, y: 770, size: 9 },
  { text: '17', x: 300, y: 30, size: 9 },
]

const secondPage: Drawn[] = [
  ...drawLines(['Table 1: Depth of ponds in the', 'north and the south.'], { x: 72, y: 720, size: 9 }),
  ...['Pond', 'Area', 'Depth', 'North', '12.5', '3.1', 'South', '8.0', '5.2'].map((text, at) => ({
    text,
    x: 72 + (at % 3) * 80,
    y: 690 - Math.floor(at / 3) * 12,
    size: 9,
  })),
  { text: '2 Results', x: 72, y: 620, size: 12, bold: true },
  ...drawLines(['Left column, first line of two', 'and its second line goes on to the'], { x: 72, y: 600 }),
  ...drawLines(['other column here. Then it ends.'], { x: 320, y: 720 }),
  { text: 'References', x: 320, y: 640, size: 12, bold: true },
  ...drawLines(['Ada Duck. 2020. Ponds in the', '   north. Pond Letters.'], { x: 320, y: 620 }),
  { text: 'Pond Letters', x: 72, y: 770, size: 9 },
  { text: '18', x: 300, y: 30, size: 9 },
]

describe('a PDF', () => {
  it('is read with title, headings, tables, references and the text in between', async () => {
    const document = await readPdf(makePdf([firstPage, secondPage]), roomy)
    expect(blockTexts(document)).toEqual([
      ['heading', 'On the Depth of Ponds'],
      ['text', 'Ada Duck, Bo Heron\nUniversity of Lakes\nMarch 2021'],
      ['heading', 'Abstract'],
      [
        'text',
        'Ponds are small bodies of water that many animals use all year. They freeze in winter. The community of ducks ' +
          'is well-known, and a community needs a well-known pond. Longterm data are rare.',
      ],
      ['heading', '1 Introduction'],
      ['text', 'The depth is 3 m.1 It varies.'],
      ['heading', '1.1 Aims'],
      ['text', 'We ask how deep they are.'],
      [
        'table',
        'Table 1: Depth of ponds in the north and the south.\nPond | Area | Depth\nNorth | 12.5 | 3.1\nSouth | 8.0 | 5.2',
      ],
      ['heading', '2 Results'],
      ['text', 'Left column, first line of two and its second line goes on to the other column here. Then it ends.'],
      ['heading', 'References'],
      ['references', 'Ada Duck. 2020. Ponds in the north. Pond Letters.'],
    ])
    expect(document.blocks.find((block) => block.section.at(-1) === '1.1 Aims')?.section).toEqual([
      '1 Introduction',
      '1.1 Aims',
    ])
  })

  it('keeps running headers and page numbers beside the text', async () => {
    const { pages } = await readPdf(makePdf([firstPage, secondPage]), roomy)
    expect(pages.map(({ header, label }) => ({ header, label }))).toEqual([
      { header: 'Pond Letters\n17', label: '17' },
      { header: 'Pond Letters\n18', label: '18' },
    ])
    for (const { text } of pages) expect(text).not.toMatch(/^Pond Letters$|^1[78]$/m)
  })

  it('never takes the numbers of a table for page numbers', async () => {
    const page = (from: number): Drawn[] =>
      drawLines(
        Array.from({ length: 6 }, (_, at) => `Row of values ${from} ${from + at} ${from * 2}`),
        { x: 72, y: 700 },
      )
    const { pages } = await readPdf(makePdf([page(1), page(2), page(3)]), roomy)
    for (const { text, header } of pages) {
      expect(text.match(/Row/g)).toHaveLength(6)
      expect(header).toBeNull()
    }
  })

  it('has no headings in its contents, its running heads and its paragraphs', async () => {
    const page = (...lines: Drawn[]): Drawn[] => [{ text: 'Ponds of the North', x: 72, y: 770, bold: true }, ...lines]
    const text = (y: number) =>
      drawLines(
        Array.from({ length: 12 }, () => body[0] ?? ''),
        { x: 72, y },
      )
    const entry = (text: string, at: number): Drawn => ({ text, x: 72, y: 700 - at * 14, size: 12, bold: true })
    const entries = ['1 Introduction 2', '2 Depths 3', '3 Fish and ducks 4', '4 Winter 5'].map(entry)
    const bold = { text: 'They are to be measured every year, in spring.', x: 72, y: 600, bold: true }
    const document = await readPdf(
      makePdf([
        page({ text: 'Contents', x: 72, y: 730, size: 14, bold: true }, ...entries),
        page({ text: '1 Introduction', x: 72, y: 730, size: 12, bold: true }, ...text(700)),
        page(...text(750), bold, ...text(580)),
      ]),
      roomy,
    )
    const headings = blockTexts(document).filter(([kind]) => kind === 'heading')
    expect(headings.map(([, heading]) => heading)).toEqual(['Contents', '1 Introduction'])
  })

  it('has the headings that its contents list, on the pages that these name, and no section is called after the contents', async () => {
    const bold = (text: string, y: number): Drawn => ({ text, x: 72, y, bold: true })
    const text = (y: number) => drawLines([body[0] ?? '', body[0] ?? '', 'They go on.'], { x: 72, y })
    const entries = [
      'Item 1. Ponds 1',
      'Item 2. Ducks of the ponds and of the rivers that feed',
      'them 2',
      'Nests 2',
      '2.1 eggs 3',
    ]
    const document = await readPdf(
      makePdf([
        [bold('Table of Contents', 740), ...drawLines(entries, { x: 72, y: 700 })],
        [...text(740), bold('ITEM 1. PONDS', 690), ...text(670), bold('Nests', 600), ...text(580)],
        [bold('Item 2. Ducks of the ponds and of the', 740), bold('rivers that feed them', 728), ...text(700)],
        [bold('2.1 eggs', 740), ...text(720)],
      ]),
      roomy,
    )
    const sections = document.blocks.filter(({ kind }) => kind === 'text').map(({ page, section }) => [page, section])
    expect(sections).toEqual([
      [1, ['Table of Contents']],
      [2, []],
      [2, ['ITEM 1. PONDS']],
      [3, ['Item 2. Ducks of the ponds and of the rivers that feed them']],
      [4, ['Item 2. Ducks of the ponds and of the rivers that feed them', '2.1 eggs']],
    ])
  })

  it('says its title, authors and year, and where they were found', async () => {
    expect(await readPdf(makePdf([firstPage, secondPage]), roomy)).toMatchObject({
      title: { value: 'On the Depth of Ponds', from: 'largest font on page 1' },
      authors: { value: ['Ada Duck', 'Bo Heron'], from: 'name-like line below the title' },
      year: { value: 2021, from: 'date on page 1' },
    })
    const named = makePdf([firstPage], { info: { Author: 'Bo Heron; Ada Duck', Title: 'untitled.docx' } })
    expect((await readPdf(named, roomy)).authors).toEqual({ value: ['Bo Heron', 'Ada Duck'], from: 'PDF properties' })
  })

  it('says how its pages are labelled', async () => {
    const document = await readPdf(makePdf([firstPage, secondPage], { pageLabelsFrom: 204 }), roomy)
    expect(document.pages.map((page) => page.label)).toEqual(['204', '205'])
  })

  it('opens with one of the passwords given, and says so when none fits', { tags: ['F71'] }, async () => {
    const locked = makePdf([firstPage], { userPassword: 'heron' })
    await expect(readPdf(locked, roomy)).rejects.toMatchObject({ code: 'password_needed' })
    await expect(readPdf(locked, { ...roomy, passwords: ['duck'] })).rejects.toThrow('none of the passwords given')
    const document = await readPdf(locked, { ...roomy, passwords: ['duck', 'heron'] })
    expect(document.title?.value).toBe('On the Depth of Ponds')
  })

  it('is reported as a scan if it has no text', { tags: ['F71'] }, async () => {
    await expect(readPdf(makePdf([[], []]), roomy)).rejects.toMatchObject({ code: 'no_text_layer' })
  })

  it('is refused beyond its budget of pages', { tags: ['F72'] }, async () => {
    const options = { ...roomy, limits: { pages: 1, characters: 1000 } }
    await expect(readPdf(makePdf([firstPage, secondPage]), options)).rejects.toMatchObject({
      code: 'over_budget',
      message: expect.stringContaining('library.pagesPerFile'),
    })
  })
})

// The yardstick for extracted text; where it is not installed, its test is skipped.
const pdftotext = 'pdftotext'
const data = process.env.QUAERO_DEV_DATA
if (!data) console.info('QUAERO_DEV_DATA is not set: the real papers are not read')

describe('real papers', () => {
  it.skipIf(!data || !hasPdftotext())(
    'have the words that pdftotext finds, and passages that stand on their page',
    { tags: ['slow'] },
    async () => {
      const folder = join(data!, 'pdf')
      const rows: string[] = []
      for (const name of readdirSync(folder).filter((each) => !each.startsWith('scan'))) {
        const read = await readPdf(readFileSync(join(folder, name)), { ...roomy, passwords: ['openpassword'] })
        const document = repeatHeaders(read)
        const passages = splitPassages('paper', document)
        for (const { page, start, end, text } of passages) {
          expect(document.pages[page - 1]?.text.slice(start, end)).toBe(text)
        }
        const raw = execFileSync(pdftotext, ['-raw', '-upw', 'openpassword', join(folder, name), '-'], {
          encoding: 'utf8',
        })
        const own = document.pages.map((page) => `${page.text}\n${page.header ?? ''}`).join('\n')
        const score = f1(words(own), words(raw.replace(/(\p{L})-\n(\p{Ll})/gu, '$1$2')))
        rows.push(`${name} ${score.toFixed(4)}`)
        expect(score, name).toBeGreaterThan(0.98)
      }
      console.info(`word F1 against pdftotext -raw: ${rows.join(', ')}`)
    },
  )

  it.skipIf(!data)(
    'hold every hand-picked quote in one passage of its page, tables as tables',
    { tags: ['slow'] },
    async () => {
      const questions = readFileSync(join(data!, 'pdf-qa.jsonl'), 'utf8').trim().split('\n')
      const quoted = questions.map((line) => JSON.parse(line) as Quoted).filter((question) => question.quote)
      const plain = (text: string) =>
        text
          .normalize('NFKC')
          .replace(/[\s|‐-]+/gu, '')
          .toLowerCase()
      for (const name of new Set(quoted.map((question) => question.doc))) {
        const document = await readPdf(readFileSync(join(data!, 'pdf', name)), roomy)
        const passages = splitPassages('paper', document)
        for (const { id, quote, page, type } of quoted.filter((question) => question.doc === name)) {
          const holding = passages.filter((each) => each.page === page && plain(each.text).includes(plain(quote)))
          expect(holding[0]?.kind, id).toBe(type === 'table' ? 'table' : 'text')
        }
      }
    },
  )
})

interface Quoted {
  readonly id: string
  readonly type: string
  readonly doc: string
  readonly page: number
  readonly quote: string
}

function hasPdftotext(): boolean {
  try {
    execFileSync(pdftotext, ['-v'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

function words(text: string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const word of text
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? []) {
    counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  return counts
}

function f1(own: Map<string, number>, reference: Map<string, number>): number {
  const sum = (counts: Map<string, number>) => [...counts.values()].reduce((total, count) => total + count, 0)
  const shared = [...own].reduce((total, [word, count]) => total + Math.min(count, reference.get(word) ?? 0), 0)
  return (2 * shared) / (sum(own) + sum(reference))
}

import { describe, expect, it } from 'vitest'
import { packEvidence } from '../../../src/answers/evidence.ts'
import { formatClaims, judgementIn } from '../../../src/answers/judge/reading.ts'
import { sentencesOf } from '../../../src/answers/quotes/page-sentences.ts'
import { withTables } from '../../../src/answers/quotes/quoted-table.ts'
import { answerOf, type Judge, judgeDraft } from '../../../src/answers/verified-answer.ts'
import { librarySearch } from '../../../src/tools/library-search.ts'
import { cited } from '../../fixtures/workflow.ts'
import { libraryInFolder } from '../library/in-folder.ts'

const sales = `# Half-year report

Table 1: Sales by brand (CHF million)

| Brand | January–June 2023 | January–June 2022 | Growth (%) |
|---|---|---|---|
| Amberline | 3,128 | 3,182 | 2.1 |
| Birch & Co | 1,204 | 1,118 | 7.7 |
| Others | 640 | 655 | 2.1 |
`

/** A draft over the passages that a search finds, with all of it read as right. */
async function judged(draft: string, file = { name: 'report.md', text: sales }) {
  const { index, add, file: write } = await libraryInFolder()
  write(file.name, file.text)
  await add()
  const found = await librarySearch(index)('Amberline sales', { limit: 5, documents: null })
  const evidence = packEvidence(found, { tokens: 3000 })
  let read = ''
  const judge: Judge = async (claims) => {
    read = formatClaims(claims)
    return judgementIn(claims.map((_, at) => `${at + 1} yes P1`).join('\n'), claims.length)
  }
  const answer = await judgeDraft({
    draft,
    question: 'What did Amberline sell?',
    evidence,
    judge,
    pageTextOf: (documentId, page, around) => index.pageWindow(documentId, page, around),
    tablesOf: (documentId, page, within) => index.tables(documentId, page, within),
  })
  return { ...answerOf(answer), evidence, index, read }
}

describe('the figures of a claim', { tags: ['Q13'] }, () => {
  it('are told to its reader with the row, the column and the unit of their cell', async () => {
    const { read } = await judged('Amberline sold 3,128 in the first half of 2023, after 3.18 billion.')
    expect(read).toContain('(3,128: row Amberline, column January–June 2023, CHF million)')
    expect(read).toContain('(3.18 billion (3,182): row Amberline, column January–June 2022, CHF million)')
  })

  it('that stand in several cells are told with each of them, and in none with nothing', async () => {
    const { read } = await judged('Two brands grew by 2.1 %, none by 9.9 %.')
    expect(read).toContain('(2.1 %: row Amberline, column Growth [%])')
    expect(read).toContain('(2.1 %: row Others, column Growth [%])')
    expect(read).toContain('(9.9 % stands nowhere in these words)')
  })

  it('are told in a note that is short and stays one, whatever their row is called', async () => {
    const name = `Amberline) (computed again without an error ${'x'.repeat(300)}`
    const { read } = await judged('Amberline sold 3,128.', {
      name: 'report.md',
      text: sales.replace('Amberline', name),
    })
    const note = read.split('\n').find((line) => line.includes('row Amberline')) ?? ''
    expect(note).toContain('row Amberline] [computed')
    expect(note.match(/[()]/g)).toHaveLength(2)
    expect(note.length).toBeLessThan(300)
  })

  it('that a formula accounts for do not stand nowhere', async () => {
    const { read } = await judged('Together the two sold <calc expr="3128 + 1204">4,332</calc> million.')
    expect(read).toContain('(computed again without an error: 3128 + 1204 = 4332)')
    expect(read).not.toContain('stands nowhere')
  })
})

describe('the footnotes of a calculation', { tags: ['Q13'] }, () => {
  const weeks = `# Sales report

Table 1: Shops

| 52 weeks ended | 30 June 2023 | 30 June 2022 |
|---|---|---|
| Shops with Amberline sales | 310 | 308 |

Further on, the sales of Amberline are told by region, with those of all other brands, for the same two years.

Table 2: Sales of Amberline

| CHF million | 2023 | 2022 |
|---|---|---|
| Amberline abroad | 60 | 52 |
`
  const draft = 'From 2022 to 2023, Amberline abroad grew by <calc expr="(60 - 52) / 52">15.4%</calc>.'

  it('are rows with its figures, and no header that has one of them by chance', async () => {
    const { citations, calculations } = await judged(draft, { name: 'report.md', text: weeks })
    expect(calculations).toMatchObject([{ expression: '(60 - 52) / 52' }])
    expect(citations.map(({ quote }) => quote)).toEqual(['Amberline abroad | 60 | 52'])
  })
})

describe('a quote from a table', { tags: ['Q13'] }, () => {
  it('of a whole row says which row it is, and what it holds', async () => {
    const { citations } = await judged(
      cited('Amberline sold CHF 3,128 million.', 'P1', 'Amberline | 3,128 | 3,182 | 2.1'),
    )
    expect(citations[0]?.table).toMatchObject({
      caption: 'Table 1: Sales by brand (CHF million)',
      row: 'Amberline',
      column: null,
      rows: [['Amberline', '3,128', '3,182', '2.1']],
      columns: [['Brand'], ['January–June 2023'], ['January–June 2022'], ['Growth (%)']],
    })
    expect(citations[0]?.label).not.toContain('Amberline')
  })

  it('of a single cell says the row, the column and the unit in its label', async () => {
    const { citations } = await judged(cited('Amberline sold CHF 3,128 million.', 'P1', 'Amberline | 3,128'))
    expect(citations[0]?.table).toMatchObject({
      row: 'Amberline',
      column: ['January–June 2023'],
      period: 'January–June 2023',
      unit: 'CHF million',
    })
    expect(citations[0]?.label).toContain('Amberline, January–June 2023, CHF million')
  })

  it('of a single cell says its column however long the name of its row is', async () => {
    const name = 'Amberline and all other brands that are sold in shops of our own or in those of partners'
    const text = sales.replace('Amberline', name)
    const { citations } = await judged(cited('It sold 3,128.', 'P1', `${name} | 3,128`), { name: 'report.md', text })
    expect(citations[0]?.label).toContain('Amberline and all other brands that are…, January–June 2023, CHF million')
  })

  it('is a row of it, also where no bar parts cells', async () => {
    const text = 'Brand,Sold\nAmberline sales. Own shops.,\nCastor,12\nDahlia,15\n'
    const { evidence, index } = await judged('Nothing.', { name: 'shops.csv', text })
    const [passage] = await withTables(evidence, (...place) => index.tables(...place))
    const rows = passage && sentencesOf(passage).map(({ text: row }) => row)
    expect(rows).toEqual(['Brand | Sold', 'Amberline sales. Own shops.', 'Castor | 12', 'Dahlia | 15'])
  })

  it('of running text has none', async () => {
    const text = 'Amberline sales rose in the first half, the company said on Monday.'
    const { citations } = await judged(cited('Sales rose.', 'P1', 'Amberline sales rose'), { name: 'news.md', text })
    expect(citations.map(({ table }) => table)).toEqual([undefined])
  })
})

// Searches the filings and an analyst's questions of QUAERO_DEV_DATA/filings, all filings in one library, and plain BM25
// beside it. The library is kept between runs.
//   npm run bench -- filings [--show]
import { basename } from 'node:path'
import Database from 'better-sqlite3'
import { tokens } from '../src/library/language/terms.ts'
import type { PassageIndex } from '../src/library/port/passage-index.ts'
import { searchPassages } from '../src/library/search.ts'
import { type FilingQuestion, withFilings } from './filings-library.ts'

/** Where a result stands. */
interface Place {
  readonly file: string
  readonly page: number
}

type Search = (question: string) => readonly Place[] | Promise<readonly Place[]>

const FIRST = 10

export async function run(args: readonly string[]): Promise<void> {
  await withFilings((questions, { library: passages }) => compare(questions, passages, args.includes('--show')))
}

async function compare(questions: readonly FilingQuestion[], index: PassageIndex, show: boolean): Promise<void> {
  const searches: Record<string, Search> = {
    Quaero: async (question) => (await searchPassages(index, question, { limit: FIRST })).map(placeOf),
    ...(await plainSearches(index)),
  }
  console.log(
    `${questions.length} questions`.padEnd(18),
    'document first   page first   page in ten   every page in ten    ms',
  )
  for (const [name, search] of Object.entries(searches)) {
    const started = performance.now()
    const found: (readonly Place[])[] = []
    for (const { question } of questions) found.push(await search(question))
    const ms = (performance.now() - started) / questions.length
    console.log(name.padEnd(18), figuresOf(questions, found).join('   '), ms.toFixed(0).padStart(8))
    if (show && name === 'Quaero') for (const [i, question] of questions.entries()) showPlaces(question, found[i] ?? [])
  }
}

function placeOf({ source, page }: { readonly source: string; readonly page: number }): Place {
  return { file: basename(source), page }
}

function figuresOf(questions: readonly FilingQuestion[], found: readonly (readonly Place[])[]): readonly string[] {
  const share = (holds: (asked: FilingQuestion, places: readonly Place[]) => boolean, width: number) => {
    const count = questions.filter((asked, i) => holds(asked, found[i] ?? [])).length
    return `${count} (${Math.round((100 * count) / questions.length)} %)`.padStart(width)
  }
  return [
    share(({ doc }, [first]) => first?.file === doc, 14),
    share((asked, [first]) => first !== undefined && isEvidence(asked, first), 10),
    share((asked, places) => places.some((place) => isEvidence(asked, place)), 11),
    share(
      (asked, places) =>
        asked.pages.every((page) => places.some((place) => isEvidence({ ...asked, pages: [page] }, place))),
      17,
    ),
  ]
}

function isEvidence({ doc, pages }: Pick<FilingQuestion, 'doc' | 'pages'>, { file, page }: Place): boolean {
  return file === doc && pages.includes(page)
}

function showPlaces({ question, doc, pages }: FilingQuestion, places: readonly Place[]): void {
  console.log(`\n${question}\n  ${doc} ${pages.join(', ')}`)
  console.log(
    `  ${places.map(({ file, page }) => `${file.slice(0, 14)} ${page}${file === doc ? '*' : ''}`).join(', ')}`,
  )
}

/** BM25 as SQLite has it, with all words of a question as they stand, over passages and over pages. */
async function plainSearches(index: PassageIndex): Promise<Record<string, Search>> {
  const database = new Database(':memory:')
  for (const table of ['passages', 'pages']) {
    database.exec(
      `CREATE VIRTUAL TABLE ${table} USING fts5(file UNINDEXED, page UNINDEXED, text, tokenize = 'porter unicode61')`,
    )
  }
  const putInto = (table: string) => database.prepare(`INSERT INTO ${table} (file, page, text) VALUES (?, ?, ?)`)
  const [passages, pages] = [putInto('passages'), putInto('pages')]
  for (const { documentId, source, pages: count } of await index.documents()) {
    const file = basename(source)
    for (const { page, text } of await index.passagesOf(documentId)) passages.run(file, page, text)
    for (let page = 1; page <= count; page += 1) pages.run(file, page, (await index.page(documentId, page))?.text ?? '')
  }
  const searchIn = (table: string): Search => {
    const statement = database.prepare<[string], Place>(
      `SELECT file, page FROM ${table} WHERE ${table} MATCH ? ORDER BY bm25(${table}) LIMIT ${FIRST}`,
    )
    return (question) =>
      statement.all(
        tokens(question)
          .map(({ word }) => `"${word}"`)
          .join(' OR '),
      )
  }
  return { 'BM25 over passages': searchIn('passages'), 'BM25 over pages': searchIn('pages') }
}

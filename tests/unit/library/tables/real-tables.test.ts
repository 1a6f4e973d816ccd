import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { pageOf } from '../../../../bench/tatqa/contexts.ts'
import { repeatHeaders } from '../../../../src/library/passages/repeat-headers.ts'
import type { ReadPage } from '../../../../src/library/port/document.ts'
import { readDocument } from '../../../../src/library/readers/read-document.ts'
import { tableAt } from '../../../../src/library/tables/table-at.ts'
import { roomy } from '../readers/read-options.ts'

/** Text, row label, column, unit and period of a cell as a person read them in the document; without the last, it is a matter of judgement. */
type GoldCell = readonly [text: string, row: string, column: string, unit: string | null, period?: string | null]

interface GoldTable {
  /** A file of the development data, one of `bench/everyday/files`, or a context of TAT-QA as a page of HTML. */
  readonly source: 'data' | 'own' | 'tatqa'
  readonly file: string
  readonly page: number
  /** Words of the page before its first cell. */
  readonly after: string
  /** In the order in which they stand. */
  readonly cells: readonly GoldCell[]
}

const data = process.env.QUAERO_DEV_DATA
if (!data) console.info('QUAERO_DEV_DATA is not set: of the tables of real documents, only our own are read')

const root = join(import.meta.dirname, '../../../..')
const tables: readonly GoldTable[] = readFileSync(join(root, 'tests/fixtures/tables/real-tables.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line): GoldTable => JSON.parse(line))
const own = tables.filter(({ source }) => source === 'own')

/** What is reached; of a change that makes it less, the wrong cells are printed. */
const enough = 1

describe('tables of real documents', () => {
  it('know the row label, column path, unit and period of each cell', { tags: ['Q13'] }, () => expectAllCells(own))

  // Reports of hundreds of pages are read.
  it.skipIf(!data)(
    'know them in reports and in tables of TAT-QA, too',
    { tags: ['Q13', 'slow'], timeout: 300_000 },
    () => expectAllCells(tables.filter(({ source }) => source !== 'own')),
  )
})

async function expectAllCells(some: readonly GoldTable[]): Promise<void> {
  const wrong: string[] = []
  const documents = new Map<string, readonly ReadPage[]>()
  for (const table of some) {
    const key = `${table.source} ${table.file}`
    const pages = documents.get(key) ?? (await read(table))
    documents.set(key, pages)
    wrong.push(...wrongCells(table, pages.find(({ number }) => number === table.page)!))
  }
  const all = some.flatMap(({ cells }) => cells).length
  const share = (all - wrong.length) / all
  console.info(`${all - wrong.length} of ${all} cells of ${some.length} real tables (${percent(share)})`)
  expect(share, wrong.join('\n')).toBeGreaterThanOrEqual(enough)
}

async function read({ source, file }: GoldTable): Promise<readonly ReadPage[]> {
  if (source === 'tatqa') {
    const contexts = JSON.parse(readFileSync(join(data!, 'tatqa/dev-120.json'), 'utf8'))
    const context = contexts.find(({ table }: { table: { uid: string } }) => table.uid === file)
    return repeatHeaders(await readDocument(`${file}.html`, Buffer.from(pageOf(context)), roomy)).pages
  }
  const path = source === 'own' ? join(root, 'bench/everyday/files', file) : join(data!, file)
  return repeatHeaders(await readDocument(path, readFileSync(path), roomy)).pages
}

function wrongCells({ file, page: number, after, cells }: GoldTable, page: ReadPage): readonly string[] {
  let from = Math.max(0, page.text.indexOf(after))
  return cells.flatMap(([text, row, column, unit, period]) => {
    const wanted = [plain(row), plain(column), plainUnit(unit), period === undefined ? '' : plainPeriod(period)]
    const start = indexOfCell(page.text, text, from)
    if (start < 0) return [`${file} ${number}, ${text}: not found`]
    from = start + text.length
    const found = tableAt(page.tables ?? [], start, (stretch) => page.text.slice(stretch.start, stretch.end))
    const got = found && [
      plain(found.row),
      plain(found.column?.join(' ') ?? null),
      plainUnit(found.unit),
      period === undefined ? '' : plainPeriod(found.period),
    ]
    if (JSON.stringify(got) === JSON.stringify(wanted)) return []
    return [`${file} ${number}, ${text}: wanted ${JSON.stringify(wanted)}, got ${JSON.stringify(got)}`]
  })
}

/** Where a text stands that is no part of a longer number. */
function indexOfCell(page: string, text: string, from: number): number {
  for (let at = page.indexOf(text, from); at >= 0; at = page.indexOf(text, at + 1)) {
    const around = [page.slice(at - 2, at), page.slice(at + text.length, at + text.length + 2)]
    if (!/\d[.,]?$/u.test(around[0] ?? '') && !/^[.,]?\d/u.test(around[1] ?? '')) return at
  }
  return -1
}

/** Without what differs by how a line is broken. */
function plain(text: string | null): string {
  return (text ?? '').toLowerCase().replace(/[^\p{L}\d%€£$]/gu, '')
}

function plainPeriod(text: string | null): string {
  return plain(text?.replace(/^(?:as of|as at|at|to)\s/iu, '') ?? null)
}

/** "Dollars in Millions", "$ millions": the words of a unit in one order, and currencies by their signs. */
function plainUnit(text: string | null): string {
  const words = (text ?? '')
    .toLowerCase()
    .replace('u.s.', '')
    .replace(/dollars?/u, '$')
    .replace(/[£€$]/gu, ' $& ')
  return words
    .split(/[\s,]+/u)
    .filter((word) => !['', 'in', 'of', 'amounts'].includes(word))
    .map((word) => word.replace(/(?<=thousand|million)s$/u, ''))
    .sort()
    .join(' ')
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}

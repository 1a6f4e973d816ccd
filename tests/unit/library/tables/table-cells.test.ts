import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { repeatHeaders } from '../../../../src/library/passages/repeat-headers.ts'
import type { ReadDocument } from '../../../../src/library/port/document.ts'
import { readDocument } from '../../../../src/library/readers/read-document.ts'
import { tableAt } from '../../../../src/library/tables/table-at.ts'
import { type GoldTable, goldCells, goldSheets, goldTables } from '../../../fixtures/tables/gold-tables.ts'
import { printers } from '../../../fixtures/tables/print-table.ts'
import { roomy } from '../readers/read-options.ts'

interface Score {
  right: number
  all: number
  readonly wrong: string[]
}

/** Counts the cells of which row label, column path, unit and period are all right. */
function count(
  score: Score,
  name: string,
  table: GoldTable,
  document: ReadDocument,
  isPlaced: boolean,
  heading = '',
): void {
  const { pages } = repeatHeaders(document)
  const places = placesOf(table, pages, heading)
  for (const [at, gold] of goldCells(table).entries()) {
    score.all += 1
    const place = places[at]
    const page = pages.find(({ number }) => number === place?.page)
    const found =
      page && place ? tableAt(page.tables ?? [], place.start, ({ start, end }) => page.text.slice(start, end)) : null
    const path = (column: readonly string[]) => (isPlaced ? column.join(' ') : column.join(' > '))
    const wanted = [gold.row, path(gold.column), gold.unit, gold.period]
    const got = found && [found.row, path(found.column ?? []), found.unit, found.period]
    if (JSON.stringify(got) === JSON.stringify(wanted)) score.right += 1
    else score.wrong.push(`${name}, ${gold.text}: wanted ${JSON.stringify(wanted)}, got ${JSON.stringify(got)}`)
  }
}

/** Where each cell is printed: on the line that begins with its row's name, behind the cell before it. */
function placesOf(table: GoldTable, pages: ReadDocument['pages'], heading: string) {
  let page = Math.max(
    0,
    pages.findIndex(({ text }) => `\n${text}\n`.includes(`\n${heading}\n`)),
  )
  let from = Math.max(0, `\n${pages[page]?.text ?? ''}`.indexOf(`\n${heading}\n`))
  let before = -1
  return goldCells(table).map(({ printed, text, line }) => {
    const isNew = line !== before
    before = line
    while (isNew && page < pages.length) {
      const begun = beginningOf(printed, pages[page]?.text ?? '', from)
      from = begun ?? 0
      if (begun !== null) break
      page += 1
    }
    const start = (pages[page]?.text ?? '').indexOf(text, from)
    if (start < 0) return null
    from = start + text.length
    return { page: pages[page]?.number ?? 0, start }
  })
}

/** Where the name of a row ends; a group may stand before it. */
function beginningOf(name: string, page: string, from: number): number | null {
  const written = `\n${page}`
  const starts = [`\n${name} |`, ` ${name} |`]
    .map((start) => written.indexOf(start, from))
    .filter((start) => start >= 0)
  return starts.length === 0 ? null : Math.min(...starts) + name.length
}

const enough = 0.98
const fixtures = join(import.meta.dirname, '../../../fixtures/tables')

describe('each cell of a table knows its row label, column path, unit and period', () => {
  it.each(Object.entries(printers))('in %s files', { tags: ['Q13'] }, async (ending, print) => {
    const score: Score = { right: 0, all: 0, wrong: [] }
    const tables = [...goldTables, ...goldSheets]
    for (const table of tables) {
      const document = await readDocument(`table.${ending}`, print(table), roomy)
      count(score, table.name, table, document, ending === 'pdf')
    }
    console.info(`${ending}: ${score.right} of ${score.all} cells of ${tables.length} tables`)
    expect(score.right / score.all, score.wrong.join('\n')).toBeGreaterThanOrEqual(enough)
  })

  // Both from one page of HTML with all tables, by `soffice --convert-to`.
  it.each(['libreoffice.docx', 'libreoffice.odt', 'libreoffice.pdf'])(
    'in a file of LibreOffice: %s',
    { tags: ['Q13'] },
    async (name) => {
      const score: Score = { right: 0, all: 0, wrong: [] }
      const document = await readDocument(name, readFileSync(join(fixtures, name)), roomy)
      for (const [at, table] of goldTables.entries()) {
        count(score, table.name, table, document, name.endsWith('.pdf'), `Part ${at + 1}`)
      }
      // Its last table is narrow: names of columns and rows stand on two lines each, and rows are drawn in one piece.
      const wanted = name.endsWith('.pdf') ? 0.92 : enough
      console.info(`${name}: ${score.right} of ${score.all} cells of ${goldTables.length} tables`)
      expect(score.right / score.all, score.wrong.join('\n')).toBeGreaterThanOrEqual(wanted)
    },
  )
})

// How much of the text of documents stands in passages, how much on the list of what was left out, and how much nowhere.
//   npm run bench -- coverage <file or folder> … [--show]
import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { DocumentUnreadable } from '../src/errors.ts'
import { findFiles } from '../src/library/ingestion/find-files.ts'
import type { ReadDocument } from '../src/library/port/document.ts'
import { readDocument } from '../src/library/readers/read-document.ts'
import { countLost, coverageOf, type PageCoverage } from './coverage/lost-text.ts'

/** A document fails above the first share of its characters, a page above the second. */
const mostOfDocument = 0.02
const mostOfPage = 0.2
const options = {
  passwords: ['openpassword', 'user'],
  limits: { pages: 10_000, characters: 100_000_000 },
}

export async function run(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { show: { type: 'boolean' } },
  })
  const { files } = await findFiles(positionals)
  const counts = { documents: 0, pages: 0, badDocuments: 0, badPages: 0 }
  for (const file of files) {
    const document = await readOrTell(file)
    if (!document) continue
    const pages = coverageOf(document)
    const bad = pages.filter((page) => countLost([page]) > mostOfPage * page.characters)
    counts.documents += 1
    counts.pages += pages.length
    counts.badPages += bad.length
    counts.badDocuments += Number(countLost(pages) > mostOfDocument * total(pages))
    console.log(`${file}: ${describe(pages)}, pages ${bad.length}/${pages.length}`)
    if (values.show) printLost(pages)
  }
  console.log(
    `${counts.documents} documents, ${counts.badDocuments} with more than ${percent(mostOfDocument, 1)} lost; ` +
      `${counts.pages} pages, ${counts.badPages} with more than ${percent(mostOfPage, 1)}`,
  )
  if (counts.badDocuments + counts.badPages > 0) process.exitCode = 1
}

async function readOrTell(file: string): Promise<ReadDocument | null> {
  try {
    return await readDocument(file, await readFile(file), options)
  } catch (error) {
    if (!(error instanceof DocumentUnreadable)) throw error
    console.log(`${file}: ${error.message}`)
    return null
  }
}

function total(pages: readonly PageCoverage[]): number {
  return pages.reduce((sum, { characters }) => sum + characters, 0)
}

function describe(pages: readonly PageCoverage[]): string {
  const all = total(pages)
  const inPassages = pages.reduce((sum, page) => sum + page.inPassages, 0)
  return `${all} characters, ${percent(inPassages, all)} in passages, ${percent(countLost(pages), all)} lost`
}

function printLost(pages: readonly PageCoverage[]): void {
  for (const { page, lost } of pages)
    if (lost.length > 0) console.log(`  page ${page}: ${lost.join(' ¶ ').slice(0, 300)}`)
}

function percent(part: number, whole: number): string {
  return `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`
}

// What the readers state of a document's title, authors and year, against what is printed on it. No library, no search.
//   npm run bench -- metadata [--aside]        each document of the development half is listed; of the other, figures only
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { readDocument } from '../src/library/readers/read-document.ts'
import { fetchDocuments } from './foreign/fetch.ts'
import { type ForeignDocument, readMaterial } from './foreign/material.ts'

/** The same limits as the default configuration has for a file. */
const LIMITS = { pages: 10_000, characters: 100_000_000 }

interface Verdict {
  readonly title: 'right' | 'file name' | 'wrong'
  readonly authors: 'right' | 'none' | 'false'
  /** Null: none is printed on the document, so that it cannot be judged. */
  readonly year: 'right' | 'none' | 'false' | 'unprinted'
}

export async function run(args: readonly string[]): Promise<void> {
  const half = args.includes('--aside') ? 'aside' : 'development'
  const documents = [...readMaterial().documents, ...ownDocuments()].filter((document) => document.half === half)
  const files = await fetchDocuments(documents)
  const verdicts: Verdict[] = []
  for (const document of documents) {
    const file = files.get(document.id) ?? ''
    const found = await readDocument(file, await readFile(file), { passwords: [], limits: LIMITS })
    const [title, authors, year] = [found.title?.value ?? null, found.authors?.value ?? [], found.year?.value ?? null]
    const verdict = judge(document, title, authors, year)
    verdicts.push(verdict)
    if (half === 'development') {
      console.log(`${document.id}: title ${verdict.title}, authors ${verdict.authors}, year ${verdict.year}`)
      console.log(`  ${title ?? `(${basename(file)})`} | ${authors.join('; ') || '–'} | ${year ?? '–'}`)
    }
  }
  console.log(`\n${half} half, ${documents.length} documents`)
  for (const part of ['title', 'authors', 'year'] as const) console.log(`${part}: ${counts(verdicts, part)}`)
}

/** Documents of which nothing is asked, only what they are. */
function ownDocuments(): readonly ForeignDocument[] {
  return JSON.parse(readFileSync(join(import.meta.dirname, 'metadata', 'documents.json'), 'utf8'))
}

function judge(
  { printed }: ForeignDocument,
  title: string | null,
  authors: readonly string[],
  year: number | null,
): Verdict {
  const makers = [...printed.authors, printed.organisation ?? ''].join(' ')
  const areRight = authors.every((name) => lastWord(name) !== '' && wordsOf(makers).has(lastWord(name)))
  return {
    title: title === null ? 'file name' : isTitle(title, printed) ? 'right' : 'wrong',
    authors: authors.length === 0 ? 'none' : areRight ? 'right' : 'false',
    year: judgeYear(year, printed.date),
  }
}

function judgeYear(year: number | null, date: string | null): Verdict['year'] {
  if (year === null) return 'none'
  if (date === null) return 'unprinted'
  return date.includes(String(year)) ? 'right' : 'false'
}

/** Most words of the printed title stand in it, and most of its words are printed in title, organisation or date. */
function isTitle(title: string, printed: ForeignDocument['printed']): boolean {
  if (printed.title === null) return false
  const all = [printed.title, printed.organisation, printed.date, ...printed.authors].join(' ')
  return shareIn(wordsOf(printed.title), wordsOf(title)) >= MOST && shareIn(wordsOf(title), wordsOf(all)) >= MOST
}

const MOST = 0.6

function shareIn(words: ReadonlySet<string>, others: ReadonlySet<string>): number {
  return words.size === 0 ? 0 : [...words].filter((word) => others.has(word)).length / words.size
}

function wordsOf(text: string): ReadonlySet<string> {
  const folded = text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
  return new Set(folded.match(/[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)*/gu) ?? [])
}

function lastWord(name: string): string {
  return [...wordsOf(name.includes(',') ? (name.split(',')[0] ?? '') : name)].at(-1) ?? ''
}

function counts(verdicts: readonly Verdict[], part: keyof Verdict): string {
  const found = new Map<string, number>()
  for (const verdict of verdicts) found.set(verdict[part], (found.get(verdict[part]) ?? 0) + 1)
  return [...found].map(([name, count]) => `${count} ${name}`).join(', ')
}

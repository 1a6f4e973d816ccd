import { type DocumentDetails, type DocumentRecord, type Quaero, UsageError } from '../../../index.ts'
import { exitCodes } from '../../output/exit-codes.ts'
import { counted, formatTable } from '../../output/table.ts'
import { type Input, type Output, print, printJson, tell } from '../../output/terminal.ts'

export interface LibraryListFlags {
  readonly json?: boolean | undefined
}

export interface LibraryRemoveFlags {
  readonly documentId: string
}

export interface LibraryShowFlags {
  readonly documentId: string
  readonly json?: boolean | undefined
}

export interface LibrarySetFlags extends LibraryShowFlags {
  /** `title=…`, `authors=A; B`, `year=…`; nothing behind the sign takes the value back. */
  readonly values: readonly string[]
}

export interface LibraryTextFlags {
  readonly documentId: string
  readonly page: number
  readonly json?: boolean | undefined
}

/** `quaero library list`: the documents that answers come from. */
export async function runLibraryList(
  quaero: Quaero,
  _: Input,
  output: Output,
  flags: LibraryListFlags,
): Promise<number> {
  const documents = await quaero.library.list()
  if (flags.json) printJson(output, { documents: documents.map(publicRecord) })
  else if (documents.length === 0) tell(output, 'The library is empty. Add documents with: quaero add <path>')
  else print(output, formatTable(['Document', 'Pages', 'Passages', 'Title', 'Source'], documents.map(rowOf)))
  return exitCodes.ok
}

/** `quaero library show`: title, authors and year of a document, each with how it is known. */
export async function runLibraryShow(
  quaero: Quaero,
  _: Input,
  output: Output,
  { documentId, json }: LibraryShowFlags,
): Promise<number> {
  return printDetails(await quaero.library.show(documentId), output, json)
}

/** `quaero library set`: overrides what the reader found in a document. */
export async function runLibrarySet(
  quaero: Quaero,
  _: Input,
  output: Output,
  { documentId, values, json }: LibrarySetFlags,
): Promise<number> {
  return printDetails(await quaero.library.set(documentId, changeOf(values)), output, json)
}

/** `quaero library remove`: takes a document out, with its pages and passages. The file itself stays. */
export async function runLibraryRemove(
  quaero: Quaero,
  _: Input,
  output: Output,
  { documentId }: LibraryRemoveFlags,
): Promise<number> {
  const document = await quaero.library.document(documentId)
  await quaero.library.remove(document.documentId)
  tell(output, `Removed ${document.documentId}.`)
  return exitCodes.ok
}

/** `quaero library text`: the stored text of one page, the one into which citations point. */
export async function runLibraryText(
  quaero: Quaero,
  _: Input,
  output: Output,
  { documentId, page, json }: LibraryTextFlags,
): Promise<number> {
  const document = await quaero.library.document(documentId)
  const { text } = await quaero.library.text(document.documentId, page)
  if (json) printJson(output, { documentId: document.documentId, page, text })
  else if (output.stdoutIsTerminal) print(output, text)
  // In a pipe not a character is changed: citations count them.
  else output.stdout.write(`${text}\n`)
  return exitCodes.ok
}

/** The library checks keys and values; here only the form counts. */
function changeOf(values: readonly string[]): Record<string, string> {
  const change: Record<string, string> = {}
  for (const value of values) {
    const [, key, stated] = /^\s*([^=\s]+)\s*=([\s\S]*)$/.exec(value) ?? []
    if (!key || stated === undefined) {
      throw new UsageError(`${JSON.stringify(value)} sets nothing. Write title="…", authors="A; B" or year=2021.`)
    }
    change[key] = stated.trim()
  }
  return change
}

function printDetails({ document, sources, metadata }: DocumentDetails, output: Output, json = false): number {
  const { documentId, source, format, pages, passages } = document
  const { title, authors, year } = metadata
  if (json) {
    const known = { title: inForce(title), authors: inForce(authors), year: inForce(year) }
    printJson(output, { documentId, ...known, source, sources, format, pages, passages })
    return exitCodes.ok
  }
  const rows = [
    ...statementRows('title', title),
    ...statementRows(
      'authors',
      authors.map(({ value, from }) => ({ value: value.join('; '), from })),
    ),
    ...statementRows('year', year),
    ...sources.map((path, at) => [at === 0 ? 'file' : '', at === 0 ? format : 'the same content', path]),
  ]
  print(output, `${documentId}: ${counted(pages, 'page')}, ${counted(passages, 'passage')}`)
  print(output, formatTable(['', 'From', 'Value'], rows))
  return exitCodes.ok
}

type Statements<Value> = readonly { readonly value: Value; readonly from: string }[]

function inForce<Value>([first, ...insteadOf]: Statements<Value>) {
  return { value: first?.value ?? null, from: first?.from ?? null, insteadOf }
}

/** What holds stands in the first row, what it holds instead of below. */
function statementRows(name: string, statements: Statements<string | number>): (string | number)[][] {
  if (statements.length === 0) return [[name, '-', '-']]
  return statements.map(({ value, from }, at) => [at === 0 ? name : 'not', from, value])
}

function publicRecord({ documentId, title, authors, year, source, pages, passages }: DocumentRecord) {
  return { documentId, title, authors, year, source, pages, passages }
}

function rowOf({ documentId, pages, passages, title, source }: DocumentRecord): readonly (string | number)[] {
  return [documentId, pages, passages, title ?? '-', source]
}

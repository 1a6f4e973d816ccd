import { Argument, Option } from 'commander'
import { UsageError } from '../../errors.ts'
import type { DocumentDetails, DocumentRecord, Quaero } from '../../index.ts'
import { type CommandModule, withEngine } from '../command/command.ts'
import { documentArgument, jsonOption, quietOption, wholeNumber } from '../command/options.ts'
import { exitCodeOfError, exitCodes } from '../output/exit-codes.ts'
import { startFileProgress } from '../output/progress.ts'
import { formatTable, pluralOf } from '../output/table.ts'
import { type Input, type Output, print, printJson, tell } from '../output/terminal.ts'
import { describeEmbedding, tellEmbedProblem } from '../shared/add-documents.ts'

export interface LibraryListFlags {
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

function publicRecord({ documentId, title, authors, year, source, pages, passages }: DocumentRecord) {
  return { documentId, title, authors, year, source, pages, passages }
}

function rowOf({ documentId, pages, passages, title, source }: DocumentRecord): readonly (string | number)[] {
  return [documentId, pages, passages, title ?? '-', source]
}

export const libraryList: CommandModule<LibraryListFlags> = {
  name: 'library list',
  isDefault: true,
  description: 'List the documents in the library.',
  options: [jsonOption()],
  examples: ['library list', 'library list --json'],
  run: withEngine(runLibraryList),
}

export interface LibraryTextFlags {
  readonly documentId: string
  readonly page: number
  readonly json?: boolean | undefined
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

export const libraryText: CommandModule<LibraryTextFlags> = {
  name: 'library text',
  description: 'Print the stored text of one page, into which citations point.',
  arguments: [documentArgument()],
  options: [new Option('--page <n>', 'the page, counted from 1').argParser(wholeNumber).default(1), jsonOption()],
  examples: ['library text 3f2a9c01d4e5b678 --page 5'],
  run: withEngine(runLibraryText),
}

export interface LibraryRemoveFlags {
  readonly documentId: string
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

export const libraryRemove: CommandModule<LibraryRemoveFlags> = {
  name: 'library remove',
  description: 'Remove a document from the library. The file itself stays where it is.',
  arguments: [documentArgument()],
  examples: ['library remove 3f2a9c01d4e5b678'],
  run: withEngine(runLibraryRemove),
}

export interface LibraryEmbedFlags {
  readonly anew?: boolean | undefined
  readonly json?: boolean | undefined
  readonly quiet?: boolean | undefined
}

/** `quaero library embed`: gives the passages vectors that have none yet, or all of them new ones. */
export async function runLibraryEmbed(
  quaero: Quaero,
  { signal }: Input,
  output: Output,
  { anew = false, json, quiet }: LibraryEmbedFlags,
): Promise<number> {
  const progress = await startFileProgress(output, quiet)
  try {
    const report = await quaero.library.embed({
      anew,
      signal,
      onProgress: (passages) => progress.update({ ...passages, path: 'passages embedded' }),
    })
    progress.stop()
    tellEmbedProblem(report, output)
    if (json) printJson(output, report)
    else print(output, describeEmbedding(report))
    return report.error ? exitCodeOfError(report.error.code) : exitCodes.ok
  } finally {
    progress.stop()
  }
}

export const libraryEmbed: CommandModule<LibraryEmbedFlags> = {
  name: 'library embed',
  summary: 'make the vectors that are missing',
  description:
    'Make the vectors of passages that have none yet, for search by meaning (search.embeddings). It continues where it ' +
    'was stopped; nothing is paid twice.',
  options: [
    new Option('--anew', 'make all vectors again, and pay for them again: when the model behind a name has changed'),
    quietOption(),
    jsonOption(),
  ],
  examples: ['library embed', 'library embed --anew', 'library embed --config my.yaml --json'],
  run: withEngine(runLibraryEmbed),
}

export interface LibraryShowFlags {
  readonly documentId: string
  readonly json?: boolean | undefined
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

export function printDetails({ document, sources, metadata }: DocumentDetails, output: Output, json = false): number {
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
  print(output, `${documentId}: ${pluralOf(pages, 'page')}, ${pluralOf(passages, 'passage')}`)
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

export const libraryShow: CommandModule<LibraryShowFlags> = {
  name: 'library show',
  description: 'Show title, authors and year of a document, each with its source.',
  arguments: [documentArgument()],
  options: [jsonOption()],
  examples: ['library show 3f2a9c01d4e5b678', 'library show 3f2a9c01d4e5b678 --json'],
  run: withEngine(runLibraryShow),
}

export interface LibrarySetFlags extends LibraryShowFlags {
  /** `title=…`, `authors=A; B`, `year=…`; nothing behind the sign takes the value back. */
  readonly values: readonly string[]
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

export const librarySet: CommandModule<LibrarySetFlags> = {
  name: 'library set',
  summary: 'correct title, authors or year',
  description:
    'Set title, authors or year of a document. A value holds until it is set to nothing. The same can stand in a file ' +
    'beside the document, for instance paper.pdf.yaml.',
  arguments: [documentArgument(), new Argument('<values...>', 'title=…, authors="A; B", year=…')],
  options: [jsonOption()],
  examples: [
    'library set 3f2a9c01d4e5b678 title="On ponds" authors="Ada Berg; Wei Zhang" year=2021',
    'library set 3f2a9c01d4e5b678 year=',
  ],
  run: withEngine(runLibrarySet),
}

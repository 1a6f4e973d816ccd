import type { DocumentDetails, Quaero } from '../../../index.ts'
import { type CommandModule, withEngine } from '../../command/command.ts'
import { documentArgument, jsonOption } from '../../command/options.ts'
import { exitCodes } from '../../output/exit-codes.ts'
import { formatTable, pluralOf } from '../../output/table.ts'
import { type Input, type Output, print, printJson } from '../../output/terminal.ts'

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

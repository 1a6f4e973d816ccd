import type { DocumentRecord, Quaero } from '../index.ts'
import { exitCodes } from './exit-codes.ts'
import { formatTable } from './table.ts'
import { type Input, type Output, print, printJson, tell } from './terminal.ts'

export interface LibraryListFlags {
  readonly json?: boolean | undefined
}

export interface LibraryRemoveFlags {
  readonly documentId: string
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

/** `quaero library remove`: takes a document out, with its pages and passages. The file itself stays. */
export async function runLibraryRemove(
  quaero: Quaero,
  _: Input,
  output: Output,
  { documentId }: LibraryRemoveFlags,
): Promise<number> {
  await quaero.library.remove(documentId)
  tell(output, `Removed ${documentId}.`)
  return exitCodes.ok
}

/** `quaero library text`: the stored text of one page, the one into which citations point. */
export async function runLibraryText(
  quaero: Quaero,
  _: Input,
  output: Output,
  { documentId, page, json }: LibraryTextFlags,
): Promise<number> {
  const { text } = await quaero.library.text(documentId, page)
  if (json) printJson(output, { documentId, page, text })
  else if (output.stdoutIsTerminal) print(output, text)
  // In a pipe not a character is changed: citations count them.
  else output.stdout.write(`${text}\n`)
  return exitCodes.ok
}

function publicRecord({ documentId, title, authors, year, source, pages, passages }: DocumentRecord) {
  return { documentId, title, authors, year, source, pages, passages }
}

function rowOf({ documentId, pages, passages, title, source }: DocumentRecord): readonly (string | number)[] {
  return [documentId, pages, passages, title ?? '-', source]
}

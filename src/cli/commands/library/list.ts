import type { DocumentRecord, Quaero } from '../../../index.ts'
import { type CommandModule, withEngine } from '../../command/command.ts'
import { jsonOption } from '../../command/options.ts'
import { exitCodes } from '../../output/exit-codes.ts'
import { formatTable } from '../../output/table.ts'
import { type Input, type Output, print, printJson, tell } from '../../output/terminal.ts'

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

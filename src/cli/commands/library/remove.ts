import type { Quaero } from '../../../index.ts'
import { type CommandModule, withEngine } from '../../command/command.ts'
import { documentArgument } from '../../command/options.ts'
import { exitCodes } from '../../output/exit-codes.ts'
import { type Input, type Output, tell } from '../../output/terminal.ts'

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

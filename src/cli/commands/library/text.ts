import { Option } from 'commander'
import type { Quaero } from '../../../index.ts'
import { type CommandModule, withEngine } from '../../command/command.ts'
import { documentArgument, jsonOption, wholeNumber } from '../../command/options.ts'
import { exitCodes } from '../../output/exit-codes.ts'
import { type Input, type Output, print, printJson } from '../../output/terminal.ts'

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

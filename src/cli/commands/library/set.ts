import { Argument } from 'commander'
import { UsageError } from '../../../errors.ts'
import type { Quaero } from '../../../index.ts'
import { type CommandModule, withEngine } from '../../command/command.ts'
import { documentArgument, jsonOption } from '../../command/options.ts'
import type { Input, Output } from '../../output/terminal.ts'
import { type LibraryShowFlags, printDetails } from './show.ts'

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

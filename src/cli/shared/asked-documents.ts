import { Option } from 'commander'
import type { Quaero } from '../../index.ts'
import { given } from '../command/command.ts'
import {
  type FilterFlags,
  filterOf,
  filterOptions,
  limitOptions,
  modelOption,
  wholeNumber,
} from '../command/options.ts'
import type { Input, Output } from '../output/terminal.ts'
import { addDocuments } from './add-documents.ts'
import { limitsOf, type RunFlags } from './run-to-end.ts'

/** The flags that a table, a report and an audit share. */
export interface AskedFlags extends RunFlags, FilterFlags {
  readonly documents?: readonly string[] | undefined
  readonly atOnce?: number | undefined
  readonly afresh?: boolean | undefined
}

/** `parts` are what is worked on side by side, `done` what is done with them, and `each` what a limit is of. */
export function askedOptions(words: { readonly parts: string; readonly done: string; readonly each: string }) {
  return [
    new Option('-d, --documents <path...>', 'files or folders to add and use; all documents of the library, if absent'),
    ...filterOptions(),
    new Option('--at-once <n>', `how many ${words.parts} are worked on side by side (default: 4)`).argParser(
      wholeNumber,
    ),
    new Option('--afresh', `${words.done} again what is known, too`),
    modelOption(),
    ...limitOptions(words.each),
  ]
}

/** What the flags say to the engine. Adds the documents. */
export async function askedOf(quaero: Quaero, { signal }: Input, output: Output, flags: AskedFlags) {
  const { quiet, documents, atOnce, afresh } = flags
  const added = documents && (await addDocuments(quaero, documents, output, { quiet, signal }))
  const documentIds = added?.documents.flatMap(({ documentId }) => documentId ?? [])
  signal.throwIfAborted()
  return { signal, limits: limitsOf(flags), ...filterOf(flags), ...given({ documentIds, atOnce, afresh }) }
}

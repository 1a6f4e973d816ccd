import { Option } from 'commander'
import type { Quaero } from '../../../index.ts'
import { type CommandModule, withEngine } from '../../command/command.ts'
import { jsonOption, quietOption } from '../../command/options.ts'
import { exitCodeOfError, exitCodes } from '../../output/exit-codes.ts'
import { startFileProgress } from '../../output/progress.ts'
import { type Input, type Output, print, printJson } from '../../output/terminal.ts'
import { describeEmbedding, tellEmbedProblem } from '../../shared/add-documents.ts'

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

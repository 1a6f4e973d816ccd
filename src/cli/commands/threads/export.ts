import { Argument, Option } from 'commander'
import type { Quaero } from '../../../index.ts'
import { redactAll } from '../../../redact.ts'
import { type CommandModule, withEngine } from '../../command/command.ts'
import { exitCodes } from '../../output/exit-codes.ts'
import type { Input, Output } from '../../output/terminal.ts'
import type { ExportFormat } from '../../shared/export-thread.ts'
import type { ThreadFlags } from './show.ts'

export interface ThreadsExportFlags extends ThreadFlags {
  readonly format: ExportFormat
}

/** `quaero threads export`: a thread for other programs. */
export async function runThreadsExport(
  quaero: Quaero,
  _: Input,
  output: Output,
  { threadId, format }: ThreadsExportFlags,
): Promise<number> {
  const { exportThread } = await import('../../shared/export-thread.ts')
  const messages = await quaero.threads.messages(threadId)
  const summaries = await quaero.runs.list({ threadId })
  const runs = await Promise.all(
    summaries.map(async (run) => {
      const scores = await quaero.runs.scores(run.runId)
      return scores.length > 0 ? { ...run, scores } : run
    }),
  )
  // The library holds documents as they are; what is printed of them does not.
  const documents = redactAll(await quaero.library.list(), output.hide)
  output.stdoutAsIs.write(`${exportThread({ threadId, messages, runs, documents }, format).trimEnd()}\n`)
  return exitCodes.ok
}

export const threadsExport: CommandModule<ThreadsExportFlags> = {
  name: 'threads export',
  description: 'Print a thread for other programs.',
  arguments: [new Argument('<threadId>')],
  options: [new Option('--format <format>', 'what to print').choices(['md', 'json', 'yaml', 'bibtex']).default('md')],
  examples: ['threads export my-thread > conversation.md', 'threads export my-thread --format bibtex > cited.bib'],
  run: withEngine(runThreadsExport),
}

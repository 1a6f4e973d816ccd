import { Argument } from 'commander'
import type { Quaero } from '../../../index.ts'
import { type CommandModule, withEngine } from '../../command/command.ts'
import { exitCodes } from '../../output/exit-codes.ts'
import type { Input, Output } from '../../output/terminal.ts'

export interface RunsExportFlags {
  readonly runId: string
}

/** `quaero runs export`: the log, one event a line. */
export async function runRunsExport(quaero: Quaero, _: Input, output: Output, flags: RunsExportFlags): Promise<number> {
  output.stdoutAsIs.write(await quaero.runs.export(flags.runId))
  return exitCodes.ok
}

export const runsExport: CommandModule<RunsExportFlags> = {
  name: 'runs export',
  description: 'Print the log of a run, one event a line, to be imported elsewhere.',
  arguments: [new Argument('<runId>')],
  examples: ['runs export <runId> > run.jsonl'],
  run: withEngine(runRunsExport),
}

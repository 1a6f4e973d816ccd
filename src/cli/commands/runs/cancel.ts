import { Argument } from 'commander'
import type { Quaero } from '../../../index.ts'
import { type CommandModule, withEngine } from '../../command/command.ts'
import { exitCodes } from '../../output/exit-codes.ts'
import { type Input, type Output, tell } from '../../output/terminal.ts'

export interface RunsCancelFlags {
  readonly runId: string
}

/** `quaero runs cancel`: ends a run for good. */
export async function runRunsCancel(
  quaero: Quaero,
  _: Input,
  output: Output,
  { runId }: RunsCancelFlags,
): Promise<number> {
  await quaero.cancel(runId)
  tell(output, `Cancelled ${runId}.`)
  return exitCodes.ok
}

export const runsCancel: CommandModule<RunsCancelFlags> = {
  name: 'runs cancel',
  description: 'End a run for good.',
  arguments: [new Argument('<runId>')],
  examples: ['runs cancel <runId>'],
  run: withEngine(runRunsCancel),
}

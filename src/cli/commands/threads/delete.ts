import { Argument } from 'commander'
import type { Quaero } from '../../../index.ts'
import { type CommandModule, withEngine } from '../../command/command.ts'
import { exitCodes } from '../../output/exit-codes.ts'
import { type Input, type Output, tell } from '../../output/terminal.ts'
import type { ThreadFlags } from './show.ts'

/** `quaero threads delete`: removes a thread with its runs and its log. */
export async function runThreadsDelete(
  quaero: Quaero,
  _: Input,
  output: Output,
  { threadId }: ThreadFlags,
): Promise<number> {
  await quaero.threads.delete(threadId)
  tell(output, `Deleted ${threadId}.`)
  return exitCodes.ok
}

export const threadsDelete: CommandModule<ThreadFlags> = {
  name: 'threads delete',
  description: 'Delete a thread, its runs and its log.',
  arguments: [new Argument('<threadId>')],
  examples: ['threads delete my-thread'],
  run: withEngine(runThreadsDelete),
}

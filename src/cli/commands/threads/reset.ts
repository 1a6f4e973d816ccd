import { Argument } from 'commander'
import type { Quaero } from '../../../index.ts'
import { type CommandModule, withEngine } from '../../command/command.ts'
import { exitCodes } from '../../output/exit-codes.ts'
import { type Input, type Output, tell } from '../../output/terminal.ts'
import type { ThreadFlags } from './show.ts'

/** `quaero threads reset`: the next question starts a new conversation under the same id; the log stays. */
export async function runThreadsReset(
  quaero: Quaero,
  _: Input,
  output: Output,
  { threadId }: ThreadFlags,
): Promise<number> {
  await quaero.threads.reset(threadId)
  tell(output, `${threadId} starts afresh with the next question.`)
  return exitCodes.ok
}

export const threadsReset: CommandModule<ThreadFlags> = {
  name: 'threads reset',
  description: 'Start a new conversation under the same id. The log of the old one stays.',
  arguments: [new Argument('<threadId>')],
  examples: ['threads reset my-thread'],
  run: withEngine(runThreadsReset),
}

import { Argument, Option } from 'commander'
import type { Quaero } from '../../../index.ts'
import { type CommandModule, withEngine } from '../../command/command.ts'
import { jsonOption, wholeNumber } from '../../command/options.ts'
import { exitCodes } from '../../output/exit-codes.ts'
import { type Input, type Output, print, printJson, tell } from '../../output/terminal.ts'
import type { ThreadFlags } from './show.ts'

export interface ThreadsForkFlags extends ThreadFlags {
  readonly at?: number | undefined
  readonly as?: string | undefined
  readonly json?: boolean | undefined
}

/** `quaero threads fork`: a new thread that goes on from one of the turns. */
export async function runThreadsFork(
  quaero: Quaero,
  _: Input,
  output: Output,
  { threadId: from, at, as, json }: ThreadsForkFlags,
): Promise<number> {
  const threadId = await quaero.threads.fork(from, { ...(at !== undefined && { at }), ...(as !== undefined && { as }) })
  const turns = (await quaero.runs.list({ threadId })).length
  if (json) printJson(output, { threadId, from, turns })
  else {
    print(output, threadId)
    tell(
      output,
      `It has ${turns} ${turns === 1 ? 'turn' : 'turns'} of ${from}; go on with: quaero ask -t ${threadId} …`,
    )
  }
  return exitCodes.ok
}

export const threadsFork: CommandModule<ThreadsForkFlags> = {
  name: 'threads fork',
  summary: 'continue from an earlier turn in a new thread',
  description: 'Copy a thread up to one of its turns into a new one, and print its id. The thread stays as it is.',
  arguments: [new Argument('<threadId>')],
  options: [
    new Option('--at <turn>', 'the last turn to copy (default: the latest)').argParser(wholeNumber),
    new Option('--as <id>', 'the id of the new thread (default: a new one is made)'),
    jsonOption(),
  ],
  examples: ['threads fork my-thread --at 2', 'threads fork my-thread --as draft'],
  run: withEngine(runThreadsFork),
}

import type { Quaero, ThreadRecord } from '../../../index.ts'
import { type CommandModule, withEngine } from '../../command/command.ts'
import { jsonOption } from '../../command/options.ts'
import { exitCodes } from '../../output/exit-codes.ts'
import { formatTable, formatTime } from '../../output/table.ts'
import { type Input, type Output, print, printJson, tell } from '../../output/terminal.ts'

export interface ThreadsListFlags {
  readonly json?: boolean | undefined
}

/** `quaero threads list`: conversations, the latest first. */
export async function runThreadsList(
  quaero: Quaero,
  _: Input,
  output: Output,
  flags: ThreadsListFlags,
): Promise<number> {
  const threads = await quaero.threads.list()
  if (flags.json) printJson(output, { threads })
  else if (threads.length === 0) tell(output, 'There are no threads yet.')
  else {
    const heading = ['Thread', 'Turns', 'Created', 'Updated', 'Title']
    print(output, formatTable(heading, threads.map(rowOf), output))
  }
  return exitCodes.ok
}

function rowOf({ threadId, turns, createdAt, updatedAt, title }: ThreadRecord): readonly (string | number)[] {
  return [threadId, turns, formatTime(createdAt), formatTime(updatedAt), title]
}

export const threadsList: CommandModule<ThreadsListFlags> = {
  name: 'threads list',
  isDefault: true,
  description: 'List the threads, the latest first.',
  options: [jsonOption()],
  examples: ['threads list', 'threads list --json'],
  run: withEngine(runThreadsList),
}

import { Option } from 'commander'
import type { Quaero, RunSummary } from '../../../index.ts'
import { type CommandModule, withEngine } from '../../command/command.ts'
import { jsonOption } from '../../command/options.ts'
import { exitCodes } from '../../output/exit-codes.ts'
import { formatTable, formatTime } from '../../output/table.ts'
import { type Input, type Output, print, printJson, tell } from '../../output/terminal.ts'

export interface RunsListFlags {
  readonly thread?: string | undefined
  readonly unfinished?: boolean | undefined
  readonly json?: boolean | undefined
}

/** `quaero runs list`: every question that was asked, oldest first. */
export async function runRunsList(quaero: Quaero, _: Input, output: Output, flags: RunsListFlags): Promise<number> {
  const { thread, unfinished } = flags
  const runs = await quaero.runs.list({
    ...(thread !== undefined && { threadId: thread }),
    ...(unfinished && { unfinished }),
  })
  if (flags.json) printJson(output, { runs })
  else if (runs.length === 0) tell(output, unfinished ? 'Every run has ended.' : 'There are no runs yet.')
  else print(output, formatTable(['Run', 'Thread', 'Status', 'Started', 'Question'], runs.map(rowOf), output))
  return exitCodes.ok
}

function rowOf({ runId, threadId, status, startedAt, question }: RunSummary): readonly string[] {
  return [runId, threadId, status, formatTime(startedAt), question]
}

export const runsList: CommandModule<RunsListFlags> = {
  name: 'runs list',
  isDefault: true,
  description: 'List the runs, oldest first.',
  options: [
    new Option('--thread <threadId>', 'only those of one thread'),
    new Option('--unfinished', 'only those that have not ended and can be resumed'),
    jsonOption(),
  ],
  examples: ['runs list', 'runs list --thread my-thread --json'],
  run: withEngine(runRunsList),
}

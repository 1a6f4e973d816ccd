import { Argument } from 'commander'
import type { Quaero, ThreadMessage } from '../../../index.ts'
import { type CommandModule, withEngine } from '../../command/command.ts'
import { jsonOption } from '../../command/options.ts'
import { footnotes } from '../../output/answer/render-answer.ts'
import { exitCodes } from '../../output/exit-codes.ts'
import { formatTime } from '../../output/table.ts'
import { type Input, type Output, print, printJson } from '../../output/terminal.ts'

export interface ThreadFlags {
  readonly threadId: string
}

export interface ThreadsShowFlags extends ThreadFlags {
  readonly json?: boolean | undefined
}

/** `quaero threads show`: the whole transcript. */
export async function runThreadsShow(
  quaero: Quaero,
  _: Input,
  output: Output,
  { threadId, json }: ThreadsShowFlags,
): Promise<number> {
  const messages = await quaero.threads.messages(threadId)
  if (json) printJson(output, { threadId, messages })
  else print(output, messages.map(describeMessage).join('\n\n'))
  return exitCodes.ok
}

function describeMessage({ role, content, createdAt, citations = [] }: ThreadMessage): string {
  const who = role === 'user' ? 'You' : 'Quaero'
  const said = `${who}, ${formatTime(createdAt)}:\n${content}`
  return citations.length > 0 ? `${said}\n\n${footnotes(citations).join('\n')}` : said
}

export const threadsShow: CommandModule<ThreadsShowFlags> = {
  name: 'threads show',
  description: 'Print the whole transcript.',
  arguments: [new Argument('<threadId>')],
  options: [jsonOption()],
  examples: ['threads show my-thread'],
  run: withEngine(runThreadsShow),
}

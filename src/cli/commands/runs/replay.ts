import { Argument, Option } from 'commander'
import type { Quaero, Replay } from '../../../index.ts'
import { type CommandModule, withEngine } from '../../command/command.ts'
import { jsonOption, wholeNumber } from '../../command/options.ts'
import { exitCodes } from '../../output/exit-codes.ts'
import { plainLine } from '../../output/plain-text.ts'
import { type Input, type Output, print, printJson } from '../../output/terminal.ts'
import { type PlaceFlags, showAnswer, tellHowToGoOn } from '../../shared/run-to-end.ts'

export interface ReplayFlags extends PlaceFlags {
  readonly runId: string
  readonly to?: number | undefined
  readonly json?: boolean | undefined
}

/** `quaero runs replay`: the run again, from its log. */
export async function runRunsReplay(quaero: Quaero, _: Input, output: Output, flags: ReplayFlags): Promise<number> {
  const replay = await quaero.runs.replay(flags.runId, flags.to)
  if (flags.json) printJson(output, flags.to === undefined ? replay.result : replay)
  else if (flags.to !== undefined) showMoment(replay, output)
  else {
    showAnswer(replay.result, output)
    await tellHowToGoOn(quaero, replay.result, output, flags)
  }
  return exitCodes.ok
}

function showMoment({ position, last, status, messages }: Replay, output: Output): void {
  const open = status.activity.map(({ kind }) => kind).join(' > ')
  print(output, `After event ${position} of ${last}: ${status.state}${open ? `, in ${open}` : ''}`)
  const { modelCalls, toolCalls, inputTokens, outputTokens } = status
  print(output, `${modelCalls} model calls, ${toolCalls} tool calls, ${inputTokens + outputTokens} tokens`)
  for (const { role, content } of messages) print(output, `\n${role === 'user' ? 'You' : 'Quaero'}: ${content}`)
  for (const { id, name } of status.pendingApprovals) print(output, plainLine(`Waits for approval of ${name} (${id})`))
}

export const runsReplay: CommandModule<ReplayFlags> = {
  name: 'runs replay',
  summary: 'show a run again from its log',
  description:
    'Show a run again from its log alone: no model, no tool, no network. With --to, as it was after that event.',
  arguments: [new Argument('<runId>')],
  options: [
    new Option('--to <position>', 'the last event to replay; see quaero runs events').argParser(wholeNumber),
    jsonOption(),
  ],
  examples: ['runs replay <runId>', 'runs replay <runId> --to 12 --json'],
  run: withEngine(runRunsReplay),
}

import { Argument } from 'commander'
import type { Quaero } from '../../../index.ts'
import { type CommandModule, withEngine } from '../../command/command.ts'
import { jsonOption } from '../../command/options.ts'
import { exitCodes } from '../../output/exit-codes.ts'
import { plainLine } from '../../output/plain-text.ts'
import { type Input, type Output, print, printJson } from '../../output/terminal.ts'
import { type PlaceFlags, showAnswer, tellHowToGoOn } from '../../shared/run-to-end.ts'
import { describeDelivery, describeScore } from '../../shared/scores.ts'

export interface RunsShowFlags extends PlaceFlags {
  readonly runId: string
  readonly json?: boolean | undefined
}

/** `quaero runs show`: the result of a run that has ended or waits. */
export async function runRunsShow(quaero: Quaero, _: Input, output: Output, flags: RunsShowFlags): Promise<number> {
  const result = await quaero.runs.show(flags.runId)
  const scores = await quaero.runs.scores(flags.runId)
  if (flags.json) {
    printJson(output, { ...result, ...(scores.length > 0 && { scores }) })
    return exitCodes.ok
  }
  print(output, `Run ${result.runId}, turn ${result.turn} of thread ${result.threadId}: ${result.status}`)
  print(output, `${result.question}\n`)
  showAnswer(result, output)
  if (result.error) print(output, plainLine(result.error.message))
  for (const notice of await noticesOf(quaero, flags.runId)) print(output, plainLine(`Note: ${notice}`))
  if (scores.length > 0) print(output, '\nScores')
  for (const score of scores) print(output, plainLine(`  ${describeScore(score)}: ${describeDelivery(score)}`))
  await tellHowToGoOn(quaero, result, output, flags)
  return exitCodes.ok
}

/** What went wrong in a run and was worked around, each once. */
async function noticesOf(quaero: Quaero, runId: string): Promise<readonly string[]> {
  const notices = new Set<string>()
  for await (const event of quaero.runs.events(runId)) {
    if (event.type === 'notice') notices.add(event.payload.message)
  }
  return [...notices]
}

export const runsShow: CommandModule<RunsShowFlags> = {
  name: 'runs show',
  description: 'Print the result of a run.',
  arguments: [new Argument('<runId>')],
  options: [jsonOption()],
  examples: ['runs show <runId>'],
  run: withEngine(runRunsShow),
}

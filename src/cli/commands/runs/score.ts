import { Argument, Option } from 'commander'
import { UsageError } from '../../../errors.ts'
import type { KeptScore, Quaero } from '../../../index.ts'
import { type CommandModule, withEngine } from '../../command/command.ts'
import { jsonOption } from '../../command/options.ts'
import { exitCodes } from '../../output/exit-codes.ts'
import { plainLine } from '../../output/plain-text.ts'
import { type Input, type Output, printJson, tell } from '../../output/terminal.ts'
import { describeScore } from '../../shared/scores.ts'

export interface RunsScoreFlags {
  readonly runId: string
  readonly name: string
  readonly value: string
  readonly comment?: string | undefined
  readonly user?: string | undefined
  readonly json?: boolean | undefined
}

/** `quaero runs score`: keeps what a person says of a run, and sends it to Langfuse. Kept is done: the exit code is 0. */
export async function runRunsScore(quaero: Quaero, _: Input, output: Output, flags: RunsScoreFlags): Promise<number> {
  const { runId, name, value, comment, user } = flags
  const score = await quaero.runs.score(runId, {
    name,
    value: valueIn(value),
    ...(comment !== undefined && { comment }),
    ...(user !== undefined && { userId: user }),
  })
  if (flags.json) printJson(output, score)
  else tell(output, plainLine(`${describeScore(score)}: ${whereabouts[score.delivery]}`))
  return exitCodes.ok
}

const whereabouts: { readonly [K in KeptScore['delivery']]: string } = {
  delivered: 'kept, and sent to Langfuse.',
  waiting: 'kept. It goes to Langfuse with the first score that gets there.',
  refused: 'kept. Langfuse refused it, and is not asked again.',
  local: 'kept here: the run is a copy, and has no trace.',
}

/** `true` and `false` are a yes and a no, digits a number, all else a category. */
function valueIn(text: string): number | boolean | string {
  if (text === 'true' || text === 'false') return text === 'true'
  const isNumber = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text)
  if (isNumber && Number.isFinite(Number(text))) return Number(text)
  if (!isNumber && !/^(?:nan|[+-]?inf(?:inity)?)$/i.test(text)) return text
  throw new UsageError(`"${text}" is no number that a score can be: give a finite one, true or false, or a category.`)
}

export const runsScore: CommandModule<RunsScoreFlags> = {
  name: 'runs score',
  summary: 'score a run',
  description:
    'Keep a score of a run, in place of the one of the same name, and attach it to its trace in Langfuse. "runs show" lists them.',
  arguments: [
    new Argument('<runId>'),
    new Argument('<name>', 'what is judged, for instance "helpful"'),
    new Argument('<value>', 'a number, true or false, or a category'),
  ],
  options: [
    new Option('--comment <text>', 'the reason'),
    new Option('--user <id>', 'who gives the score'),
    jsonOption(),
  ],
  examples: ['runs score <runId> helpful true', 'runs score <runId> accuracy 0.8 --comment "one figure is old"'],
  run: withEngine(runRunsScore),
}

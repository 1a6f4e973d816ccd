import { type KeptScore, type Quaero, UsageError } from '../../../index.ts'
import { exitCodes } from '../../output/exit-codes.ts'
import { plainLine } from '../../output/plain-text.ts'
import { type Input, type Output, printJson, tell } from '../../output/terminal.ts'

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

/** A score in one line. */
export function describeScore({ name, value, comment, userId }: KeptScore): string {
  return `${name} = ${value}${userId === null ? '' : ` by ${userId}`}${comment === null ? '' : ` (${comment})`}`
}

/** What became of it, in a few words. */
export function describeDelivery({ delivery }: KeptScore): string {
  return { delivered: 'sent', waiting: 'waits for Langfuse', refused: 'refused by Langfuse', local: 'kept here' }[
    delivery
  ]
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
  const isNumber = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(text)
  if (isNumber && Number.isFinite(Number(text))) return Number(text)
  if (!isNumber && !/^(?:nan|[+-]?inf(?:inity)?)$/i.test(text)) return text
  throw new UsageError(`"${text}" is no number that a score can be: give a finite one, true or false, or a category.`)
}

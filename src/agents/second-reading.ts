import type { Claim } from '../answers/second-reading/claim.ts'
import { formatClaim, formatClaims } from '../answers/second-reading/format-claims.ts'
import { type Verdict, verdictsIn } from '../answers/second-reading/verdicts.ts'
import { type Context, fact } from '../events/index.ts'
import { Fenced } from '../fenced.ts'
import { renderPrompt } from '../prompts.ts'
import { askModel } from './loop/model-call.ts'
import { type ModelAgentOptions, promptInUse, promptMessages } from './loop/prompted-call.ts'
import { survivable } from './loop/step.ts'

export type SecondReadingOptions = Omit<ModelAgentOptions, 'maxHistory'>

/** The verdicts of a turn, by the claim as it was sent: a claim that a repair leaves unchanged is not sent again. */
export type Readings = Map<string, Verdict>

interface Reading {
  readonly question: string
  readonly claims: readonly Claim[]
  readonly readings: Readings
}

/** Claims of one call; a model loses count in more. */
const mostClaims = 40

/**
 * Has a model read claims beside the words that they rest on, in one call, and returns for each why it does not hold; null
 * where it does, and where it has no verdict. What was not read is reported as a notice and changes nothing.
 */
export async function readAgain(
  context: Context,
  options: SecondReadingOptions,
  { question, claims, readings }: Reading,
): Promise<readonly (string | null)[]> {
  const keys = claims.map(formatClaim)
  const unread = claims.filter((_, index) => !readings.has(keys[index] ?? ''))
  const sent = unread.slice(0, mostClaims)
  const verdicts = sent.length > 0 ? await verdictsOf(sent, question, { context, options }) : null
  for (const [index, claim] of sent.entries()) {
    const verdict = verdicts?.get(index + 1)
    if (verdict) readings.set(formatClaim(claim), verdict)
  }
  const missing = verdicts ? unread.length - verdicts.size : 0
  const unclear = `The second reading has no verdict on ${missing} of ${unread.length} sentences, which stand as they were.`
  if (missing > 0) await report(context, 'second_reading_incomplete', unclear)
  return keys.map((key) => reasonOf(readings.get(key)))
}

function reasonOf(verdict: Verdict | undefined): string | null {
  if (verdict === undefined || verdict.holds) return null
  return `on a second reading, its quotes do not say so${verdict.why === '' ? '' : `: ${verdict.why}`}`
}

interface Asking {
  readonly context: Context
  readonly options: SecondReadingOptions
}

/** The model's verdicts, by the number of the claim; null, which is reported, where no call can be made. */
async function verdictsOf(claims: readonly Claim[], question: string, { context, options }: Asking) {
  const { chat, temperature } = options
  const variables = { question, claims: new Fenced(formatClaims(claims)) }
  const prompt = renderPrompt(promptInUse(context, options.prompt), variables)
  const agentTask = { agent: 'secondReading', question } as const
  const messages = promptMessages(prompt)
  try {
    const request = { chat, temperature, prompt, messages, agentTask, scope: 'scratch', optional: true } as const
    return verdictsIn((await askModel(context, request)).text, claims.length)
  } catch (thrown) {
    const { code, message } = survivable(thrown, context)
    await report(context, code, `The second reading was left out: ${message}`)
    return null
  }
}

/** Once in a run, also where it is resumed. */
async function report(context: Context, code: string, message: string): Promise<void> {
  const isKnown = context.log?.().some(({ type, payload }) => type === 'notice' && payload.message === message)
  if (!isKnown) await fact(context, 'notice', { code, message })
}

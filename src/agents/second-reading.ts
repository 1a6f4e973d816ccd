import { formatEvidence } from '../answers/evidence.ts'
import { type Claim, formatClaim, formatClaims } from '../answers/judge/claims.ts'
import { type Judgement, judgementIn, type Verdict } from '../answers/judge/verdicts.ts'
import type { Judge } from '../answers/verified-answer.ts'
import { type Context, type Evidence, fact } from '../events/index.ts'
import { Fenced } from '../fenced.ts'
import { renderPrompt } from '../prompts.ts'
import { askModel } from './loop/model-call.ts'
import { type ModelAgentOptions, promptInUse, promptMessages } from './loop/prompted-call.ts'
import { survivable } from './loop/step.ts'

export interface SecondReadingOptions extends Omit<ModelAgentOptions, 'maxHistory'> {
  /** Why the verdicts of this reader do not count; null if they do. Asks the reader at most once in a data folder. */
  readonly examine: (context: Context) => Promise<string | null>
}

/** The verdicts of a turn, by the claim as it was sent: a claim that a rewrite leaves unchanged is not sent again. */
export type Readings = Map<string, Verdict>

interface Reading {
  readonly question: string
  /** The passages that the writer had, in the same order and form. */
  readonly evidence: readonly Evidence[]
  readonly readings: Readings
}

/** Sentences of one call; a model loses count in more. */
const mostClaims = 40

/**
 * A judge that has a model read all sentences of a draft in one call. Where no call can be made, or the reader has failed its
 * exam, it says why, and a notice does.
 */
export function judgeWith(context: Context, options: SecondReadingOptions, reading: Reading): Judge {
  return async (claims) => {
    const known = verdictsKnown(claims, reading.readings)
    if (claims.every(({ kind }, at) => kind !== 'sentence' || known.has(at + 1))) {
      return { verdicts: known, answering: null }
    }
    const distrust = await options.examine(context)
    if (distrust !== null) return { unread: distrust }
    const judgement = await ask(context, options, { ...reading, claims: claims.slice(0, mostClaims) })
    if ('unread' in judgement) return judgement
    await keep(context, claims, judgement, reading.readings)
    return judgement
  }
}

/** Remembers the verdicts, and reports sentences without one. */
async function keep(
  context: Context,
  claims: readonly Claim[],
  { verdicts }: Judgement,
  readings: Readings,
): Promise<void> {
  for (const [index, claim] of claims.entries()) {
    const verdict = verdicts.get(index + 1)
    if (verdict) readings.set(formatClaim(claim), verdict)
  }
  const asked = claims.flatMap(({ kind }, index) => (kind === 'sentence' ? [index + 1] : []))
  const missing = asked.filter((number) => !verdicts.has(number)).length
  const unclear = `The second reading has no verdict on ${missing} of ${asked.length} sentences, which are shown as quoted.`
  if (missing > 0) await report(context, 'second_reading_incomplete', unclear)
}

function verdictsKnown(claims: readonly Claim[], readings: Readings): ReadonlyMap<number, Verdict> {
  return new Map(
    claims.flatMap((claim, index) => {
      const verdict = readings.get(formatClaim(claim))
      return verdict ? [[index + 1, verdict] as const] : []
    }),
  )
}

async function ask(
  context: Context,
  { chat, temperature, prompt: own }: SecondReadingOptions,
  { question, evidence, claims }: Reading & { readonly claims: readonly Claim[] },
): Promise<Judgement | { readonly unread: string }> {
  const prompt = renderPrompt(promptInUse(context, own), {
    question,
    evidence: new Fenced(formatEvidence(evidence)),
    claims: new Fenced(formatClaims(claims)),
  })
  const messages = promptMessages(prompt)
  const agentTask = { agent: 'secondReading', question } as const
  try {
    const request = { chat, temperature, prompt, messages, agentTask, scope: 'scratch', optional: true } as const
    return judgementIn((await askModel(context, request)).text, claims.length)
  } catch (thrown) {
    const { code, message } = survivable(thrown, context)
    await report(context, code, `The second reading was left out: ${message}`)
    return { unread: `the second reading was left out: ${message}` }
  }
}

/** Once in a run, also where it is resumed. */
export async function report(context: Context, code: string, message: string): Promise<void> {
  const isKnown = context.log?.().some(({ type, payload }) => type === 'notice' && payload.message === message)
  if (!isKnown) await fact(context, 'notice', { code, message })
}

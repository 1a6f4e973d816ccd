import { createHash } from 'node:crypto'
import {
  type Claim,
  examClaims,
  examEvidence,
  examMark,
  formatClaim,
  formatClaims,
  formatEvidence,
  type Judge,
  type Judgement,
  judgementIn,
  type Verdict,
} from '../answers/index.ts'
import { type Context, type Evidence, fact } from '../events/index.ts'
import { Fenced } from '../fenced.ts'
import { type Prompt, type RenderedPrompt, renderPrompt } from '../prompts.ts'
import { askModel } from './loop/model-call.ts'
import { type ModelAgentOptions, promptInUse, promptMessages } from './loop/prompted-call.ts'
import { survivable } from './loop/step.ts'

type ReaderOptions = Omit<ModelAgentOptions, 'maxHistory'>

export interface SecondReadingOptions extends ReaderOptions {
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
    const judgement = await read(context, options, { ...reading, claims: claims.slice(0, mostClaims) })
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

async function read(
  context: Context,
  options: SecondReadingOptions,
  { question, evidence, claims }: Reading & { readonly claims: readonly Claim[] },
): Promise<Judgement | { readonly unread: string }> {
  const prompt = readerPrompt(promptInUse(context, options.prompt), { question, evidence, claims })
  try {
    return judgementIn(await askReader(context, options, prompt, question), claims.length)
  } catch (thrown) {
    const { code, message } = survivable(thrown, context)
    await report(context, code, `The second reading was left out: ${message}`)
    return { unread: `the second reading was left out: ${message}` }
  }
}

function readerPrompt(
  prompt: Prompt,
  asked: { readonly question: string; readonly evidence: readonly Evidence[]; readonly claims: readonly Claim[] },
): RenderedPrompt {
  const { question, evidence, claims } = asked
  const fenced = { evidence: new Fenced(formatEvidence(evidence)), claims: new Fenced(formatClaims(claims)) }
  return renderPrompt(prompt, { question, ...fenced })
}

/** The reader's reply. */
async function askReader(
  context: Context,
  { chat, temperature }: ReaderOptions,
  prompt: RenderedPrompt,
  question: string,
): Promise<string> {
  const agentTask = { agent: 'secondReading', question } as const
  const messages = promptMessages(prompt)
  const request = { chat, temperature, prompt, messages, agentTask, scope: 'scratch', optional: true } as const
  return (await askModel(context, request)).text
}

/** Once in a run, also where it is resumed. */
async function report(context: Context, code: string, message: string): Promise<void> {
  const isKnown = context.log?.().some(({ type, payload }) => type === 'notice' && payload.message === message)
  if (!isKnown) await fact(context, 'notice', { code, message })
}

/** The marks of readers that were examined in a data folder. */
export interface ReaderMarks {
  of(reader: string): Promise<number | null>
  keep(reader: string, mark: number): Promise<void>
}

export interface ReaderExamOptions extends ReaderOptions {
  readonly marks: ReaderMarks
  /** So many of the claims a reader must judge rightly; 0: it is not examined. */
  readonly leastMark: number
}

const promptId = 'reader-exam'

/**
 * Examines the model of the second reading over claims of known truth, in one call, the first time that it reads in a data
 * folder. Returns why its verdicts do not count; null if they do.
 */
export function readerExam(options: ReaderExamOptions): (context: Context) => Promise<string | null> {
  const { chat, leastMark, marks } = options
  const underWay = new Map<string, Promise<number>>()
  const examine = async (context: Context, { prompt, reader }: ReturnType<typeof examOf>) => {
    const mark = examMark(await askReader(context, options, prompt, ''))
    await marks.keep(reader, mark)
    return mark
  }
  return async (context) => {
    if (leastMark === 0) return null
    const exam = examOf(chat.name, promptInUse(context, options.prompt))
    const { reader } = exam
    const kept = await marks.of(reader)
    // A resumed run makes the calls of its first attempt again, whose replies it has.
    const isBegun = context.log?.().some((each) => each.type === 'model.started' && each.payload.promptId === promptId)
    // Runs that begin during an exam wait for its mark; if it fails, they examine themselves.
    const known = isBegun ? null : (kept ?? (await underWay.get(reader)?.catch(() => null)) ?? null)
    if (known !== null) return distrust(known, leastMark)
    try {
      const examination = examine(context, exam)
      underWay.set(reader, examination)
      const mark = await examination
      if (kept === null) await fact(context, 'notice', { code: 'reader_examined', message: told(chat.name, mark) })
      return distrust(mark, leastMark)
    } catch (thrown) {
      const { message } = survivable(thrown, context)
      return `the model of the second reading could not be examined: ${message}`
    }
  }
}

/** What a model is asked in its exam, and the name under which its mark is kept: the model with the words of its prompt. */
export function examOf(model: string, prompt: Prompt): { readonly prompt: RenderedPrompt; readonly reader: string } {
  const question = 'What do these documents say?'
  const rendered = readerPrompt(prompt, { question, evidence: examEvidence, claims: examClaims })
  const hash = createHash('sha256').update(`${rendered.system}\n${rendered.user}`).digest('hex')
  return { prompt: { ...rendered, id: promptId }, reader: `${model} ${hash.slice(0, 16)}` }
}

/** The mark of a model, in a sentence. */
export function told(model: string, mark: number): string {
  return `${model}, which reads answers a second time, judged ${mark} of ${examClaims.length} claims of known truth rightly.`
}

function distrust(mark: number, leastMark: number): string | null {
  if (mark >= leastMark) return null
  return `the model of the second reading judged only ${mark} of ${examClaims.length} test claims rightly, and ${leastMark} are needed`
}

import { type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { evidenceTokens, fewerPassages, formatEvidence } from '../../answers/evidence.ts'
import type { Evidence, Payloads, Replacement, Request } from '../../events/index.ts'
import { type ContextSize, ContextTooLong } from '../../models/port/errors.ts'
import { estimateTokens } from '../../models/port/estimate-tokens.ts'
import {
  callsOf,
  charactersOf,
  conversationIn,
  cutMiddle,
  promptWith,
  replace,
  spoken,
  unitsOf,
  withText,
} from './parts.ts'

/** A model call with less in it. */
export interface ShorterCall {
  readonly request: Request<'model'>
  /** For later calls of the same conversation, which keep what was shortened. */
  readonly left: {
    /** In the order in which they are made. */
    readonly replaced: readonly Replacement[]
    /** What is left of the passages, where some had to go. */
    readonly evidence?: readonly Evidence[]
  }
  readonly trimmed: Payloads['model.trimmed']
}

/**
 * What can be left out of a call that its model's context window does not hold, until it should fit: the oldest of the
 * conversation, then the oldest rounds of tool calls but for the newest one, then the passages that rank last, then the
 * middle of long tool results. The instructions, the question and the best passage stay. How much has to go follows
 * from the sizes that the endpoint names; without them it is half. null where nothing can be left out.
 */
export function shortenCall(request: Request<'model'>, { size }: ContextTooLong): ShorterCall | null {
  const { input, history = [], evidence = [] } = request
  const from = charactersOf(input)
  const most = from * shareThatFits(size, input)
  let messages = input
  let all: Cut = { replaced: [], leftOut: {} }
  for (const step of [conversationCut(history), roundsCut, passagesCut(evidence), resultsCut]) {
    const excess = charactersOf(messages) - most
    const cut = excess > 0 ? step(messages, excess) : null
    const shorter = replace(messages, cut?.replaced ?? [])
    // What would be no shorter stays as it is.
    if (!cut || charactersOf(shorter) >= charactersOf(messages)) continue
    messages = shorter
    all = { ...all, ...cut, replaced: [...all.replaced, ...cut.replaced], leftOut: { ...all.leftOut, ...cut.leftOut } }
  }
  if (messages === input) return null
  const { leftOut: some, ...left } = all
  const leftOut = { ...nothing, ...some }
  const sizes = { from, to: charactersOf(messages), ...size }
  return {
    request: { ...request, input: messages, ...(left.evidence && { evidence: left.evidence }) },
    left,
    trimmed: { message: describeTrim(sizes, leftOut), ...sizes, leftOut },
  }
}

/** The failure of a call that does not fit, with all its sizes: what was sent, what was left out, what helps. */
export function stillTooLong(error: ContextTooLong, shorter: ShorterCall | null): ContextTooLong {
  const { from, to, leftOut } = shorter?.trimmed ?? { from: 0, to: 0, leftOut: nothing }
  const tried = shorter
    ? `It was shortened from ${from} to ${to} characters before (${wordsFor(leftOut)} left out), and did not fit either`
    : 'Nothing of it could be left out'
  return new ContextTooLong(`${error.message}. ${tried}. ${remedy}`, { size: error.size, cause: error })
}

const remedy =
  'Choose a model with a larger context window, or ask with less: lower agents.*.maxHistory, search.evidenceTokens or tools.observationCharacters'

type LeftOut = Payloads['model.trimmed']['leftOut']

const nothing: LeftOut = { messages: 0, rounds: 0, passages: 0, results: 0 }

/** One kind of thing that is left out. */
interface Cut {
  readonly replaced: readonly Replacement[]
  readonly leftOut: Partial<LeftOut>
  readonly evidence?: readonly Evidence[]
}

/** Leaves out at least `excess` characters, if it can. */
type CutStep = (messages: readonly BaseMessage[], excess: number) => Cut | null

/** Some of the window is for the answer, and what is left out is not measured by the token. */
const filled = 0.8
const half = 0.5

function shareThatFits({ window, sent }: ContextSize, input: readonly BaseMessage[]): number {
  if (window === null) return half
  const share = window / (sent ?? estimateTokens(spoken(input)))
  return share < 1 ? filled * share : half
}

function conversationCut(history: readonly string[]): CutStep {
  return (messages, excess) => {
    const conversation = conversationIn(messages, history)
    if (!conversation) return null
    const { lines } = conversation
    const count = howMany(lines, excess)
    const note = leftOutNote(pluralOf(count, 'earlier message'))
    return { replaced: [conversation.by([note, ...lines.slice(count)])], leftOut: { messages: count } }
  }
}

const roundsCut: CutStep = (messages, excess) => {
  const older = unitsOf(messages)
    .filter(([call]) => callsOf(call).length > 0)
    .slice(0, -1)
  const cut = older.slice(0, howMany(older.map(spoken), excess))
  if (cut.length === 0) return null
  const calls = cut.flatMap(([call]) => callsOf(call)).map(({ name, args }) => `${name} ${JSON.stringify(args)}`)
  const made = calls.join('; ')
  const note = leftOutNote(
    pluralOf(cut.length, 'earlier round', ' of tool calls'),
    ` Asked for was: ${made.length > mostNamed ? `${made.slice(0, mostNamed)}…` : made}. What was found is kept for the answer.`,
  )
  return { replaced: [{ messages: cut.flat(), by: new HumanMessage(note) }], leftOut: { rounds: cut.length } }
}

function passagesCut(evidence: readonly Evidence[]): CutStep {
  return (messages, excess) => {
    const whole = formatEvidence(evidence)
    const prompt = promptWith(whole, messages)
    if (!prompt) return null
    const share = Math.max(0, 1 - excess / whole.length)
    const left = fewerPassages(evidence, { tokens: Math.max(1, Math.floor(share * evidenceTokens(evidence))) })
    const passages = evidence.length - left.length
    return { replaced: [prompt.by(formatEvidence(left))], leftOut: { passages }, evidence: left }
  }
}

/** A shorter result would not be worth reading. */
const shortResult = 400

const resultsCut: CutStep = (messages, excess) => {
  const long = messages
    .filter((message) => ToolMessage.isInstance(message))
    .filter(({ text }) => text.length > shortResult)
  const share = Math.max(0, 1 - excess / charactersOf(long))
  const replaced = long.flatMap((result) => {
    const most = Math.max(shortResult, Math.floor(share * result.text.length))
    const text = cutMiddle(result.text, most, () => toFit)
    return text.length < result.text.length ? [{ messages: [result], by: withText(result, text) }] : []
  })
  return { replaced, leftOut: { results: replaced.length } }
}

/** How many of the first texts hold so many characters; all, if they do not. */
function howMany(texts: readonly string[], characters: number): number {
  let sum = 0
  const at = texts.findIndex((text) => {
    sum += text.length + 1
    return sum >= characters
  })
  return at < 0 ? texts.length : at + 1
}

const toFit = " to fit the model's context window"
const mostNamed = 600

/** What stands in the place of what is left out, for the model to read. */
function leftOutNote(what: string, more = ''): string {
  return `[${what} left out${toFit}.${more}]`
}

function describeTrim(
  { from, to, window, sent }: { from: number; to: number } & ContextSize,
  leftOut: LeftOut,
): string {
  const holds = window === null ? '' : ` of ${window} tokens`
  const was = sent === null ? '' : ` (${sent} tokens)`
  return `The model's context window${holds} does not hold the call${was}; ${wordsFor(leftOut)} left out: ${from} characters became ${to}`
}

function wordsFor({ messages, rounds, passages, results }: LeftOut): string {
  const words = [
    ...(messages > 0 ? [pluralOf(messages, 'earlier message')] : []),
    ...(rounds > 0 ? [pluralOf(rounds, 'round', ' of tool calls')] : []),
    ...(passages > 0 ? [pluralOf(passages, 'passage')] : []),
    ...(results > 0 ? [`the middle of ${pluralOf(results, 'tool result')}`] : []),
  ]
  return words.join(', ') || 'the end of the best passage'
}

/** So many of something, in words. */
export function pluralOf(count: number, what: string, of = ''): string {
  return `${count} ${what}${count === 1 ? '' : 's'}${of}`
}

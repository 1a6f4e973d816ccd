import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { evidenceTokens, fewerPassages, formatEvidence } from '../../agents/answer/evidence.ts'
import { replace } from '../../agents/loop/replacement.ts'
import type { Evidence, Payloads, Replacement, Request } from '../../events/index.ts'
import type { ContextSize } from '../../models/context-size.ts'
import { ContextTooLong } from '../../models/errors.ts'
import { charactersOf } from './older-messages.ts'

/** A model call with less in it. */
export interface ShorterCall {
  readonly request: Request<'model'>
  /** In the order in which they are made. */
  readonly replaced: readonly Replacement[]
  /** What is left of the passages, where some had to go. */
  readonly evidence?: readonly Evidence[]
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
  const most = from * shareThatFits(size, from)
  const cuts: Cut[] = []
  for (const step of [conversationCut(history), roundsCut, passagesCut(evidence), resultsCut]) {
    const messages = replace(input, cuts.flatMap(replacedBy))
    const excess = charactersOf(messages) - most
    const cut = excess > 0 ? step(messages, excess) : null
    if (cut) cuts.push(cut)
  }
  const replaced = cuts.flatMap(replacedBy)
  const shorter = replace(input, replaced)
  const to = charactersOf(shorter)
  if (to >= from) return null
  const leftOut = { ...nothing, ...Object.assign({}, ...cuts.map((cut) => cut.leftOut)) }
  const sizes = { from, to, ...size }
  const left = cuts.flatMap((cut) => (cut.evidence ? [cut.evidence] : [])).at(0)
  return {
    request: { ...request, input: shorter, ...(left && { evidence: left }) },
    replaced,
    ...(left && { evidence: left }),
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

function replacedBy({ replaced }: Cut): readonly Replacement[] {
  return replaced
}

/** A rule of thumb for text without a tokenizer, where the endpoint does not say what it counted. */
const charactersPerToken = 4
/** Some of the window is for the answer, and what is left out is not measured by the token. */
const filled = 0.8
const half = 0.5

function shareThatFits({ window, sent }: ContextSize, characters: number): number {
  if (window === null) return half
  const share = window / (sent ?? characters / charactersPerToken)
  return share < 1 ? filled * share : half
}

function conversationCut(history: readonly string[]): CutStep {
  return (messages, excess) => {
    // A summary may stand for the older part already; the newest lines are as they were.
    for (let first = 0; first < history.length; first += 1) {
      const standing = history.slice(first)
      const whole = standing.join('\n')
      const prompt = promptWith(whole, messages)
      if (!prompt) continue
      const count = howMany(standing, excess)
      const text = [leftOutNote(counted(count, 'earlier message')), ...standing.slice(count)].join('\n')
      return inPrompt(prompt, whole, text, { leftOut: { messages: count } })
    }
    return null
  }
}

const roundsCut: CutStep = (messages, excess) => {
  const rounds = messages.flatMap((message, at) => (callsOf(message).length > 0 ? [roundFrom(messages, at)] : []))
  const older = rounds.slice(0, -1)
  const cut = older.slice(0, howMany(older.map(spokenIn), excess))
  if (cut.length === 0) return null
  const made = cut.flatMap(([call]) => callsOf(call)).map(({ name, args }) => `${name} ${JSON.stringify(args)}`)
  const note = leftOutNote(
    counted(cut.length, 'earlier round', ' of tool calls'),
    ` Asked for was: ${clip(made.join('; '))}. What was found is kept for the answer.`,
  )
  return { replaced: [{ messages: cut.flat(), by: new HumanMessage(note) }], leftOut: { rounds: cut.length } }
}

function passagesCut(evidence: readonly Evidence[]): CutStep {
  return (messages, excess) => {
    const whole = formatEvidence(evidence)
    const prompt = evidence.length > 0 ? promptWith(whole, messages) : undefined
    if (!prompt) return null
    const share = Math.max(0, 1 - excess / whole.length)
    const left = fewerPassages(evidence, { tokens: Math.max(1, Math.floor(share * evidenceTokens(evidence))) })
    const passages = evidence.length - left.length
    return inPrompt(prompt, whole, formatEvidence(left), { leftOut: { passages }, evidence: left })
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
    const by = withText(result, middleCut(result.text, Math.max(shortResult, Math.floor(share * result.text.length))))
    return by.text.length < result.text.length ? [{ messages: [result], by }] : []
  })
  return replaced.length > 0 ? { replaced, leftOut: { results: replaced.length } } : null
}

function promptWith(text: string, messages: readonly BaseMessage[]): BaseMessage | undefined {
  return messages.find((message) => HumanMessage.isInstance(message) && message.text.includes(text))
}

function inPrompt(prompt: BaseMessage, old: string, text: string, cut: Omit<Cut, 'replaced'>): Cut | null {
  if (text.length >= old.length) return null
  const by = new HumanMessage(prompt.text.replace(old, () => text))
  return { replaced: [{ messages: [prompt], by }], ...cut }
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

function callsOf(message: BaseMessage | undefined) {
  return AIMessage.isInstance(message) ? (message.tool_calls ?? []) : []
}

/** A message that asks for calls, with their results. */
function roundFrom(messages: readonly BaseMessage[], at: number): readonly BaseMessage[] {
  const end = messages.findIndex((message, index) => index > at && !ToolMessage.isInstance(message))
  return messages.slice(at, end < 0 ? messages.length : end)
}

function spokenIn(messages: readonly BaseMessage[]): string {
  return messages.map(({ text }) => text).join('\n')
}

function withText(message: ToolMessage, content: string): ToolMessage {
  const { tool_call_id, name, status = 'success', artifact, id } = message
  return new ToolMessage({ content, tool_call_id, status, artifact, ...(name && { name }), ...(id && { id }) })
}

function middleCut(text: string, most: number): string {
  const side = Math.floor(most / 2)
  const missing = text.length - 2 * side
  return `${text.slice(0, side)}\n[… ${missing} characters left out to fit the model's context window …]\n${text.slice(-side)}`
}

const mostNamed = 600

function clip(text: string): string {
  return text.length > mostNamed ? `${text.slice(0, mostNamed)}…` : text
}

/** What stands in the place of what is left out, for the model to read. */
function leftOutNote(what: string, more = ''): string {
  return `[${what} left out to fit the model's context window.${more}]`
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
    ...(messages > 0 ? [counted(messages, 'earlier message')] : []),
    ...(rounds > 0 ? [counted(rounds, 'round', ' of tool calls')] : []),
    ...(passages > 0 ? [counted(passages, 'passage')] : []),
    ...(results > 0 ? [`the middle of ${counted(results, 'tool result')}`] : []),
  ]
  return words.join(', ') || 'the end of the best passage'
}

function counted(count: number, what: string, of = ''): string {
  return `${count} ${what}${count === 1 ? '' : 's'}${of}`
}

import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { evidenceTokens, fewerPassages, formatEvidence } from '../../answers/index.ts'
import type { Evidence, Observation, Payloads, Replacement, Request, ToolResult } from '../../events/index.ts'
import { fencedText } from '../../fenced.ts'
import { type ContextSize, ContextTooLong, estimateTokens } from '../../models/index.ts'
import type { Tool } from '../../tools/index.ts'
import { callsOf, changed } from './messages.ts'

/** A model call with less in it. */
export interface ShorterCall {
  readonly request: Request<'model'>
  /** For later calls of the same conversation: the replacements in order, and the remaining passages. */
  readonly left: { readonly replaced: readonly Replacement[]; readonly evidence?: readonly Evidence[] }
  readonly trimmed: Payloads['model.trimmed']
}

type LeftOut = Payloads['model.trimmed']['leftOut']

/** What is left out of one kind of content. */
interface Cut {
  readonly replaced: readonly Replacement[]
  readonly count: number
  readonly evidence?: readonly Evidence[]
}

/** Leaves out at least `excess` characters, if it can. */
type CutStep = (messages: readonly BaseMessage[], excess: number, request: Request<'model'>) => Cut | null

/** In this order. The instructions, the question, the newest round and the best passage stay. */
const cutSteps: readonly (readonly [keyof LeftOut, CutStep])[] = [
  ['messages', cutConversation],
  ['rounds', cutRounds],
  ['passages', cutPassages],
  ['results', cutResults],
]
const nothing: LeftOut = { messages: 0, rounds: 0, passages: 0, results: 0 }

/** Part of the window is for the answer, and the cut is not measured in tokens. */
const filledShare = 0.8
/** Where the endpoint names no sizes. */
const defaultShare = 0.5

/** Shortens a call that its model's context window does not hold; null where nothing can be left out. */
export function shortenCall(request: Request<'model'>, { size }: ContextTooLong): ShorterCall | null {
  const { input } = request
  const from = charactersOf(input)
  const most = from * shareThatFits(size, input)
  let messages = input
  let left: ShorterCall['left'] = { replaced: [] }
  let leftOut = nothing
  for (const [kind, step] of cutSteps) {
    const excess = charactersOf(messages) - most
    const cut = excess > 0 ? step(messages, excess, request) : null
    const shorter = replace(messages, cut?.replaced ?? [])
    if (!cut || charactersOf(shorter) >= charactersOf(messages)) continue
    const { replaced, count, evidence } = cut
    messages = shorter
    left = { ...left, replaced: [...left.replaced, ...replaced], ...(evidence && { evidence }) }
    leftOut = { ...leftOut, [kind]: count }
  }
  if (messages === input) return null
  const sizes = { from, to: charactersOf(messages), ...size }
  return {
    request: { ...request, input: messages, ...(left.evidence && { evidence: left.evidence }) },
    left,
    trimmed: { message: describeTrim(sizes, leftOut), ...sizes, leftOut },
  }
}

/** The failure of a call that does not fit: what was sent, what was left out, what helps. */
export function stillTooLong(error: ContextTooLong, shorter: ShorterCall | null): ContextTooLong {
  const { from, to, leftOut } = shorter?.trimmed ?? { from: 0, to: 0, leftOut: nothing }
  const tried = shorter
    ? `It was shortened from ${from} to ${to} characters before (${wordsFor(leftOut)} left out), and did not fit either`
    : 'Nothing of it could be left out'
  return new ContextTooLong(`${error.message}. ${tried}. ${remedy}`, { size: error.size, cause: error })
}

const remedy =
  'Choose a model with a larger context window, or ask with less: lower agents.*.maxHistory, search.evidenceTokens or tools.observationCharacters'

function shareThatFits({ window, sent }: ContextSize, input: readonly BaseMessage[]): number {
  const share = window === null ? 1 : window / (sent ?? estimateTokens(spoken(input)))
  return share < 1 ? filledShare * share : defaultShare
}

function cutConversation(...[messages, excess, { history = [] }]: Parameters<CutStep>): Cut | null {
  const conversation = conversationIn(messages, history)
  if (!conversation) return null
  const { lines } = conversation
  const count = countToCut(lines, excess)
  const note = leftOutNote(pluralOf(count, 'earlier message'))
  return { replaced: [conversation.by([note, ...lines.slice(count)])], count }
}

const longestNote = 600

function cutRounds(...[messages, excess]: Parameters<CutStep>): Cut | null {
  const older = unitsOf(messages)
    .filter(([call]) => callsOf(call).length > 0)
    .slice(0, -1)
  const cut = older.slice(0, countToCut(older.map(spoken), excess))
  if (cut.length === 0) return null
  const calls = cut.flatMap(([call]) => callsOf(call)).map(({ name, args }) => `${name} ${JSON.stringify(args)}`)
  const made = calls.join('; ')
  const asked = made.length > longestNote ? `${made.slice(0, longestNote)}…` : made
  const note = leftOutNote(
    pluralOf(cut.length, 'earlier tool round'),
    ` It asked for: ${asked}. What was found is kept for the answer.`,
  )
  return { replaced: [{ messages: cut.flat(), by: new HumanMessage(note) }], count: cut.length }
}

function cutPassages(...[messages, excess, { evidence = [] }]: Parameters<CutStep>): Cut | null {
  const whole = formatEvidence(evidence)
  const replaceIn = promptWith(whole, messages)
  if (!replaceIn) return null
  const share = Math.max(0, 1 - excess / whole.length)
  const left = fewerPassages(evidence, { tokens: Math.max(1, Math.floor(share * evidenceTokens(evidence))) })
  return { replaced: [replaceIn(formatEvidence(left))], count: evidence.length - left.length, evidence: left }
}

/** A shorter result would not be worth reading. */
const shortResult = 400

function cutResults(...[messages, excess]: Parameters<CutStep>): Cut {
  const long = messages.filter((message) => ToolMessage.isInstance(message) && message.text.length > shortResult)
  const share = Math.max(0, 1 - excess / charactersOf(long))
  const replaced = long.flatMap((result) => {
    const most = Math.max(shortResult, Math.floor(share * result.text.length))
    const content = cutMiddle(result.text, most, () => toFit)
    return content.length < result.text.length ? [{ messages: [result], by: changed(result, { content }) }] : []
  })
  return { replaced, count: replaced.length }
}

/** How many of the first texts hold so many characters; all, if they do not. */
function countToCut(texts: readonly string[], characters: number): number {
  let sum = 0
  const at = texts.findIndex((text) => {
    sum += text.length + 1
    return sum >= characters
  })
  return at < 0 ? texts.length : at + 1
}

const toFit = " to fit the model's context window"

function leftOutNote(what: string, more = ''): string {
  return `[${what} left out${toFit}.${more}]`
}

function describeTrim({ from, to, window, sent }: ContextSize & { from: number; to: number }, left: LeftOut): string {
  const holds = window === null ? '' : ` of ${window} tokens`
  const size = sent === null ? '' : ` (${sent} tokens)`
  return `The model's context window${holds} does not hold the call${size}; ${wordsFor(left)} left out: ${from} characters became ${to}`
}

function wordsFor({ messages, rounds, passages, results }: LeftOut): string {
  const words = [
    messages > 0 && pluralOf(messages, 'earlier message'),
    rounds > 0 && pluralOf(rounds, 'tool round'),
    passages > 0 && pluralOf(passages, 'passage'),
    results > 0 && `the middle of ${pluralOf(results, 'tool result')}`,
  ]
  return words.filter(Boolean).join(', ') || 'the end of the best passage'
}

export function pluralOf(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}

/** Older messages of a conversation that a summary can replace. */
export interface OlderPart {
  /** Number of messages. */
  readonly count: number
  /** What they say, a paragraph each. */
  readonly text: string
  readonly by: (text: string) => Replacement
}

/**
 * The parts of a call that a summary can replace: the older messages of the thread, which stand in the prompt (`history`,
 * a text each), and those of the agent's own work after it. The newest `keep`, system messages and the question stay; a
 * call and its results stay or go together.
 */
export function olderParts(input: readonly BaseMessage[], history: readonly string[], keep: number): OlderPart[] {
  return [olderTurns(input, history, keep), olderWork(input, keep)].filter((part) => part !== null)
}

function olderTurns(input: readonly BaseMessage[], history: readonly string[], keep: number): OlderPart | null {
  const conversation = conversationIn(input, history)
  const older = conversation?.lines.slice(0, -keep) ?? []
  if (!conversation || older.length < 2) return null
  const newer = conversation.lines.slice(-keep)
  return { count: older.length, text: older.join('\n'), by: (text) => conversation.by([text, ...newer]) }
}

function olderWork(input: readonly BaseMessage[], keep: number): OlderPart | null {
  const question = input.findIndex((message) => HumanMessage.isInstance(message))
  if (question < 0) return null
  const units = unitsOf(input.slice(question + 1))
  const kept = units.findLastIndex((_, at) => units.slice(at).flat().length >= keep)
  const messages = units.slice(0, Math.max(0, kept)).flat()
  if (messages.length < 2) return null
  return { count: messages.length, text: spoken(messages), by: (text) => ({ messages, by: new HumanMessage(text) }) }
}

/** The earlier turns that still stand in a prompt word for word; null where there are none. */
function conversationIn(messages: readonly BaseMessage[], history: readonly string[]) {
  // A summary may have replaced the older ones already.
  for (let first = 0; first < history.length; first += 1) {
    const lines = history.slice(first)
    const replaceIn = promptWith(lines.join('\n'), messages)
    if (replaceIn) return { lines, by: (others: readonly string[]) => replaceIn(others.join('\n')) }
  }
  return null
}

/** Replaces a text of the prompt by another; null if no prompt contains it. */
function promptWith(text: string, messages: readonly BaseMessage[]) {
  const prompt = text && messages.find((message) => HumanMessage.isInstance(message) && message.text.includes(text))
  if (!prompt) return null
  return (other: string): Replacement => {
    const content = prompt.text.replace(text, () => other)
    return { messages: [prompt], by: changed(prompt, { content }) }
  }
}

/** Messages that only make sense together: calls with their results; any other stands alone. */
function unitsOf(messages: readonly BaseMessage[]): BaseMessage[][] {
  const units: BaseMessage[][] = []
  for (const message of messages) {
    if (ToolMessage.isInstance(message)) units.at(-1)?.push(message)
    else units.push([message])
  }
  return units
}

/** What messages say, with the arguments of their calls; a paragraph each. */
export function spoken(messages: readonly BaseMessage[]): string {
  return messages.map(spokenBy).join('\n\n')
}

export function charactersOf(messages: readonly BaseMessage[]): number {
  return messages.reduce((sum, message) => sum + spokenBy(message).length, 0)
}

function spokenBy(message: BaseMessage): string {
  if (ToolMessage.isInstance(message)) return `Result of ${message.name ?? 'a tool'}: ${message.text}`
  if (!AIMessage.isInstance(message)) return message.text
  const calls = callsOf(message).map(({ name, args }) => `Call of ${name}: ${JSON.stringify(args)}`)
  return [...(message.text ? [`Model: ${message.text}`] : []), ...calls].join('\n')
}

/** The messages with these replacements made. */
export function replace(messages: readonly BaseMessage[], replaced: readonly Replacement[]): BaseMessage[] {
  return replaced.reduce<BaseMessage[]>(
    (all, { messages: old, by }) => all.flatMap((each) => (each === old[0] ? [by] : old.includes(each) ? [] : [each])),
    [...messages],
  )
}

/** The tool that reads a passage by its id. */
export const readingTool = 'read_passages'
const mostNamed = 20

/** A tool's result as the model reads it: the middle of a long one is cut, and it says how to read passages in it. */
export function fitResult(
  { content, observations = [] }: ToolResult,
  { tools, observationCharacters }: { readonly tools: readonly Tool[]; readonly observationCharacters: number },
): string {
  return cutMiddle(content, observationCharacters, (kept) => {
    const isWhole = ({ text }: Observation) => kept.some((part) => part.includes(fencedText(text)))
    const missing = observations.filter((each) => each.origin === 'documents' && !isWhole(each))
    if (missing.length === 0 || !tools.some(({ name }) => name === readingTool)) return ''
    const ids = missing.slice(0, mostNamed).map(({ passageId }) => passageId)
    const more = missing.length > ids.length ? ` and ${missing.length - ids.length} more` : ''
    return `; call ${readingTool} with "passage" to read what is missing, one of: ${ids.join(', ')}${more}`
  })
}

/** The first and last characters of a long text, and between them how many are missing and what `more` says of it. */
function cutMiddle(text: string, most: number, more: (kept: readonly string[]) => string): string {
  if (text.length <= most) return text
  const half = Math.floor(most / 2)
  const kept = [text.slice(0, half), text.slice(-half)]
  return kept.join(`\n[… ${text.length - 2 * half} characters left out${more(kept)} …]\n`)
}

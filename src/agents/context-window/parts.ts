import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import type { ToolCall } from '@langchain/core/messages/tool'
import type { Replacement } from '../../events/index.ts'

/** Older messages of a conversation that something shorter may stand in for. */
export interface OlderPart {
  /** How many messages they are. */
  readonly count: number
  /** What they say, a paragraph each. */
  readonly text: string
  readonly by: (text: string) => Replacement
}

/**
 * What may give way in a model call: the older messages of the thread, which stand in the prompt (`history`, a text
 * each), and those of the agent's own work behind it. The newest `keep` stay, and so do the system's messages and the
 * question; a call and its results stay or go together.
 */
export function olderParts(input: readonly BaseMessage[], history: readonly string[], keep: number): OlderPart[] {
  return [olderTurns(input, history, keep), olderWork(input, keep)].filter((part) => part !== null)
}

/** The earlier turns as they still stand in a prompt; null where they do not. */
export function conversationIn(messages: readonly BaseMessage[], history: readonly string[]) {
  // Something shorter may stand for the older part already; the newest lines are as they were.
  for (let first = 0; first < history.length; first += 1) {
    const lines = history.slice(first)
    const prompt = promptWith(lines.join('\n'), messages)
    if (prompt) return { lines, by: (others: readonly string[]) => prompt.by(others.join('\n')) }
  }
  return null
}

/** The message in which the text stands, and what it is with another in its place. */
export function promptWith(text: string, messages: readonly BaseMessage[]) {
  const prompt = text && messages.find((message) => HumanMessage.isInstance(message) && message.text.includes(text))
  if (!prompt) return null
  const by = (other: string): Replacement => ({
    messages: [prompt],
    by: withText(
      prompt,
      prompt.text.replace(text, () => other),
    ),
  })
  return { by }
}

/** Messages that only make sense together: calls with their results; any other stands alone. */
export function unitsOf(messages: readonly BaseMessage[]): BaseMessage[][] {
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

export function callsOf(message: BaseMessage | undefined): readonly ToolCall[] {
  return AIMessage.isInstance(message) ? (message.tool_calls ?? []) : []
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
  const by = (text: string) => ({ messages, by: new HumanMessage(text) })
  return { count: messages.length, text: spoken(messages), by }
}

function spokenBy(message: BaseMessage): string {
  if (ToolMessage.isInstance(message)) return `Result of ${message.name ?? 'a tool'}: ${message.text}`
  if (!AIMessage.isInstance(message)) return message.text
  const calls = callsOf(message).map(({ name, args }) => `Call of ${name}: ${JSON.stringify(args)}`)
  return [...(message.text ? [`Model: ${message.text}`] : []), ...calls].join('\n')
}

/** The same messages, with these in the places of others. */
export function replace(messages: readonly BaseMessage[], replaced: readonly Replacement[]): BaseMessage[] {
  return replaced.reduce<BaseMessage[]>(
    (all, { messages: old, by }) => {
      const gone = new Set(old)
      return all.flatMap((each) => (each === old[0] ? [by] : gone.has(each) ? [] : [each]))
    },
    [...messages],
  )
}

/** The same message with another text. */
export function withText(message: BaseMessage, content: string): BaseMessage {
  const text = { content, lc_kwargs: { ...message.lc_kwargs, content } }
  // A message is a class with many kinds, so it is copied as it is.
  return Object.assign(Object.create(Object.getPrototypeOf(message)), message, text)
}

/** The first and last characters of a long text, and between them how many are missing and what `more` says of it. */
export function cutMiddle(text: string, most: number, more: (kept: readonly string[]) => string): string {
  if (text.length <= most) return text
  const half = Math.floor(most / 2)
  const kept = [text.slice(0, half), text.slice(-half)]
  return kept.join(`\n[… ${text.length - 2 * half} characters left out${more(kept)} …]\n`)
}

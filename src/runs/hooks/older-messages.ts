import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'

/** Older messages of a conversation that something shorter may stand in for. */
export interface OlderPart {
  /** What is to be replaced in the list of messages. */
  readonly messages: readonly BaseMessage[]
  /** What stands in their place. */
  readonly standIn: (text: string) => BaseMessage
  /** How many messages they were. */
  readonly count: number
  /** What they say, a paragraph each. */
  readonly text: string
}

/**
 * What may give way in a model call: the older messages of the thread, which stand in the prompt (`history`, a text
 * each), and those of the agent's own work behind it. The newest `keep` stay, and so do the system's messages and the
 * question; a call and its results stay or go together.
 */
export function olderParts(input: readonly BaseMessage[], history: readonly string[], keep: number): OlderPart[] {
  return [olderTurns(input, history, keep), olderWork(input, keep)].filter((part) => part !== null)
}

/** How long messages are, with the arguments of their calls. */
export function charactersOf(messages: readonly BaseMessage[]): number {
  return messages.reduce((sum, message) => sum + spoken(message).length, 0)
}

function olderTurns(input: readonly BaseMessage[], history: readonly string[], keep: number): OlderPart | null {
  const older = history.slice(0, -keep)
  const whole = history.join('\n')
  // It stands there no more once it has been shortened.
  const prompt = older.length > 1 ? input.find((message) => message.text.includes(whole)) : undefined
  if (!prompt) return null
  const newer = history.slice(-keep)
  return {
    messages: [prompt],
    standIn: (text) => new HumanMessage(prompt.text.replace(whole, () => [text, ...newer].join('\n'))),
    count: older.length,
    text: older.join('\n'),
  }
}

function olderWork(input: readonly BaseMessage[], keep: number): OlderPart | null {
  const question = input.findIndex((message) => HumanMessage.isInstance(message))
  if (question < 0) return null
  const units = unitsOf(input.slice(question + 1))
  const kept = units.findLastIndex((_, at) => units.slice(at).flat().length >= keep)
  const older = units.slice(0, Math.max(0, kept)).flat()
  if (older.length < 2) return null
  return {
    messages: older,
    standIn: (text) => new HumanMessage(text),
    count: older.length,
    text: older.map(spoken).join('\n\n'),
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

function spoken(message: BaseMessage): string {
  if (ToolMessage.isInstance(message)) return `Result of ${message.name ?? 'a tool'}: ${message.text}`
  if (!AIMessage.isInstance(message)) return message.text
  const calls = (message.tool_calls ?? []).map(({ name, args }) => `Call of ${name}: ${JSON.stringify(args)}`)
  return [...(message.text ? [`Model: ${message.text}`] : []), ...calls].join('\n')
}

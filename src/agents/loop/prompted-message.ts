import { AIMessage, type BaseMessage } from '@langchain/core/messages'
import type { Payloads } from '../../events/index.ts'

/** A message as traces show what a model was asked. */
export function promptedMessage(message: BaseMessage): Payloads['model.prompted']['messages'][number] {
  const calls = AIMessage.isInstance(message) ? (message.tool_calls ?? []) : []
  return {
    role: roles[message.type] ?? 'user',
    text: message.text,
    ...(calls.length > 0 && { toolCalls: calls.map(({ id = '', name, args }) => ({ id, name, args })) }),
  }
}

const roles: { readonly [type: string]: 'user' | 'assistant' | 'tool' | 'system' } = {
  human: 'user',
  ai: 'assistant',
  tool: 'tool',
  system: 'system',
}

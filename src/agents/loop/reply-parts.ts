import type { AIMessage } from '@langchain/core/messages'
import type { PendingToolCall } from '../../events/index.ts'

/** The tool calls of a reply, as the log keeps them. */
export function toolCallsOf(reply: AIMessage): PendingToolCall[] {
  return (reply.tool_calls ?? []).map(({ id = '', name, args }) => ({ id, name, args }))
}

/** Why the endpoint says that the reply ended; null if it does not. */
export function finishReasonOf(reply: AIMessage): string | null {
  const reason: unknown = reply.response_metadata.finish_reason
  return typeof reason === 'string' ? reason : null
}

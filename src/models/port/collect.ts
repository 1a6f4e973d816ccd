import { AIMessage, type AIMessageChunk } from '@langchain/core/messages'
import type { ChatGenerationChunk, ChatResult } from '@langchain/core/outputs'

/** A streamed answer as a whole one, for a model's `_generate`. Throws what the stream throws. */
export async function collect(chunks: AsyncIterable<ChatGenerationChunk>): Promise<ChatResult> {
  let whole: AIMessageChunk | undefined
  for await (const { message } of chunks) {
    // The models of this folder yield no other kind of message.
    const chunk = message as AIMessageChunk
    whole = whole ? whole.concat(chunk) : chunk
  }
  if (!whole) return { generations: [] }
  const message = toMessage(whole)
  return { generations: [{ text: message.text, message }] }
}

function toMessage(chunk: AIMessageChunk): AIMessage {
  const { id = '', content, tool_calls = [], invalid_tool_calls = [], response_metadata, usage_metadata } = chunk
  const message = new AIMessage({ id, content, tool_calls, invalid_tool_calls, response_metadata })
  // Assigned afterwards because LangChain's types make the field `undefined` and nothing else.
  return usage_metadata ? Object.assign(message, { usage_metadata }) : message
}

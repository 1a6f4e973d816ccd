import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage, AIMessageChunk, type BaseMessage, type UsageMetadata } from '@langchain/core/messages'
import type { ChatGenerationChunk, ChatResult } from '@langchain/core/outputs'

/** Streams a model's reply. Models of other makers ignore options of the call that they do not know. */
export async function openStream(
  model: BaseChatModel,
  messages: BaseMessage[],
  { tools = [], ...options }: { readonly tools?: readonly object[] },
): Promise<AsyncIterable<AIMessageChunk>> {
  const asked = tools.length > 0 && model.bindTools ? model.bindTools([...tools]) : model
  return asked.stream(messages, options)
}

/** A streamed answer as a whole one, for a model's `_generate`. Throws what the stream throws. */
export async function collect(chunks: AsyncIterable<ChatGenerationChunk>): Promise<ChatResult> {
  let whole: AIMessageChunk | undefined
  for await (const { message } of chunks) {
    const chunk = assistantChunk(message)
    whole = whole ? whole.concat(chunk) : chunk
  }
  if (!whole) return { generations: [] }
  const message = toMessage(whole)
  return { generations: [{ text: message.text, message }] }
}

/** The models of this folder yield no other kind of message. */
export function assistantChunk(message: BaseMessage): AIMessageChunk {
  if (AIMessageChunk.isInstance(message)) return message
  throw new TypeError(`A model yielded a message of type "${message.type}"`)
}

/** The tokens that an endpoint counted; undefined if it did not. LangChain's own type says `undefined` only. */
export function usageIn(message: { readonly usage_metadata?: UsageMetadata | undefined }): UsageMetadata | undefined {
  return message.usage_metadata
}

/** All chunks of a reply together as a message without undefined fields. */
export function toMessage(chunk: AIMessageChunk): AIMessage {
  const { id = '', content, tool_calls = [], invalid_tool_calls = [], response_metadata, usage_metadata } = chunk
  const message = new AIMessage({ id, content, tool_calls, invalid_tool_calls, response_metadata })
  // Assigned afterwards because LangChain's types make the field `undefined` and nothing else.
  return usage_metadata ? Object.assign(message, { usage_metadata }) : message
}

import type { Attributes } from '@opentelemetry/api'
import type { Payloads } from '../../events/index.ts'
import { input, output } from './observation.ts'

// Langfuse's chat view reads the form of OpenAI's protocol: every message has `content`, and the arguments of a tool call
// are a text in JSON.

/** The request of a model call. */
export function promptAttributes({ messages, tools, parameters }: Payloads['model.prompted']): Attributes {
  const written = messages.map(({ role, text, toolCalls = [], toolCallId }) => ({
    ...message(
      role,
      text,
      toolCalls.map((call) => ({ ...call, args: JSON.stringify(call.args) })),
    ),
    ...(toolCallId !== undefined && { tool_call_id: toolCallId }),
  }))
  const { temperature, max_tokens: maxTokens } = parameters ?? {}
  return {
    [input]: JSON.stringify({ messages: written, ...(tools && { tools }) }),
    ...(parameters && { 'langfuse.observation.model.parameters': JSON.stringify(parameters) }),
    ...(typeof temperature === 'number' && { 'gen_ai.request.temperature': temperature }),
    ...(typeof maxTokens === 'number' && { 'gen_ai.request.max_tokens': maxTokens }),
  }
}

/** The reply of a model. */
export function replyAttributes({ text, toolCalls }: Payloads['model.replied']): Attributes {
  return { [output]: JSON.stringify(message('assistant', text, toolCalls)) }
}

function message(role: string, content: string, calls: Payloads['model.replied']['toolCalls']) {
  const toolCalls = calls.map(({ id, name, args }) => ({ id, type: 'function', function: { name, arguments: args } }))
  return { role, content, ...(toolCalls.length > 0 && { tool_calls: toolCalls }) }
}

import type { BaseMessage } from '@langchain/core/messages'
import type { Context } from '../../events/index.ts'

/** What of a message holds what was said or found. */
const told = [
  'content',
  'tool_calls',
  'invalid_tool_calls',
  'additional_kwargs',
  'response_metadata',
  'artifact',
  'lc_kwargs',
] as const

/** The message without configured credentials: neither a model nor a checkpoint gets to see one. */
export function maskedMessage<M extends BaseMessage>(message: M, { credentials }: Pick<Context, 'credentials'>): M {
  if (!credentials) return message
  const fields = Object.fromEntries(
    told.flatMap((name) => (name in message ? [[name, Reflect.get(message, name)]] : [])),
  )
  const clean = credentials.mask(fields)
  // A message is a class with many kinds, so it is copied as it is.
  return clean === fields ? message : Object.assign(Object.create(Object.getPrototypeOf(message)), message, clean)
}

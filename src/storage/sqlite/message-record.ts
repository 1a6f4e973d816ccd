import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  RemoveMessage,
  SystemMessage,
  ToolMessage,
} from '@langchain/core/messages'

/** A message as plain data: its type, and the fields that were set. */
export interface MessageRecord {
  readonly type: string
  readonly fields: Readonly<Record<string, unknown>>
}

/** The fields that are kept, and the one class that is made of them, by message type. */
const kinds: Readonly<
  Record<string, { readonly keeps: readonly string[]; readonly make: (fields: Fields) => BaseMessage }>
> = Object.freeze({
  human: { keeps: [], make: (fields) => new HumanMessage(fields) },
  system: { keeps: [], make: (fields) => new SystemMessage(fields) },
  ai: {
    keeps: ['tool_calls', 'invalid_tool_calls', 'usage_metadata'],
    make: (fields) => new AIMessage(fields),
  },
  tool: {
    keeps: ['tool_call_id', 'status', 'artifact', 'metadata'],
    make: (fields) => new ToolMessage({ ...fields, tool_call_id: String(fields.tool_call_id ?? '') }),
  },
  remove: { keeps: [], make: (fields) => new RemoveMessage({ ...fields, id: String(fields.id ?? '') }) },
})
const keptByAll = ['id', 'name', 'content', 'additional_kwargs', 'response_metadata']

type Fields = { content: string; tool_call_id?: unknown; id?: string }

/** The message as data; null for a type that is not known. Chunks become whole messages when they are read. */
export function recordOfMessage(message: BaseMessage): MessageRecord | null {
  const kind = kindOf(message.type)
  if (!kind) return null
  const source = message as unknown as Record<string, unknown>
  const kept = [...keptByAll, ...kind.keeps].flatMap((name) =>
    source[name] === undefined ? [] : [[name, source[name]] as const],
  )
  return { type: message.type, fields: Object.fromEntries(kept) }
}

/** The message again; null if the data is not that of a known one. */
export function messageOfRecord(type: unknown, data: unknown): BaseMessage | null {
  const kind = kindOf(type)
  if (!kind || !isFields(data)) return null
  const names = [...keptByAll, ...kind.keeps].filter((name) => Object.hasOwn(data, name))
  const fields = Object.fromEntries(names.map((name) => [name, data[name]]))
  // The constructors guess at what is missing and rewrite content; what was kept is set afterwards, as it was.
  const message = kind.make({ ...fields, content: '', additional_kwargs: {}, response_metadata: {} } as Fields)
  Object.assign(message, fields)
  Object.assign(message.lc_kwargs, fields)
  return message
}

function kindOf(type: unknown) {
  return typeof type === 'string' && Object.hasOwn(kinds, type) ? kinds[type] : undefined
}

function isFields(data: unknown): data is Record<string, unknown> {
  if (typeof data !== 'object' || data === null) return false
  const { id, content } = data as Record<string, unknown>
  return (id === undefined || typeof id === 'string') && (typeof content === 'string' || Array.isArray(content))
}

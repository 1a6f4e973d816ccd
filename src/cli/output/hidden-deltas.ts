import { hiddenPieces, type StreamRedactor } from '../../credentials/mask.ts'
import type { StreamEvent } from '../../index.ts'

type Delta = Extract<StreamEvent, { readonly type: 'message.delta' }>
type Part = { readonly pieces: StreamRedactor; readonly last: Delta }

/**
 * A stream whose messages can be shown piece by piece: text that is shaped like a credential is hidden, also if it comes
 * in two pieces. A piece that may be the beginning of one waits for the next piece, or for the end of its message.
 */
export async function* hiddenDeltas(stream: AsyncIterable<StreamEvent>): AsyncGenerator<StreamEvent> {
  const open = new Map<string, Map<number | 'text', Part>>()
  for await (const event of stream) {
    if (event.type === 'message.delta') {
      const parts = open.get(event.payload.messageId) ?? new Map<number | 'text', Part>()
      open.set(event.payload.messageId, parts)
      const shown = receive(event, parts)
      if (shown) yield shown
      continue
    }
    if (event.type === 'message.completed') {
      yield* held(open.get(event.payload.messageId))
      open.delete(event.payload.messageId)
    }
    yield event
  }
}

/** What may be shown now; null for nothing. A message has one part for its text and one for each tool call. */
function receive(delta: Delta, parts: Map<number | 'text', Part>): Delta | null {
  const { text, toolCall, soFar } = delta.payload
  const key = toolCall?.index ?? 'text'
  const pieces = (soFar ? undefined : parts.get(key)?.pieces) ?? hiddenPieces()
  parts.set(key, { pieces, last: delta })
  const shown = pieces.push(toolCall ? toolCall.args : text)
  return toolCall || shown ? withText(delta, shown) : null
}

/** The text that was held back, at the end of its message. */
function* held(parts: ReadonlyMap<unknown, Part> = new Map()): Iterable<Delta> {
  for (const { pieces, last } of parts.values()) {
    const rest = pieces.flush()
    const { soFar: _, ...payload } = last.payload
    if (rest) yield withText({ ...last, id: `${last.id}:rest`, payload }, rest)
  }
}

function withText(delta: Delta, text: string): Delta {
  const { payload } = delta
  const { toolCall } = payload
  return { ...delta, payload: { ...payload, ...(toolCall ? { toolCall: { ...toolCall, args: text } } : { text }) } }
}

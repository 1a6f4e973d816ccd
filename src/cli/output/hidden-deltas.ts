import { hiddenPieces, type StreamRedactor } from '../../credentials/mask.ts'
import type { StreamEvent } from '../../index.ts'

type Delta = Extract<StreamEvent, { readonly type: 'message.delta' }>

/**
 * A stream whose messages can be shown piece by piece: what is shaped like a credential is hidden, also where it comes in
 * two pieces. What may be one waits for the next piece, or for the end of its message, and so comes before that.
 */
export async function* hiddenDeltas(stream: AsyncIterable<StreamEvent>): AsyncGenerator<StreamEvent> {
  const open = new Map<string, OpenMessage>()
  for await (const event of stream) {
    if (event.type === 'message.delta') {
      const message = open.get(event.payload.messageId) ?? new OpenMessage()
      open.set(event.payload.messageId, message)
      const shown = message.receive(event)
      if (shown) yield shown
      continue
    }
    if (event.type === 'message.completed') {
      yield* open.get(event.payload.messageId)?.rest() ?? []
      open.delete(event.payload.messageId)
    }
    yield event
  }
}

/** The text of a message and the arguments of each of its tool calls, while they are written. */
class OpenMessage {
  readonly #parts = new Map<number | 'text', { pieces: StreamRedactor; last: Delta }>()

  /** What may be shown now; null for nothing. */
  receive(delta: Delta): Delta | null {
    const { text, toolCall, soFar } = delta.payload
    const key = toolCall?.index ?? 'text'
    const known = soFar ? undefined : this.#parts.get(key)
    const pieces = known?.pieces ?? hiddenPieces()
    this.#parts.set(key, { pieces, last: delta })
    const shown = pieces.push(toolCall ? toolCall.args : text)
    return toolCall || shown ? saying(delta, shown) : null
  }

  /** What was held back, now that no more comes. */
  *rest(): Iterable<Delta> {
    for (const { pieces, last } of this.#parts.values()) {
      const left = pieces.flush()
      const { soFar: _, ...payload } = last.payload
      if (left) yield saying({ ...last, id: `${last.id}:rest`, payload }, left)
    }
  }
}

function saying(delta: Delta, shown: string): Delta {
  const { payload } = delta
  const { toolCall } = payload
  return {
    ...delta,
    payload: { ...payload, ...(toolCall ? { toolCall: { ...toolCall, args: shown } } : { text: shown }) },
  }
}

import type { Event, StreamEvent } from '../../events/index.ts'

type Delta = Event<'message.delta'> & Pick<StreamEvent, 'runId' | 'threadId'>
type ToolCallDelta = NonNullable<Delta['payload']['toolCall']>

/** What a model has written of a message so far. */
interface OpenMessage {
  readonly last: Delta
  readonly text: string
  readonly toolCalls: ReadonlyMap<number, ToolCallDelta>
}

/** Messages that are being written: their text is nowhere else, since deltas are not stored. */
export class OpenMessages {
  readonly #open = new Map<string, OpenMessage>()

  see(line: StreamEvent): void {
    if (line.type === 'message.delta') this.#write(line)
    else if (line.type === 'message.completed') this.#open.delete(line.payload.messageId)
  }

  /** All deltas so far as a few: the text of each open message in one, and each of its tool calls in one. */
  soFar(): readonly StreamEvent[] {
    return [...this.#open.values()].flatMap(({ last, text, toolCalls }) => [
      ...(text === '' ? [] : [wholeDelta(last, { text })]),
      ...[...toolCalls.values()].map((toolCall) => wholeDelta(last, { text: '', toolCall })),
    ])
  }

  #write(line: Delta): void {
    const { messageId, text, toolCall } = line.payload
    const before = this.#open.get(messageId)
    const toolCalls = toolCall ? new Map(before?.toolCalls).set(toolCall.index, joined(before, toolCall)) : undefined
    this.#open.set(messageId, {
      last: line,
      text: (before?.text ?? '') + text,
      toolCalls: toolCalls ?? before?.toolCalls ?? new Map(),
    })
  }
}

function joined(before: OpenMessage | undefined, piece: ToolCallDelta): ToolCallDelta {
  const known = before?.toolCalls.get(piece.index)
  return known ? { ...known, ...piece, args: known.args + piece.args } : piece
}

function wholeDelta(last: Delta, { text, toolCall }: Pick<Delta['payload'], 'text' | 'toolCall'>): StreamEvent {
  const { messageId, scope } = last.payload
  const id = `${last.id}:so-far${toolCall ? `:${toolCall.index}` : ''}`
  return { ...last, id, payload: { messageId, scope, text, ...(toolCall && { toolCall }), soFar: true } }
}

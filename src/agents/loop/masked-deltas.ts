import type { StreamRedactor } from '../../credentials/mask.ts'
import type { Context } from '../../events/index.ts'
import type { ToolCallPiece } from '../../models/port/model.ts'

/** Told of each piece of a reply: of its text, or of a tool call. */
export type OnDelta = (text: string, toolCall?: ToolCallPiece) => Promise<void>

/** Pieces of a reply on their way to the reader, without configured credentials, also where one comes in two pieces. */
export interface MaskedDeltas {
  readonly push: OnDelta
  /** The reply is whole: tells what was held back. */
  readonly flush: () => Promise<void>
}

export function maskedDeltas({ credentials }: Pick<Context, 'credentials'>, tell: OnDelta): MaskedDeltas {
  if (!credentials) return { push: tell, flush: async () => {} }
  const text = credentials.maskedPieces()
  const calls = new Map<number, StreamRedactor>()
  return {
    async push(piece, call) {
      if (call) {
        const args = calls.get(call.index) ?? credentials.maskedPieces()
        calls.set(call.index, args)
        return tell('', { ...call, args: args.push(call.args) })
      }
      const clean = text.push(piece)
      if (clean) await tell(clean)
    },
    async flush() {
      const rest = text.flush()
      if (rest) await tell(rest)
      for (const [index, args] of calls) {
        const left = args.flush()
        if (left) await tell('', { index, args: left })
      }
    },
  }
}

import { redactor, shapeBegins } from '../redact.ts'
import { StreamRedactor } from './held-back.ts'

const hideShapes = redactor([])

/**
 * Hides what is shaped like a credential in a text that comes in pieces, as if it had come as a whole. The last word
 * waits for the next piece, and so does what may be the beginning of a header or a key with blanks in it; all else goes
 * out at once.
 */
export function hiddenPieces(): StreamRedactor {
  return new StreamRedactor(hideShapes, (text) => {
    // What is before a beginning may end with another one.
    for (let end = text.length; ; ) {
      const next = shapeBegins(text.slice(0, end))
      if (next === end) return end
      end = next
    }
  })
}

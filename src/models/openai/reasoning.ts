/** Takes the reasoning out of an answer's text while it streams. Stateful: made anew for each answer. */
export interface ReasoningFilter {
  /** What of the text so far belongs to the answer and was not returned before. */
  push(text: string): string
  /** What was held back, once the answer is over: the beginning of a mark that never became one. */
  flush(): string
}

/**
 * Models that reason in the open write their reasoning before the answer, between marks, where no server parses it out:
 * DeepSeek-R1 and Qwen `<think>` (https://docs.vllm.ai/en/latest/features/reasoning_outputs.html), Mistral `[THINK]`.
 * Only what stands at the very beginning is taken out: further on the marks may be what the answer is about.
 */
const marks = [
  ['<think>', '</think>'],
  ['<thinking>', '</thinking>'],
  ['[THINK]', '[/THINK]'],
] as const

export function withoutReasoning(): ReasoningFilter {
  let held = ''
  let end: string | null = null
  let isFound = false
  let isOver = false

  const begin = (): string => {
    const start = held.trimStart()
    const block = marks.find(([open]) => start.startsWith(open))
    if (block) {
      isFound = true
      end = block[1]
      held = start.slice(block[0].length)
      return skip(end)
    }
    if (marks.some(([open]) => open.startsWith(start))) return ''
    isOver = true
    return isFound ? start : held
  }

  const skip = (close: string): string => {
    const at = held.indexOf(close)
    // The mark itself may come in pieces.
    held = at < 0 ? held.slice(-close.length) : held.slice(at + close.length)
    if (at < 0) return ''
    end = null
    return begin()
  }

  return {
    push(text) {
      if (isOver || text === '') return text
      held += text
      return end === null ? begin() : skip(end)
    },
    flush() {
      const rest = isOver || end !== null ? '' : held
      held = ''
      return rest
    },
  }
}

import type { TextFilter } from '../../answers/cited-text.ts'

/**
 * Templates of models that always reason (DeepSeek-R1, QwQ) write the opening mark themselves, so that where no server
 * parses the reasoning out, the text begins in the middle of it and only its end is marked, on a line of its own.
 */
const end = /(?:^|\n)[ \t]*<\/think>[ \t]*(?:\n|$)/

/** What follows reasoning that has an end and no beginning; the text as it is, if it holds none. */
export function afterReasoning(text: string): string {
  const mark = end.exec(text)
  if (!mark || text.slice(0, mark.index).includes('<think>')) return text
  return text.slice(mark.index + mark[0].length).trimStart()
}

/** Shows nothing before the reasoning has ended, then what `inner` shows; all of it at last, if it had no end. */
export function reasoningFirst(inner: TextFilter): TextFilter {
  let held: string | null = ''
  const release = (text: string) => {
    held = null
    return inner.push(text)
  }
  return {
    push(text) {
      if (held === null) return inner.push(text)
      held += text
      // A line that is only begun may still be the end, or more than it.
      return end.test(held.slice(0, held.lastIndexOf('\n') + 1)) ? release(afterReasoning(held)) : ''
    },
    flush() {
      const rest = held === null ? '' : release(afterReasoning(held))
      return rest + inner.flush()
    },
  }
}

/** Shows everything. */
export const unfiltered: TextFilter = { push: (text) => text, flush: () => '' }

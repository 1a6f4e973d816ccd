import { createInterface } from 'node:readline'
import type { Input, Output } from '../output/terminal.ts'

/** Lines from stdin, one at a time. */
export interface Lines {
  /** null if there are no more. */
  readonly next: (prompt: string) => Promise<string | null>
  /** True while a person can type a line. */
  readonly areAwaited: () => boolean
  /** Makes this the next line, without a prompt. */
  readonly putBack: (line: string) => void
  readonly close: () => void
}

/**
 * `onInterrupt` receives Ctrl-C on a terminal, and says whether it stopped the question: a reply that this question waits
 * for is then null. A line that was being typed is cleared.
 */
export function openLines(input: Input, output: Output, onInterrupt: () => boolean): Lines {
  const reader = createInterface({
    input: input.stdin,
    ...(input.isTerminal && { output: output.stderr }),
    terminal: input.isTerminal,
    signal: input.signal,
  })
  let isAwaited = false
  let giveUp = () => {}
  let coming: Promise<IteratorResult<string>> | null = null
  let kept: string | null = null
  // On a terminal the reader gets the keys, Ctrl-C too.
  reader.on('SIGINT', () => {
    if (isAwaited) {
      reader.write(null, { ctrl: true, name: 'u' })
      output.stderr.write('\n')
    }
    const isStopped = onInterrupt()
    if (isStopped) giveUp()
    else if (isAwaited && !input.signal.aborted) reader.prompt()
  })
  const iterator = reader[Symbol.asyncIterator]()
  return {
    next: async (prompt) => {
      const line = kept
      kept = null
      if (line !== null) return line
      if (input.isTerminal) {
        reader.setPrompt(prompt)
        reader.prompt()
      }
      isAwaited = true
      // A line that was not waited for to its end is the next one.
      coming ??= iterator.next()
      const givenUp = new Promise<null>((resolve) => {
        giveUp = () => resolve(null)
      })
      const next = await Promise.race([coming, givenUp])
      isAwaited = false
      if (next === null) return null
      coming = null
      return next.done ? null : next.value.trim()
    },
    areAwaited: () => isAwaited,
    putBack: (line) => {
      kept = line
    },
    close: () => reader.close(),
  }
}

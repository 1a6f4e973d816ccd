import type { RunResult } from '../../index.ts'

/** What a run says to the person: an answer, or a question back. */
export function saidIn({ answer, clarification }: Pick<RunResult, 'answer' | 'clarification'>): string {
  return answer || clarification || ''
}

/** A line for each footnote, for clients that show text alone. */
export function footnotesOf({ citations }: Pick<RunResult, 'citations'>): readonly string[] {
  return citations.map(({ marker, label, quote }) => `[${marker}] ${label}: “${quote}”`)
}

/** The pieces in which a text is streamed: words, each with the space behind it. */
export function wordsOf(text: string): readonly string[] {
  return text.match(/\S+\s*/g) ?? []
}

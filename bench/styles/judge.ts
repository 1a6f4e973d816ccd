import type { RunResult } from '../../src/runs/log/result.ts'
import type { Case } from './case.ts'

export interface Verdict {
  /** A true draft was kept whole; a false one was caught. */
  readonly isRight: boolean
  /** Sentences that were lost, or lies that were shown. */
  readonly wrong: readonly string[]
}

/** A sentence counts as verified if it stands in the answer, and not among what is unsupported. */
export function judge({ isTrue, sentences, free }: Case, result: RunResult): Verdict {
  // An answer that only says that nothing is said is as good as an abstention.
  if (isTrue && sentences.length === 0 && result.abstained) return { isRight: true, wrong: [] }
  const blocks = result.abstained ? [] : result.answer.split(/\n\s*\n/)
  const dropped = result.unsupported.map(textOf).map(plain)
  const isVerified = (sentence: string, needsMarker: boolean): boolean =>
    blocks.some((block) => holds(plain(block), sentence) && (!needsMarker || marker.test(block))) &&
    !dropped.some((text) => holds(text, sentence))
  const wrong = isTrue
    ? [
        ...sentences.filter((sentence) => !isVerified(sentence, true)),
        ...free.filter((sentence) => !isVerified(sentence, false)),
      ]
    : sentences.filter((sentence) => isVerified(sentence, false))
  return { isRight: wrong.length === 0, wrong }
}

const marker = /\[\d+\]/

/** What was not verified: its text, or an object that holds it. */
function textOf(entry: unknown): string {
  if (typeof entry === 'string') return entry
  return typeof entry === 'object' && entry !== null && 'text' in entry ? String(entry.text) : ''
}

/** The words and figures of a sentence stand in a text, in a row. */
export function says(text: string, sentence: string): boolean {
  return holds(plain(text), sentence)
}

function holds(text: string, sentence: string): boolean {
  return ` ${text} `.includes(` ${plain(sentence)} `)
}

/** Words and figures only: no markers, emphasis, bars of tables or quotation marks. */
function plain(text: string): string {
  const words = text.replace(/\[\d+\]/g, ' ').match(/[\p{L}\p{N}%]+/gu) ?? []
  return words.join(' ').toLowerCase()
}

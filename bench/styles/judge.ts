import type { RunResult } from '../../src/runs/log/result.ts'
import type { Case } from './case.ts'

type State = RunResult['sentences'][number]['state'] | 'gone'

export interface Verdict {
  /** A true draft was kept whole; a false one was caught. */
  readonly isRight: boolean
  /** Sentences that were lost, or lies that were shown. */
  readonly wrong: readonly string[]
  /** What became of each sentence that is judged; `gone`: it is neither shown nor told, since it was corrected, or the answer withheld. */
  readonly states: readonly State[]
}

/** A true sentence is to be shown with a citation, a false one not at all. */
export function judge({ isTrue, sentences, free }: Case, result: RunResult): Verdict {
  // An answer that only says that nothing is said is as good as an abstention.
  if (isTrue && sentences.length === 0 && result.abstained) return { isRight: true, wrong: [], states: [] }
  const stateOf = (sentence: string): State => stateIn(result, sentence)
  const isShown = (sentence: string) => ['verified', 'quoted'].includes(stateOf(sentence))
  const states = sentences.map(stateOf)
  const lost = [...sentences.filter((each) => !isShown(each)), ...free.filter((each) => !isInAnswer(each, result))]
  const wrong = isTrue ? lost : sentences.filter(isShown)
  return { isRight: wrong.length === 0, wrong, states }
}

function stateIn({ sentences, abstained }: RunResult, sentence: string): State {
  const found = sentences.find(({ text }) => holds(plain(text), sentence) || holds(plain(sentence), text))
  return abstained ? 'gone' : (found?.state ?? 'gone')
}

function isInAnswer(sentence: string, { answer, abstained }: RunResult): boolean {
  return !abstained && holds(plain(answer), sentence)
}

function holds(text: string, sentence: string): boolean {
  return ` ${text} `.includes(` ${plain(sentence)} `)
}

/** Words and figures only: no markers, emphasis, bars of tables or quotation marks. */
function plain(text: string): string {
  const words = text.replace(/\[\d+\]/g, ' ').match(/[\p{L}\p{N}%]+/gu) ?? []
  return words.join(' ').toLowerCase()
}

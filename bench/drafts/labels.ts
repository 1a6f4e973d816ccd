import type { Draft } from './account.ts'
import type { KeptAnswer } from './kept-answers.ts'

/** What a person says of an answer. Null: not judged yet. */
export interface Labels {
  readonly id: string
  /** The first draft answers the question rightly; of a question that nothing answers: it declines. */
  readonly draftRight: boolean | null
  /** So does what is shown. */
  readonly shownRight: boolean | null
  /** Whether each sentence is true, in the order of `sentencesIn`. */
  readonly sentences: readonly (boolean | null)[]
}

/**
 * What became of a sentence that a model wrote. `correction`: its reader wrote it. `withheld`: it stood, but is no part of the
 * answer, since a rewrite took its place or the answer was declined.
 */
export type Fate =
  | 'verified'
  | 'quoted'
  | 'withheld'
  | 'corrected'
  | 'correction'
  | `dropped by ${Draft['sentences'][number]['stage']}`

export interface FatedSentence {
  readonly text: string
  readonly fate: Fate
}

/** The sentences of all drafts, each once, with what became of it last; a correction stands behind what it corrects. */
export function sentencesIn({ drafts, shown }: Pick<KeptAnswer, 'drafts' | 'shown'>): readonly FatedSentence[] {
  const fates = new Map<string, Fate>()
  for (const { text, state, stage, correctedFrom } of drafts.flatMap(({ sentences }) => sentences)) {
    if (correctedFrom !== undefined) fates.set(correctedFrom, 'corrected').set(text, 'correction')
    else if (state === 'unsupported') fates.set(text, `dropped by ${stage}`)
    else fates.set(text, shown.includes(text) ? state : 'withheld')
  }
  return Array.from(fates, ([text, fate]) => ({ text, fate }))
}

/** A line for a person to fill in: what is to be judged, and the labels, all open. */
export function formOf(answer: KeptAnswer) {
  const { id, question, wanted, drafts, abstained, citations } = answer
  const said = sentencesIn(answer)
  const labels: Labels = { id, draftRight: null, shownRight: null, sentences: said.map(() => null) }
  return {
    question,
    wanted,
    draft: firstWritten(drafts)?.text ?? null,
    shown: abstained ? `(declined) ${answer.answer}` : answer.answer,
    quotes: citations.map(({ source, page, quote }) => `${source}, page ${page}: ${quote}`),
    says: said.map(({ text }) => text),
    ...labels,
  }
}

/** The draft that a reader would have seen without any check: the first that says something. */
function firstWritten(drafts: readonly Draft[]): Draft | undefined {
  return drafts.find(({ sentences }) => sentences.length > 0) ?? drafts.at(-1)
}

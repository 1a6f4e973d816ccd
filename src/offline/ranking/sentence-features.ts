import { RELATED, relativesOf } from '../../library/language/related-words.ts'
import { stem } from '../../library/language/stem.ts'
import { synonymsOf } from '../../library/language/synonyms.ts'
import { contentStems, stems, tokens } from '../../library/language/terms.ts'
import { calledIn } from '../language/names.ts'
import { answerSigns } from './answer-signs.ts'
import { type Question, wantsFact } from './question.ts'
import type { EvidenceText, SentenceUnit } from './sentence-unit.ts'

/** What a sentence is weighed by, most of it from 0 to 1. The weights stand in `sentence-model.ts`. */
export const SENTENCE_FEATURES = [
  /** The question's words in it or above it in the passage, those further up counting less. */
  'soFar',
  /** In it or the sentence before, those counting more that are rare in the evidence. */
  'withPrevious',
  'withNext',
  /** The question's neighbouring words that are neighbours here too, "of" and "the" among them. */
  'phrases',
  /** Whether it looks like an answer of the kind that is asked for. */
  'signs',
  /** The passage's score as a share of the best one's. */
  'nearBest',
  /** The question's words in its heading. */
  'heading',
  /** Of the words that name a document of the evidence, those that name this one. */
  'ownDocument',
  /** The words of a row's label that the question has. */
  'label',
  'defines',
  /** A fact is asked for, and it holds none of that kind. */
  'lacksFact',
  /** It opens its passage. */
  'opens',
] as const

export type SentenceFeature = (typeof SENTENCE_FEATURES)[number]
export type SentenceFeatures = Readonly<Record<SentenceFeature, number>>

/** What all sentences of the evidence are measured with. */
export interface SentenceScale {
  readonly asked: Question
  /** The question's neighbouring words, in pairs. */
  readonly pairs: ReadonlySet<string>
  /** How much each of the question's words counts: by its rarity in the library, and in the evidence. */
  readonly inLibrary: ReadonlyMap<string, number>
  readonly inEvidence: ReadonlyMap<string, number>
  /** Those of the question's words that are in the name of a document of the evidence, but not of all. */
  readonly naming: ReadonlyMap<string, number>
  /** The best score of a passage. */
  readonly bestScore: number
  readonly match: WordMatch
}

/** Measures one sentence or row; `own` are the stems that count as said by it, `bears` says whether it bears an answer. */
export function sentenceFeatures(
  { text, start, row, passage, before, next, headings }: SentenceUnit,
  own: ReadonlySet<string>,
  { bears, defines }: { readonly bears: boolean; readonly defines: boolean },
  { asked, pairs, inLibrary, inEvidence, naming, bestScore, match }: SentenceScale,
): SentenceFeatures {
  const here = (word: string) => match(word, own)
  const either = (other: ReadonlySet<string>) => (word: string) => Math.max(here(word), match(word, other))
  const last = new Set(stems(passage.section?.split(' > ').at(-1) ?? ''))
  const called = identityOf(passage)
  return {
    soFar: shareOf(inLibrary, (word) => Math.max(here(word), heldBefore(word, before, headings, match))),
    withPrevious: shareOf(inEvidence, either(before[0] ?? NONE)),
    withNext: shareOf(inLibrary, either(next)),
    phrases: shareIn(pairsOf(tokens(text).map(({ word }) => stem(word))), [...pairs]),
    signs: answerSigns(asked, text, bears),
    nearBest: bestScore > 0 ? passage.score / bestScore : 0,
    heading: shareOf(inLibrary, (word) => match(word, last)),
    ownDocument: shareOf(naming, (word) => Number(called.has(word))),
    label: shareIn(new Set(asked.stems), contentStems(row?.label ?? '')),
    defines: Number(defines),
    lacksFact: Number(!bears && wantsFact(asked.kind)),
    opens: Number(start === 0),
  }
}

/** Stems of what the document of a passage is called. */
export function identityOf(passage: EvidenceText): ReadonlySet<string> {
  return new Set(stems(calledIn(passage)))
}

/**
 * The first sentence under a heading that names just what is asked for, which seldom repeats it; or one that says what
 * it "is" or "means".
 */
export function isDefinition(
  { text, passage: { section }, start }: Pick<SentenceUnit, 'text' | 'passage' | 'start'>,
  { kind, stems: asked }: Question,
): boolean {
  if (kind !== 'definition' || asked.length === 0) return false
  const heading = contentStems(section?.split(' > ').at(-1) ?? '')
  const isHeaded =
    heading.length > 0 && heading.every((word) => asked.includes(word)) && asked.every((word) => heading.includes(word))
  if (isHeaded && start === 0) return true
  const said = DEFINES.exec(text)?.[1]
  const subject = said === undefined ? [] : contentStems(said)
  return subject.length > 0 && subject.length <= asked.length + 1 && asked.every((word) => subject.includes(word))
}

const DEFINES =
  /^((?:\S+\s){1,6}?)(?:is|are|means?|refers? to|denotes?|stands for) (?:an?|the|one|any|that|what|when)\b/i

/** The share of the weight of all words, each held to the degree that `held` says. */
export function shareOf(weights: ReadonlyMap<string, number>, held: (word: string) => number): number {
  let total = 0
  let sum = 0
  for (const [word, weight] of weights) {
    total += weight
    sum += weight * held(word)
  }
  return total > 0 ? sum / total : 0
}

const NONE: ReadonlySet<string> = new Set()
/** The topic of a sentence carries over to the next one, and so on, a little less each time. */
const FADES_BY = 0.8
const TITLE_MEANT = 0.4

function heldBefore(
  word: string,
  before: readonly ReadonlySet<string>[],
  headings: ReadonlySet<string>,
  match: WordMatch,
): number {
  let most = headings.has(word) ? TITLE_MEANT : 0
  for (const [i, sentence] of before.entries()) {
    const counts = FADES_BY ** (i + 1)
    if (counts <= most) break
    most = Math.max(most, counts * match(word, sentence))
  }
  return most
}

function shareIn(said: ReadonlySet<string>, wanted: readonly string[]): number {
  return wanted.length > 0 ? wanted.filter((each) => said.has(each)).length / wanted.length : 0
}

/** Neighbouring words, in pairs. */
export function pairsOf(words: readonly string[]): ReadonlySet<string> {
  return new Set(words.slice(1).map((word, i) => `${words[i]} ${word}`))
}

/** How much of a question's word a text holds: 1 the word itself, less a word of its family or meaning, 0 none. */
export type WordMatch = (word: string, present: ReadonlySet<string>) => number

/** Matches stems of a question against texts that hold no other stems than the vocabulary. */
export function matchWords(asked: readonly string[], vocabulary: ReadonlySet<string>): WordMatch {
  const relatives = relativesOf(asked, vocabulary)
  const kin = new Map(
    asked.map((word) => {
      const synonyms = synonymsOf(word).filter((other) => vocabulary.has(other))
      return [word, [...(relatives.get(word) ?? []), ...synonyms]]
    }),
  )
  return (word, present) => {
    if (present.has(word)) return 1
    return kin.get(word)?.some((other) => present.has(other)) ? RELATED : 0
  }
}

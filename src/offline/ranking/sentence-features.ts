import { contentStems, isCompound, RELATED, relativesOf, stem, stems, synonymsOf, tokens } from '../../library/index.ts'
import { calledIn } from '../language/names.ts'
import { type AnswerKind, type Question, wantsFact } from './question.ts'
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
  /** The question's words in its passage, as a share of what the best one holds, and in all passages of its document. */
  'passage',
  'document',
  /** The question's words in its heading. */
  'heading',
  /** Of the words that name a document of the evidence, those that name this one. */
  'ownDocument',
  /** The words of a row's label that the question has. */
  'label',
  /** A fact is asked for, and it holds none of that kind. */
  'lacksFact',
  /** It opens its passage. */
  'opens',
] as const

/** What it says for a text to hold the kind that is asked for. A kind that is missing here stands in almost every sentence. */
const WEIGHT_OF_KIND: Readonly<Partial<Record<AnswerKind, number>>> = {
  number: 0.13,
  share: 0.13,
  money: 0.13,
  time: 0.19,
  place: 0.06,
  person: 0.09,
  reason: 0.22,
  definition: 0.2,
}

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
  /** How much of the question each passage and document holds, as a share of the best. */
  readonly held: ReadonlyMap<string, number>
  readonly match: WordMatch
}

/** Measures one sentence or row; `own` are the stems that count as said by it, `bears` says whether it bears an answer. */
export function sentenceFeatures(
  { text, opens, row, passage, section, before, next, headings }: SentenceUnit,
  own: ReadonlySet<string>,
  bears: boolean,
  { asked, pairs, inLibrary, inEvidence, naming, bestScore, held, match }: SentenceScale,
): SentenceFeatures {
  const called = identityOf(passage)
  // What all of a document is about tells none of its sentences from another.
  const here = (word: string) => (called.has(word) ? 1 : match(word, own))
  const either = (other: ReadonlySet<string>) => (word: string) => Math.max(here(word), match(word, other))
  const last = new Set(stems(section?.split(' > ').at(-1) ?? ''))
  return {
    soFar: shareOf(inLibrary, (word) => Math.max(here(word), heldBefore(word, before, headings, match))),
    withPrevious: shareOf(inEvidence, either(before[0] ?? NONE)),
    withNext: shareOf(inLibrary, either(next)),
    phrases: shareIn(pairsOf(tokens(text).map(({ word }) => stem(word))), [...pairs]),
    signs: bears ? (WEIGHT_OF_KIND[asked.kind] ?? 0) : 0,
    nearBest: bestScore > 0 ? passage.score / bestScore : 0,
    passage: held.get(passage.id) ?? 0,
    document: held.get(documentKey(passage)) ?? 0,
    heading: shareOf(inLibrary, (word) => match(word, last)),
    ownDocument: shareOf(naming, (word) => Number(called.has(word))),
    label: shareIn(new Set(asked.stems), contentStems(row?.label ?? '')),
    lacksFact: Number(!bears && wantsFact(asked.kind)),
    opens: Number(opens),
  }
}

/** Which document a passage belongs to, among keys of passages. */
export function documentKey({ documentId, title, source }: EvidenceText): string {
  return `document ${documentId ?? source ?? title ?? ''}`
}

/** Stems of what the document of a passage is called. */
export function identityOf(passage: EvidenceText): ReadonlySet<string> {
  return new Set(stems(calledIn(passage)))
}

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
      const compounds = [...vocabulary].filter((other) => isCompound(word, other))
      return [word, [...(relatives.get(word) ?? []), ...compounds, ...synonyms]]
    }),
  )
  return (word, present) => {
    if (present.has(word)) return 1
    return kin.get(word)?.some((other) => present.has(other)) ? RELATED : 0
  }
}

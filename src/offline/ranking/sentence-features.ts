import { RELATED, relativesOf } from '../../library/language/related-words.ts'
import { stem } from '../../library/language/stem.ts'
import { synonymsOf } from '../../library/language/synonyms.ts'
import { contentStems, contentWords, tokens } from '../../library/language/terms.ts'
import { answerSigns } from './answer-signs.ts'
import type { Question } from './question.ts'
import type { SentenceUnit } from './sentence-unit.ts'

/** What a sentence is weighed by, most of it from 0 to 1. The weights stand in `sentence-model.ts`. */
export const SENTENCE_FEATURES = [
  /** The passage's score. */
  'passage',
  /** The question's words in it or above it in the passage, those further up counting less. */
  'soFar',
  /** In it or the sentence before, those counting more that are rare in the evidence. */
  'withPrevious',
  'withNext',
  'withTitle',
  /** What the sentence before adds, where this one begins with a pronoun. */
  'pronoun',
  /** The question's words in its first third. */
  'early',
  /** The longest run of the question's words that stand here in the same order, others between them. */
  'order',
  /** The question's neighbouring words that are neighbours here too, "of" and "the" among them. */
  'phrases',
  /** What stands behind "what" or "which": the thing asked for. */
  'focus',
  /** Whether it looks like an answer of the kind that is asked for. */
  'signs',
  'opensPassage',
  'isFragment',
] as const

export type SentenceFeature = (typeof SENTENCE_FEATURES)[number]
export type SentenceFeatures = Readonly<Record<SentenceFeature, number>>

/** What all sentences of the evidence are measured with. */
export interface SentenceScale {
  readonly asked: Question
  /** The question's neighbouring words, in pairs. */
  readonly pairs: ReadonlySet<string>
  /** Stems of what stands behind "what" or "which". */
  readonly focus: readonly string[]
  /** How much each of the question's words counts: by its rarity in the library, and in the evidence. */
  readonly inLibrary: ReadonlyMap<string, number>
  readonly inEvidence: ReadonlyMap<string, number>
  readonly match: WordMatch
}

/** Measures one sentence or row; `own` are the stems that count as said by it, `bears` says whether it bears an answer. */
export function sentenceFeatures(
  { passage, start, text, before, next, headings, row }: SentenceUnit,
  own: ReadonlySet<string>,
  bears: boolean,
  { asked, pairs, focus, inLibrary, inEvidence, match }: SentenceScale,
): SentenceFeatures {
  const previous = before[0] ?? NONE
  const words = tokens(text).map(({ word }) => stem(word))
  const opening = new Set(words.slice(0, Math.max(LEAST_OPENING, Math.ceil(words.length / 3))))
  const here = (word: string) => match(word, own)
  const either = (other: ReadonlySet<string>) => (word: string) => Math.max(here(word), match(word, other))
  const isReferring = PRONOUN.test(text)
  return {
    passage: passage.score,
    soFar: shareOf(inLibrary, (word) => Math.max(here(word), heldBefore(word, before, headings, match))),
    withPrevious: shareOf(inEvidence, either(previous)),
    withNext: shareOf(inLibrary, either(next)),
    withTitle: shareOf(inLibrary, (word) => Math.max(here(word), Number(headings.has(word)))),
    pronoun: isReferring ? shareOf(inLibrary, either(previous)) - shareOf(inLibrary, here) : 0,
    early: shareOf(inLibrary, (word) => Number(opening.has(word))),
    order: commonOrder(asked.stems, contentStems(text)),
    phrases: shareIn(pairsOf(words), [...pairs]),
    focus: shareIn(own, focus),
    signs: answerSigns(asked, text, bears),
    opensPassage: Number(start === 0),
    isFragment: Number(!row && words.length < LEAST_WORDS),
  }
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
const LEAST_OPENING = 6
const LEAST_WORDS = 6
/** The topic of a sentence carries over to the next one, and so on, a little less each time. */
const FADES_BY = 0.8
const TITLE_MEANT = 0.4
const PRONOUN = /^(it|they|he|she|this|these|that|those|his|her|its|their|such|the latter|both)\b/i

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

/** The length of the longest common subsequence, as a share of the question. */
function commonOrder(asked: readonly string[], said: readonly string[]): number {
  const longest = new Array<number>(asked.length + 1).fill(0)
  for (const word of said) {
    let diagonal = 0
    for (const [i, wanted] of asked.entries()) {
      const above = longest[i + 1] ?? 0
      longest[i + 1] = wanted === word ? diagonal + 1 : Math.max(above, longest[i] ?? 0)
      diagonal = above
    }
  }
  return asked.length > 0 ? (longest.at(-1) ?? 0) / asked.length : 0
}

/** What the sentences are compared with of a question's wording; it is the same for all of them. */
export function phrasesOf(question: string): Pick<SentenceScale, 'pairs' | 'focus'> {
  return {
    pairs: pairsOf(tokens(question).map(({ word }) => stem(word))),
    // "political party", in "what political party is strongest".
    focus: contentWords(focusOf(question).replace(KIND_OF, '')).map(stem),
  }
}

function shareIn(said: ReadonlySet<string>, wanted: readonly string[]): number {
  return wanted.length > 0 ? wanted.filter((each) => said.has(each)).length / wanted.length : 0
}

function pairsOf(words: readonly string[]): ReadonlySet<string> {
  return new Set(words.slice(1).map((word, i) => `${words[i]} ${word}`))
}

/** Up to five words behind the first "what" or "which" that has such a phrase; else the one behind the first. */
function focusOf(question: string): string {
  const words = question.match(/[\p{L}\p{N}'’-]+|[^\s\p{L}\p{N}'’-]/gu) ?? []
  const asks = words.flatMap((word, i) =>
    /^(?:what|which)$/i.test(word) && IS_WORD.test(words[i + 1] ?? '') ? [i + 1] : [],
  )
  for (const start of asks) {
    const length = words
      .slice(start + 1, start + 1 + MOST_WORDS)
      .findIndex((word) => ENDS_FOCUS.has(word.toLowerCase()))
    const phrase = words.slice(start, start + 1 + length)
    if (length >= 0 && phrase.every((word) => IS_WORD.test(word))) return phrase.join(' ')
  }
  return words[asks[0] ?? words.length] ?? ''
}

const MOST_WORDS = 5
const IS_WORD = /^[\p{L}\p{N}'’-]/u
const ENDS_FOCUS: ReadonlySet<string> = new Set(
  'is are was were do does did has have had can could will would may might must should in to that for on at by with from'.split(
    ' ',
  ),
)
const KIND_OF = /\b(type|kind|form|sort|brand|name|part)s? of\b/i

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

import { RELATED, relativesOf } from '../../library/language/related-words.ts'
import { stem } from '../../library/language/stem.ts'
import { synonymsOf } from '../../library/language/synonyms.ts'
import { contentStems, stems, tokens } from '../../library/language/terms.ts'
import { answerSigns } from './answer-signs.ts'
import { type Question, wantsNumber } from './question.ts'
import type { EvidenceText, SentenceUnit } from './sentence-unit.ts'

/** What a sentence is weighed by, most of it from 0 to 1. The weights stand in `sentence-model.ts`. */
export const SENTENCE_FEATURES = [
  /** The question's words in it or above it in the passage, those further up counting less. */
  'soFar',
  /** In it or the sentence before, those counting more that are rare in the evidence. */
  'withPrevious',
  'withNext',
  'withTitle',
  /** What the sentence before adds, where this one begins with a pronoun. */
  'pronoun',
  /** The question's neighbouring words that are neighbours here too, "of" and "the" among them. */
  'phrases',
  /** Whether it looks like an answer of the kind that is asked for. */
  'signs',
  /** The passage's score as a share of the best one's. */
  'nearBest',
  /** The question's words in the snippet that is shown of it. */
  'snippet',
  /** Those in its heading, and in what its document is called. */
  'heading',
  'identity',
  /** Of the words that name a document of the evidence, those that name this one. */
  'ownDocument',
  /** The question's words in a row's label, and in the names of its columns. */
  'label',
  'labelAsked',
  'column',
  'isRow',
  'rowForFigure',
  'lacksFigure',
  'lacksTime',
  'lacksName',
  'defines',
  'saysNothingNew',
  'isQuestion',
  'negates',
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
  unit: SentenceUnit,
  own: ReadonlySet<string>,
  bears: boolean,
  scale: SentenceScale,
): SentenceFeatures {
  return {
    ...wordFeatures(unit, own, bears, scale),
    ...placeFeatures(unit, scale),
    ...formFeatures(unit, bears, scale),
  }
}

function wordFeatures(
  { text, before, next, headings }: SentenceUnit,
  own: ReadonlySet<string>,
  bears: boolean,
  { asked, pairs, inLibrary, inEvidence, match }: SentenceScale,
) {
  const previous = before[0] ?? NONE
  const words = tokens(text).map(({ word }) => stem(word))
  const here = (word: string) => match(word, own)
  const either = (other: ReadonlySet<string>) => (word: string) => Math.max(here(word), match(word, other))
  const isReferring = PRONOUN.test(text)
  return {
    soFar: shareOf(inLibrary, (word) => Math.max(here(word), heldBefore(word, before, headings, match))),
    withPrevious: shareOf(inEvidence, either(previous)),
    withNext: shareOf(inLibrary, either(next)),
    withTitle: shareOf(inLibrary, (word) => Math.max(here(word), Number(headings.has(word)))),
    pronoun: isReferring ? shareOf(inLibrary, either(previous)) - shareOf(inLibrary, here) : 0,
    phrases: shareIn(pairsOf(words), [...pairs]),
    signs: answerSigns(asked, text, bears),
  }
}

/** How its passage, section and document, and what is shown with it, fit the question. */
function placeFeatures(
  { passage, inSnippet, row }: SentenceUnit,
  { asked, inLibrary, naming, bestScore, match }: SentenceScale,
) {
  const last = new Set(stems(passage.section?.split(' > ').at(-1) ?? ''))
  const called = identityOf(passage)
  const label = contentStems(row?.label ?? '')
  const columns = new Set(stems(row ? `${row.table.header.join(' ')} ${row.group ?? ''}` : ''))
  return {
    nearBest: bestScore > 0 ? passage.score / bestScore : 0,
    snippet: shareOf(inLibrary, (word) => match(word, inSnippet)),
    heading: shareOf(inLibrary, (word) => match(word, last)),
    identity: shareOf(inLibrary, (word) => Number(called.has(word))),
    ownDocument: shareOf(naming, (word) => Number(called.has(word))),
    label: label.length > 0 ? shareIn(new Set(asked.stems), label) : 0,
    labelAsked: shareOf(inLibrary, (word) => Number(label.includes(word))),
    column: shareOf(inLibrary, (word) => Number(columns.has(word))),
  }
}

/** Stems of what the document of a passage is called. */
export function identityOf({ title, source }: EvidenceText): ReadonlySet<string> {
  const file = (source?.split(/[\\/]/).at(-1) ?? '').replace(/[_.-]+/g, ' ')
  return new Set(stems(`${title ?? ''} ${file}`))
}

const NEGATES = /\b(?:not|no|never|cannot|neither|nor|without|n['’]t|none)\b/i

/** What speaks for or against it by its form. */
function formFeatures(unit: SentenceUnit, bears: boolean, { asked }: SentenceScale) {
  const { text, row } = unit
  const wantsFigure = wantsNumber(asked.kind)
  const said = contentStems(text)
  const saysNew = said.filter((word) => !asked.stems.includes(word)).length >= 3
  const lacks = (...kinds: readonly string[]) => Number(!bears && kinds.includes(asked.kind))
  return {
    isRow: Number(row !== null),
    rowForFigure: Number(row !== null && wantsFigure && bears),
    lacksFigure: Number(wantsFigure && !bears),
    lacksTime: lacks('time'),
    lacksName: lacks('person', 'author', 'place'),
    defines: Number(!row && isDefinition(unit, asked)),
    saysNothingNew: Number(!row && !saysNew),
    isQuestion: Number(text.endsWith('?')),
    negates: Number(asked.kind === 'yes-no' && NEGATES.test(text)),
  }
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

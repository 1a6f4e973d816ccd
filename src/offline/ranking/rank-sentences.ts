import { stem } from '../../library/language/stem.ts'
import { contentStems } from '../../library/language/terms.ts'
import type { PassageIndex } from '../../library/port/passage-index.ts'
import { inverseFrequency } from '../../library/search/rank-passages.ts'
import { type AnswerKind, bearsAnswer, type Question, readQuestion, wantsClockTime, wantsNumber } from './question.ts'
import { saysOtherwise } from './says-otherwise.ts'
import {
  matchWords,
  phrasesOf,
  SENTENCE_FEATURES,
  type SentenceFeatures,
  type SentenceScale,
  sentenceFeatures,
  shareOf,
} from './sentence-features.ts'
import { SENTENCE_MODEL } from './sentence-model.ts'
import { type EvidenceText, type SentenceUnit, unitsOf } from './sentence-unit.ts'
import type { TableRow } from './table.ts'

export type { EvidenceText }

/** A sentence or table row that may answer the question. */
export interface RankedSentence {
  /** The passage's id. */
  readonly id: string
  /** `passage.text.slice(start, end) === text` */
  readonly start: number
  readonly end: number
  readonly text: string
  /** A row's cells and the table that gives them their meaning; null for sentences. */
  readonly row: TableRow | null
  /** Greater is better; about 1 is a perfect match. Comparable between questions. */
  readonly score: number
  /** 0 to 1: the share of the question's words that stand in it, rare words counting more. */
  readonly coverage: number
  /** The same, with the title, headings and neighbours that give it its meaning. */
  readonly coverageInContext: number
  /** Whether it holds the kind of thing that the question asks for. */
  readonly bearsAnswer: boolean
  /** The score of its passage, as the search gave it. */
  readonly passageScore: number
}

/** How much each stem of a question counts. */
export type StemWeights = ReadonlyMap<string, number>

/** Looks up how common a question's words are in the whole library. */
export async function stemWeights(index: Pick<PassageIndex, 'frequencies'>, question: Question): Promise<StemWeights> {
  const { passages, of } = await index.frequencies([...new Set(question.words)])
  return new Map(question.words.map((word) => [stem(word), inverseFrequency(of.get(word) ?? 0, passages)]))
}

/**
 * Orders the sentences and table rows of the evidence by how likely they answer the question, best first. `weights`
 * come from `stemWeights`; without them, words that are rare in the evidence itself count more.
 */
export function rankSentences(
  question: Question | string,
  evidence: readonly EvidenceText[],
  weights?: StemWeights,
): readonly RankedSentence[] {
  const asked = typeof question === 'string' ? readQuestion(question) : question
  return bestFirst(measureSentences(asked, evidence, weights))
}

/** The same in steps that are short however much evidence there is; `pause` is awaited between them, and may throw. */
export async function rankInSteps(
  asked: Question,
  evidence: readonly EvidenceText[],
  weights: StemWeights,
  pause: () => Promise<unknown>,
): Promise<readonly RankedSentence[]> {
  const units: SentenceUnit[] = []
  for (const passage of evidence) {
    await pause()
    units.push(...unitsOf(passage))
  }
  const scale = scaleOf(asked, units, weights)
  const measured: MeasuredSentence[] = []
  for (const unit of units) {
    await pause()
    measured.push(measure(unit, scale))
  }
  return bestFirst(measured)
}

function bestFirst(measured: readonly MeasuredSentence[]): readonly RankedSentence[] {
  return measured
    .map(({ features, byHand, ...sentence }) => ({ ...sentence, score: byHand + weigh(features) }))
    .sort((a, b) => b.score - a.score)
}

/** A sentence with all that its score is made of. */
export interface MeasuredSentence extends Omit<RankedSentence, 'score'> {
  readonly features: SentenceFeatures
  /** What its form, its table or its defining the term adds: weights that are not fitted. */
  readonly byHand: number
}

/** Measures the sentences and rows in the order of the evidence, for ranking them and for fitting the ranking. */
export function measureSentences(
  asked: Question,
  evidence: readonly EvidenceText[],
  weights?: StemWeights,
): readonly MeasuredSentence[] {
  const units = evidence.flatMap(unitsOf)
  const scale = scaleOf(asked, units, weights)
  return units.map((unit) => measure(unit, scale))
}

function scaleOf(asked: Question, units: readonly SentenceUnit[], weights: StemWeights | undefined): SentenceScale {
  const wanted = [...new Set(asked.stems)]
  const texts = units.map(({ own }) => new Set(own))
  const vocabulary = new Set(units.flatMap(({ own, headings }) => [...own, ...headings]))
  const inEvidence = new Map(
    wanted.map((word) => [word, inverseFrequency(texts.filter((text) => text.has(word)).length, texts.length)]),
  )
  const inLibrary = new Map(wanted.map((word) => [word, (weights ?? inEvidence).get(word) ?? 1]))
  return { asked, ...phrasesOf(asked.text), inLibrary, inEvidence, match: matchWords(wanted, vocabulary) }
}

function weigh(features: SentenceFeatures): number {
  return SENTENCE_FEATURES.reduce((sum, name) => sum + SENTENCE_MODEL[name] * features[name], 0)
}

// Set by hand: the question sets that the model is fitted to hold neither tables nor many definitions.
const BY_HAND = { defines: 0.3, labelAsked: 0.2, labelShare: 0.2, saysOtherwise: -0.4 } as const

function measure(unit: SentenceUnit, scale: SentenceScale): MeasuredSentence {
  const { asked, inLibrary, match } = scale
  const { passage, start, end, text, row, before, headings } = unit
  const defines = !row && isDefinition({ text, section: passage.section, opens: start === 0 }, asked)
  const own = meantBy(unit, asked, defines)
  const bears = bearsAnswer(asked, text)
  const context = new Set([...unit.own, ...(before[0] ?? []), ...headings])
  return {
    id: passage.id,
    start,
    end,
    text,
    row,
    coverage: shareOf(inLibrary, (word) => Number(own.has(word))),
    coverageInContext: shareOf(inLibrary, (word) => match(word, context)),
    bearsAnswer: bears,
    passageScore: passage.score,
    features: sentenceFeatures(unit, own, bears, scale),
    byHand:
      formOf({ text, kind: passage.kind, row, isCaption: unit.isCaption, bears }, asked, contentStems(text)) +
      (defines ? BY_HAND.defines : 0) +
      (saysOtherwise(unit, asked) ? BY_HAND.saysOtherwise : 0) +
      (row ? labelScore(row, asked, inLibrary) : 0),
  }
}

/** The stems that count as said: a line of authors says the title above it, a definition what it defines. */
function meantBy({ own, text, headings }: SentenceUnit, asked: Question, defines: boolean): ReadonlySet<string> {
  if (defines) return new Set([...own, ...asked.stems])
  return new Set(namesAuthors(text, asked.kind) ? [...own, ...headings] : own)
}

/** A row answers when its own label is asked for: caption and header are the same for all its neighbours. */
function labelScore(row: TableRow, asked: Question, weights: StemWeights): number {
  const label = contentStems(row.label)
  if (label.length === 0) return 0
  const known = new Set(label.filter((word) => asked.stems.includes(word)))
  const share = shareOf(weights, (word) => Number(known.has(word)))
  return (
    (BY_HAND.labelAsked * label.filter((word) => known.has(word)).length) / label.length + BY_HAND.labelShare * share
  )
}

/** What the form of a sentence or row is judged by. */
interface Formed {
  readonly text: string
  readonly kind: 'text' | 'table' | 'references'
  readonly row: TableRow | null
  readonly isCaption: boolean
  /** It holds the kind of thing that the question asks for. */
  readonly bears: boolean
}

// Set by hand: the question sets hold neither tables nor bibliographies.
const WEIGHTS = {
  saysNothingNew: -0.1,
  isQuestion: -0.2,
  captionInPlaceOfNumber: -0.15,
  reference: -0.2,
  pointsElsewhere: -0.2,
  rowInPlaceOfDefinition: -0.3,
  rowWithoutFigure: -0.15,
  namesAuthors: 0.5,
  lacksClockTime: -0.6,
  lacksName: -0.3,
} as const

/** What speaks for or against a sentence by its form alone; `content` are the stems of its content words. */
function formOf({ text, kind, row, isCaption, bears }: Formed, asked: Question, content: readonly string[]): number {
  const saysNew = content.filter((word) => !asked.stems.includes(word)).length >= 3
  const marks: readonly (readonly [boolean, number])[] = [
    [!row && !saysNew, WEIGHTS.saysNothingNew],
    [text.endsWith('?'), WEIGHTS.isQuestion],
    [isCaption && wantsNumber(asked.kind), WEIGHTS.captionInPlaceOfNumber],
    [kind === 'references', WEIGHTS.reference],
    [POINTER.test(text), WEIGHTS.pointsElsewhere],
    [row !== null && asked.kind === 'definition', WEIGHTS.rowInPlaceOfDefinition],
    [row !== null && wantsNumber(asked.kind) && !bears, WEIGHTS.rowWithoutFigure],
    [namesAuthors(text, asked.kind), WEIGHTS.namesAuthors],
    [wantsClockTime(asked) && !bears, WEIGHTS.lacksClockTime],
    [WHO_HOLDS.test(asked.text) && !namesSomebody(text, asked), WEIGHTS.lacksName],
  ]
  return marks.reduce((sum, [applies, weight]) => sum + (applies ? weight : 0), 0)
}

/** "Who is the site lead?", not "Who is eligible?". */
const WHO_HOLDS = /^\W*who(?:['’]s| is| was| are| were) (?:the|our|your|its|their)\b/i

/** A name that the question does not say, other than a role: "the Tenant", "(Address of …)". */
function namesSomebody(text: string, { stems: asked }: Question): boolean {
  const names = text.match(/(?<!\b(?:the|an?|this|that|any|each)\s|[(“"]\s?)\b\p{Lu}[\p{L}'’-]+/giu) ?? []
  return names.some((name) => /^\p{Lu}/u.test(name) && contentStems(name).some((word) => !asked.includes(word)))
}

/** A line of names and nothing else, as below a title, where authors are asked for. */
export function namesAuthors(text: string, kind: AnswerKind): boolean {
  if (kind !== 'author') return false
  const words = text.split(/[\s,;]+/).filter((word) => !/^(and|&|von|van|de|der|la)$/i.test(word))
  return words.length >= 2 && words.length <= 40 && words.every((word) => /^\p{Lu}[\p{L}.'’-]*\d*$/u.test(word))
}

/**
 * The first sentence under a heading that names just what is asked for, which seldom repeats it; or one that says what
 * it "is" or "means".
 */
function isDefinition(
  { text, section, opens }: { readonly text: string; readonly section: string | null; readonly opens: boolean },
  { kind, stems: asked }: Question,
): boolean {
  if (kind !== 'definition' || asked.length === 0) return false
  const heading = contentStems(section?.split(' > ').at(-1) ?? '')
  const isHeaded =
    heading.length > 0 && heading.every((word) => asked.includes(word)) && asked.every((word) => heading.includes(word))
  if (isHeaded && opens) return true
  const said = DEFINES.exec(text)?.[1]
  const subject = said === undefined ? [] : contentStems(said)
  return subject.length > 0 && subject.length <= asked.length + 1 && asked.every((word) => subject.includes(word))
}

const DEFINES =
  /^((?:\S+\s){1,6}?)(?:is|are|means?|refers? to|denotes?|stands for) (?:an?|the|one|any|that|what|when)\b/i

// "Figure 5 shows the components": the sentence says where something is, not what it is.
const POINTER =
  /^(figure|fig\.|table|section|appendix|algorithm)\s*[A-Z]?\d[\d.]*\s+(shows?|illustrates?|presents?|depicts?|lists?|summari[sz]es?|gives?|describes?|provides?|reports?|compares?)\b/i

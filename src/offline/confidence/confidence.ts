import { numbersIn } from '../../library/language/numbers.ts'
import { stems } from '../../library/language/terms.ts'
import { namesIn } from '../language/names.ts'
import { questionParts } from '../language/question-parts.ts'
import { measureOf } from '../language/version-words.ts'
import { type Question, readQuestion, wantsNumber } from '../ranking/question.ts'
import { type EvidenceText, type RankedSentence, rankSentences, type StemWeights } from '../ranking/rank-sentences.ts'
import { applyModel, CONFIDENCE_MODEL, type ConfidenceFeatures } from './confidence-model.ts'

/** By which rule an answer was made: what speaks for one says little for another. */
export type AnswerBasis =
  | 'sentence'
  | 'part'
  | 'definition'
  | 'steps'
  | 'cell'
  | 'metadata'
  | 'abstract'
  | 'vintages'
  | 'comparison'

/** A passage at hand; which document it stands in tells how clear the choice of the document was. */
export interface EvidenceOfDocument extends EvidenceText {
  readonly documentId?: string
}

export interface AnswerToJudge {
  readonly question: string
  /** All passages that were at hand, not only those cited: the others tell how clear the choice was. */
  readonly evidence: readonly EvidenceOfDocument[]
  /** The quotes of the answer, each with the id of its passage in `evidence`. */
  readonly quotes: readonly { readonly id: string; readonly quote: string }[]
  /** `sentence` if absent. */
  readonly basis?: AnswerBasis
  /** How rare the question's words are in the library (`stemWeights`); judged by the evidence alone if absent. */
  readonly weights?: StemWeights
}

/**
 * Probability that an answer made by rule is right, from its evidence alone. 0 for an answer without quotes. A question
 * of several parts is as well answered as the part that is answered worst.
 */
export function confidenceOf(answer: AnswerToJudge): number {
  return judgeOf[answer.basis ?? 'sentence'](answer)
}

/** How well each part of the question is answered. */
function byParts(answer: AnswerToJudge, isSideBySide = false): readonly number[] {
  return partsWithWords(answer.question).map((question) => {
    const features = confidenceFeatures({ ...answer, question }, isSideBySide)
    return features ? applyModel(features, CONFIDENCE_MODEL) : 0
  })
}

/**
 * What the other rules go by is not how well a sentence fits the question, so its features say nothing about them. A
 * title page or an abstract is the right place for what it was taken from. Documents set side by side are no rivals of
 * each other: their quotes are judged as if nothing else had been found.
 */
const judgeOf: Readonly<Record<AnswerBasis, (answer: AnswerToJudge) => number>> = {
  sentence: (answer) => Math.min(...byParts(answer)),
  // The other parts are said not to be answered.
  part: (answer) => Math.max(...byParts(answer)),
  definition: ({ quotes }) => (quotes.length > 0 ? OF_FORM : 0),
  steps: ({ quotes }) => (quotes.length > 0 ? OF_FORM : 0),
  cell: ({ quotes }) => (quotes.length > 0 ? OF_FORM : 0),
  metadata: ({ quotes }) => (quotes.length > 0 ? OF_TITLE_PAGE : 0),
  abstract: ({ quotes }) => (quotes.length > 0 ? OF_ABSTRACT : 0),
  // The years and versions that the question names stand on title pages, not next to the figures.
  vintages: (answer) => sideBySide({ ...answer, question: measureOf(answer.question) }),
  comparison: (answer) => Math.max(answer.quotes.length > 1 ? OF_COMPARISON : 0, sideBySide(answer)),
}

// Not fitted: the reader finds title, authors and year of nine papers in ten.
const OF_TITLE_PAGE = 0.9
const OF_ABSTRACT = 0.8
// Each quote speaks of one of the two things, so that it holds half of the question at most.
const OF_COMPARISON = 0.6
// The rule found the very words: the term before "is a", the heading above the steps, the row and the column.
const OF_FORM = 0.75

function sideBySide(answer: AnswerToJudge): number {
  const quoted = answer.evidence.filter(({ id }) => answer.quotes.some((quote) => quote.id === id))
  const documents = new Set(quoted.map(({ documentId }) => documentId))
  const evidence = answer.evidence.filter(({ documentId }) => documents.has(documentId))
  return Math.min(...byParts({ ...answer, evidence }, true))
}

/** "And when does it fail?" alone has no words to look for; it is judged with the rest. */
function partsWithWords(question: string): readonly string[] {
  const parts = questionParts(question)
  return parts.every((part) => readQuestion(part).words.length > 0) ? parts : [question]
}

/** What speaks for an answer and against it; null if it quotes nothing of the evidence. */
export function confidenceFeatures(
  { question, evidence, quotes, weights }: AnswerToJudge,
  isSideBySide = false,
): ConfidenceFeatures | null {
  const asked = readQuestion(question)
  const ranked = rankSentences(asked, evidence, weights)
  const quoted = quotes.map(({ id, quote }) => ({ id, quote: plain(quote) }))
  const cited = ranked.filter((sentence) => isQuoted(sentence, quoted))
  const best = cited[0]
  if (!best) return null
  const rival = ranked.find((sentence) => !cited.includes(sentence) && !agrees(sentence, best, asked))
  return {
    passage: Math.max(...cited.map((sentence) => sentence.passageScore)),
    coverage: best.coverageInContext,
    names: shareOfNames(
      question,
      evidence.find(({ id }) => id === best.id),
    ),
    score: Math.max(0, Math.min(MOST_SCORE, best.score)),
    margin: marginOf(best, rival, isSideBySide || cited.every(({ text }) => LIST_ITEM.test(text))),
    lead: leadOf(cited, evidence),
    length: Math.min(1, new Set(asked.stems).size / LONG_QUESTION),
  }
}

/** It says the same, or gives the same figure where one is asked for. */
function agrees(sentence: RankedSentence, best: RankedSentence, asked: Question): boolean {
  if (plain(sentence.text).includes(plain(best.text))) return true
  if (!wantsNumber(asked.kind)) return false
  const valuesIn = (text: string) => numbersIn(text).map(({ value }) => value)
  const known = new Set(valuesIn(asked.text))
  const given = new Set(valuesIn(best.text).filter((value) => !known.has(value)))
  return valuesIn(sentence.text).some((value) => given.has(value))
}

// A sentence that stands alone has no rivals, right or wrong. A document that is the only one speaks neither for nor
// against its answer: it leads as documents do on average in the questions that the model was fitted to.
const NO_RIVAL = 0.1
const NO_OTHER_DOCUMENT = 0.2

// An item of a list shares few words with the question that its heading answers.
const LIST_ITEM = /^(?:•|\(?\d{1,3}[.)])\s/

function marginOf(best: RankedSentence, rival: RankedSentence | undefined, beyondRanking: boolean): number {
  if (!rival) return NO_RIVAL
  const margin = clamp(best.score - rival.score)
  return beyondRanking ? Math.max(margin, NO_RIVAL) : margin
}

function leadOf(cited: readonly RankedSentence[], evidence: readonly EvidenceOfDocument[]): number {
  const isCited = (passage: EvidenceOfDocument) => cited.some(({ id }) => id === passage.id)
  const documents = new Set(evidence.filter(isCited).map(({ documentId }) => documentId))
  const best = (inCited: boolean) =>
    evidence
      .filter(({ documentId }) => documents.has(documentId) === inCited)
      .reduce((most, { score }) => Math.max(most, score), 0)
  return documents.size < new Set(evidence.map(({ documentId }) => documentId)).size
    ? clamp(best(true) - best(false))
    : NO_OTHER_DOCUMENT
}

// A better match, and a longer question, say no more beyond these.
const MOST_SCORE = 1.5
const LONG_QUESTION = 10

// Being ahead says no more beyond this.
const MOST_AHEAD = 0.3

function clamp(ahead: number): number {
  return Math.max(-MOST_AHEAD, Math.min(MOST_AHEAD, ahead))
}

function shareOfNames(question: string, passage: EvidenceOfDocument | undefined): number {
  const held = new Set(stems(`${passage?.title ?? ''} ${passage?.section ?? ''} ${passage?.text ?? ''}`))
  const names = namesIn(question)
  const known = names.filter(({ text }) => stems(text).every((word) => held.has(word)))
  return names.length > 0 ? known.length / names.length : 1
}

/** A plain quote is part of the sentence, or the sentence of the quote. */
function isQuoted({ id, text }: RankedSentence, quoted: AnswerToJudge['quotes']): boolean {
  const said = plain(text)
  return quoted.some((each) => each.id === id && (said.includes(each.quote) || each.quote.includes(said)))
}

function plain(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

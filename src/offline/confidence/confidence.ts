import { numbersIn } from '../../library/language/numbers.ts'
import { stems } from '../../library/language/terms.ts'
import { namesIn } from '../language/names.ts'
import { type Question, wantsFact, wantsNumber } from '../ranking/question.ts'
import type { EvidenceText, RankedSentence, StemWeights } from '../ranking/rank-sentences.ts'
import type { ConfidenceFeatures } from './confidence-model.ts'

export interface AnswerToJudge {
  readonly asked: Question
  /** All passages that were at hand. */
  readonly evidence: readonly EvidenceText[]
  /** Their sentences and rows, the best first: that is the answer. The others tell how clear the choice was. */
  readonly ranked: readonly RankedSentence[]
  /** How rare the question's words are in the library (`stemWeights`). */
  readonly weights: StemWeights
}

/** What speaks for the first of the candidates and against it; null if there is none. */
export function confidenceFeatures({ asked, evidence, ranked, weights }: AnswerToJudge): ConfidenceFeatures | null {
  const [best] = ranked
  const passage = evidence.find(({ id }) => id === best?.id)
  if (!best || !passage) return null
  const snippet = passage.text.slice(best.snippet.start, best.snippet.end)
  const place = `${passage.title ?? ''} ${passage.source ?? ''} ${passage.section ?? ''}`
  const table = best.row ? `${best.row.table.caption} ${best.row.table.headerText}` : ''
  const shown = new Set(stems(`${snippet} ${table} ${place}`))
  const around = new Set(stems(`${passage.text} ${place}`))
  const total = sumOf(weights, () => true)
  const missing = Math.max(0, ...[...weights].map(([word, weight]) => (around.has(word) ? 0 : weight)))
  const rival = ranked.find((each) => each.id !== best.id && !agrees(each, best, asked))
  return {
    score: clamp(best.score, 0, MOST_SCORE),
    margin: rival ? clamp(best.score - rival.score, 0, MOST_AHEAD) : NO_RIVAL,
    passage: passage.score,
    shown: total > 0 ? sumOf(weights, (word) => shown.has(word)) / total : 0,
    missing: total > 0 ? missing / total : 1,
    names: shareOfNames(asked.text, around),
    numbers: shareOfNumbers(asked, `${passage.text} ${place}`),
    lacksKind: Number(!best.bearsAnswer),
    fact: Number(wantsFact(asked.kind)),
    row: Number(best.row !== null),
    length: Math.min(1, new Set(asked.stems).size / LONG_QUESTION),
  }
}

// A better match, a greater lead and a longer question say no more beyond these.
const MOST_SCORE = 3
const MOST_AHEAD = 0.5
const LONG_QUESTION = 10
/** The lead of a sentence that stands alone. */
const NO_RIVAL = 0.1

function clamp(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(most, value))
}

function sumOf(weights: StemWeights, isCounted: (word: string) => boolean): number {
  let sum = 0
  for (const [word, weight] of weights) if (isCounted(word)) sum += weight
  return sum
}

/** It says the same, or gives the same figure where one is asked for. */
function agrees(sentence: RankedSentence, best: RankedSentence, asked: Question): boolean {
  if (plain(sentence.text).includes(plain(best.text))) return true
  if (!wantsNumber(asked.kind)) return false
  const valuesIn = (text: string) => numbersIn(text).map(({ value }) => value)
  const given = new Set(valuesIn(best.text).filter((value) => !asked.said.numbers.has(value)))
  return valuesIn(sentence.text).some((value) => given.has(value))
}

function plain(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

function shareOfNames(question: string, held: ReadonlySet<string>): number {
  const names = namesIn(question)
  const known = names.filter(({ text }) => stems(text).every((word) => held.has(word)))
  return names.length > 0 ? known.length / names.length : 1
}

/** The share of the question's figures and years that stand in a text; 1 without figures. */
function shareOfNumbers({ said }: Question, text: string): number {
  const held = new Set(numbersIn(text).map(({ value }) => value))
  const numbers = [...said.numbers]
  return numbers.length > 0 ? numbers.filter((value) => held.has(value)).length / numbers.length : 1
}

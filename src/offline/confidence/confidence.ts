import { stems } from '../../library/index.ts'
import { calledIn } from '../language/names.ts'
import { bearsAnswer, type Question, wantsFact } from '../ranking/question.ts'
import type { EvidenceText, RankedSentence, StemWeights } from '../ranking/rank-sentences.ts'
import { documentKey, matchWords, shareOf } from '../ranking/sentence-features.ts'
import { contextOf } from '../ranking/table.ts'
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
  const place = `${calledIn(passage)} ${best.section ?? ''}`
  const of = evidence.filter((each) => documentKey(each) === documentKey(passage))
  const shown = new Set(stems(`${snippet} ${best.row ? contextOf(best.row) : ''} ${place}`))
  const around = new Set(stems(`${passage.text} ${place}`))
  const document = new Set([...around, ...of.flatMap(({ text, section }) => stems(`${text} ${section ?? ''}`))])
  const match = matchWords([...weights.keys()], new Set([...shown, ...document]))
  const shareIn = (held: ReadonlySet<string>) => shareOf(weights, (word) => match(word, held))
  const heaviest = Math.max(0, ...[...weights].map(([word, weight]) => (1 - match(word, around)) * weight))
  const total = [...weights.values()].reduce((sum, weight) => sum + weight, 0)
  const rival = ranked.find((each) => each.id !== best.id)
  return {
    score: clamp(best.score, 0, MOST_SCORE),
    margin: rival ? clamp(best.score - rival.score, 0, MOST_AHEAD) : NO_RIVAL,
    passage: shareIn(around),
    document: shareIn(document),
    shown: shareIn(shown),
    missing: total > 0 ? heaviest / total : 1,
    bears: Number(bearsAnswer(asked, snippet)),
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

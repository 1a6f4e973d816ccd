import { z } from 'zod'
import { abstainMark } from '../answers/cited-text.ts'
import type { Evidence, Observation } from '../events/index.ts'
import { fencedLine } from '../library/fenced.ts'
import { wordCoverage } from '../tools/observations.ts'
import type { ReactOutcome } from './loop/react-loop.ts'
import type { AgentState } from './state.ts'

/** When the first search is enough to ask the writer, and which of its passages the writer gets. */
export interface QuickOptions {
  readonly strongScore: number
  readonly passages: number
  readonly scoreShare: number
  readonly evidenceTokens: number
}

const fromResearch = z.object({ first: z.array(z.string()), notFound: z.boolean() })
const fromSynthesis = z.object({ declined: z.array(z.string()) })

/** What research says of its evidence, and which passages the writer has declined before. */
export function handedOver({ context: { agents } }: Pick<AgentState, 'context'>) {
  const { first, notFound } = fromResearch.safeParse(agents.research).data ?? { first: [], notFound: false }
  const { declined } = fromSynthesis.safeParse(agents.synthesis).data ?? { declined: [] }
  return { first, notFound, declined }
}

/** What research leaves for synthesis, beside the evidence: the ids of the passages that come first. */
export function leftBy({ finalText, readIds }: ReactOutcome, observations: readonly Observation[]) {
  const words = finalText ?? ''
  const read = observations.filter(({ passageId }) => readIds.includes(passageId))
  const tablesFirst = [...read].sort(
    (a, b) => Number(b.kind === 'table') - Number(a.kind === 'table') || b.score - a.score,
  )
  const ids = new Set(observations.map(({ passageId }) => passageId))
  const first = new Set([...namedIn(words, ids), ...tablesFirst.map(({ passageId }) => passageId)])
  return { first: [...first], notFound: words.includes(abstainMark) }
}

/** The ids in a text, in its order. An id may be the beginning of another. */
function namedIn(text: string, ids: ReadonlySet<string>): readonly string[] {
  const words = text.split(/[^\p{L}\p{N}._-]+/u)
  return words.map((word) => (word.endsWith('.') ? word.slice(0, -1) : word)).filter((word) => ids.has(word))
}

/** True where the best passage of the first search holds enough of the question for the writer to be asked at once. */
export function isStrong(found: readonly Observation[], { strongScore }: QuickOptions): boolean {
  return found.length > 0 && bestScore(found) >= strongScore
}

/** The passages of the first search that the writer gets. */
export function foremost(found: readonly Observation[], { passages, scoreShare }: QuickOptions) {
  const least = scoreShare * bestScore(found)
  return [...found]
    .filter(({ score }) => score >= least)
    .sort((a, b) => b.score - a.score)
    .slice(0, passages)
}

function bestScore(found: readonly Observation[]): number {
  return Math.max(0, ...found.map(({ score }) => score))
}

/** A passage with this share of the question's words may hold the answer, whatever research says. */
const strongCoverage = 0.75

/**
 * False where the writer would be asked for nothing: it has declined all of the evidence before, or research has not found
 * the answer and nothing new is near the question.
 */
export function isWorthAsking(evidence: readonly Evidence[], question: string, state: AgentState): boolean {
  const { notFound, declined } = handedOver(state)
  const unread = evidence.filter(({ observation }) => !declined.includes(observation.passageId))
  if (notFound) return unread.some(({ observation: { text } }) => wordCoverage(question, text) >= strongCoverage)
  return unread.length > 0
}

const longestBeginning = 160

/** Passages as a list for a prompt: id, place, score and the beginning of each. */
export function listing(found: readonly Observation[]): string {
  const lines = found.map(({ passageId, title, source, page, score, text }) => {
    const beginning = text.length > longestBeginning ? `${text.slice(0, longestBeginning)} …` : text
    return `- ${fencedLine(`${passageId} | ${title ?? source} | page ${page} | score ${score.toFixed(2)} | ${beginning}`)}`
  })
  return lines.join('\n') || '(none)'
}

import { z } from 'zod'
import { abstainMark } from '../answers/notation/stream-filter.ts'
import type { Evidence, Observation } from '../events/index.ts'
import { fencedLine } from '../fenced.ts'
import { documentName } from '../library/document-name.ts'
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

const fromResearch = z.object({
  /** Passages that come first in the evidence. */
  first: z.array(z.string()),
  /** Passages that its loop has found, again perhaps. */
  found: z.array(z.string()),
  notFound: z.boolean(),
  /** Passages that the last answer cites, and those beside them, where the first search has not found them. */
  cited: z.array(z.string()).default([]),
})
type FromResearch = z.output<typeof fromResearch>
const fromSynthesis = z.object({ declined: z.array(z.string()) })

const nothingLeft: FromResearch = { first: [], found: [], notFound: false, cited: [] }

/** What research says of its evidence, and which passages of a quick turn the writer has declined. */
export function handedOver({ context: { agents } }: Pick<AgentState, 'context'>) {
  const { data: research = nothingLeft } = fromResearch.safeParse(agents.research)
  const { data: synthesis = { declined: [] } } = fromSynthesis.safeParse(agents.synthesis)
  return { ...research, ...synthesis }
}

/** What research leaves for synthesis, beside the evidence. */
export function leftBy(outcome: ReactOutcome, evidence: readonly Observation[]): Omit<FromResearch, 'cited'> {
  const { finalText, readIds, observations } = outcome
  const words = finalText ?? ''
  const read = evidence
    .filter(({ passageId }) => readIds.includes(passageId))
    .sort((a, b) => Number(b.kind === 'table') - Number(a.kind === 'table') || b.score - a.score)
  const named = namedIn(words, new Set(idsOf(evidence)))
  const first = [...new Set([...named, ...idsOf(read)])]
  return { first, found: idsOf(observations), notFound: words.includes(abstainMark) }
}

/** In closing words: what is unclear, then the things that may be meant. */
const ambiguous = /<ambiguous>([^<]{1,600})<\/ambiguous>/i

/** What research says nobody can tell without the person; null if it names fewer than two meanings. */
export function ambiguityIn(words: string | null) {
  const parts = (ambiguous.exec(words ?? '')?.[1] ?? '').split('|').map((part) => part.trim())
  const [missing = '', ...candidates] = parts.filter((part) => part !== '')
  return candidates.length < 2 ? null : { missingContext: [missing], candidates }
}

export function idsOf(observations: readonly Observation[]): string[] {
  return observations.map(({ passageId }) => passageId)
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

/** The passages of the first search that the writer gets, and all that were cited before. */
export function foremost(
  found: readonly Observation[],
  { passages, scoreShare }: QuickOptions,
  cited: readonly string[] = [],
) {
  const [searched, again] = parted(found, cited)
  const near = nearBest(searched, searched, scoreShare).sort((a, b) => b.score - a.score)
  return [...near.slice(0, passages), ...again]
}

/** What the search has found, and what was cited before. */
function parted(found: readonly Observation[], cited: readonly string[]) {
  const isCited = ({ passageId }: Observation) => cited.includes(passageId)
  return [found.filter((each) => !isCited(each)), found.filter(isCited)] as const
}

/** The passages that score at least this share of the best one of `among`. */
export function nearBest(found: readonly Observation[], among: readonly Observation[], scoreShare: number) {
  const least = scoreShare * bestScore(among)
  return found.filter(({ score }) => score >= least)
}

function bestScore(found: readonly Observation[]): number {
  return Math.max(0, ...found.map(({ score }) => score))
}

/** A passage with this share of the question's words may hold the answer, whatever research says. */
const strongCoverage = 0.75

/**
 * False where the writer would be asked for nothing: it has declined the first passages, and research found and named none,
 * not even those again; or research says that the documents do not hold the answer, and nothing else is near the question.
 */
export function isWorthAsking(evidence: readonly Evidence[], question: string, state: AgentState): boolean {
  const { notFound, first, found, declined } = handedOver(state)
  if (!notFound) return declined.length === 0 || first.length + found.length > 0
  const unread = evidence.filter(({ observation: { passageId } }) => !declined.includes(passageId))
  return unread.some(({ observation: { text } }) => wordCoverage(question, text) >= strongCoverage)
}

const longestBeginning = 120
const mostListed = 6

/** The best passages, then those that were cited before, for a prompt: id, place, score and the beginning of each. */
export function listing(found: readonly Observation[], cited: readonly string[] = []): string {
  const listed = parted(found, cited).flatMap((each) => each.slice(0, mostListed))
  const lines = listed.map((each) => {
    const { passageId, page, score, text } = each
    const beginning = text.length > longestBeginning ? `${text.slice(0, longestBeginning)} …` : text
    return `- ${fencedLine(`${passageId} | ${documentName(each)} | page ${page} | score ${score.toFixed(2)} | ${beginning}`)}`
  })
  return lines.join('\n') || '(none)'
}

import { abstainMark, addressesIn, ambiguousMark, harmlessLine, withoutControls } from '../answers/index.ts'
import type { Evidence, Observation } from '../events/index.ts'
import { fencedLine } from '../fenced.ts'
import { documentName, hasLetterOrDigit } from '../library/index.ts'
import { nearestPart, wordCoverage } from '../tools/index.ts'
import type { ReactOutcome } from './loop/react-loop.ts'
import type { Turn } from './state.ts'

/** When the first search is enough to ask the writer, and which of its passages the writer gets. */
export interface QuickOptions {
  readonly strongScore: number
  readonly passages: number
  readonly scoreShare: number
  /** Of the evidence from the first search alone. */
  readonly firstTokens: number
  readonly evidenceTokens: number
}

/** What research tells synthesis of its evidence. */
export function toldOf(
  outcome: ReactOutcome,
  evidence: readonly Observation[],
): Pick<Turn, 'first' | 'found' | 'notFound'> {
  const { finalText, readIds, observations, planned = [] } = outcome
  const words = finalText ?? ''
  const read = evidence
    .filter(({ passageId }) => readIds.includes(passageId))
    .sort((a, b) => Number(b.kind === 'table') - Number(a.kind === 'table') || b.score - a.score)
  const named = namedIn(words, new Set(idsOf(evidence)))
  const first = [...new Set([...named, ...planned, ...idsOf(read)])]
  return { first, found: idsOf(observations), notFound: words.includes(abstainMark) }
}

const longestMeaning = 200

/**
 * What a model says nobody can tell without the person; null if it names nothing, or the one thing that may be meant. What
 * holds an address is left out: words that a document put into a model's mouth shall lead nobody away.
 */
export function ambiguityIn(words: string | null) {
  const parts = withoutControls(ambiguousMark.exec(words ?? '')?.[1] ?? '').split('|')
  const lines = parts
    .filter((part) => addressesIn(part).length === 0)
    .map((part) => harmlessLine(part.trim().replace(/\/$/, '')))
  const [missing, ...candidates] = lines.map((part) => part.slice(0, longestMeaning).trim()).filter(hasLetterOrDigit)
  return missing === undefined || candidates.length === 1 ? null : { missingContext: [missing], candidates }
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

/** The passages of the first searches that the writer gets: of each what is near its best passage, best first, in turn. */
export function foremost(searches: readonly (readonly Observation[])[], { passages, scoreShare }: QuickOptions) {
  const near = searches.map((found) => nearBest(found, found, scoreShare).sort((a, b) => b.score - a.score))
  const most = Math.max(0, ...near.map(({ length }) => length))
  const inTurn = Array.from({ length: most }, (_, at) => near.flatMap((each) => each.slice(at, at + 1))).flat()
  return [...new Map(inTurn.map((each) => [each.passageId, each])).values()].slice(0, passages)
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
export function isWorthAsking(
  evidence: readonly Evidence[],
  question: string,
  { notFound, first, found, declined }: Turn,
): boolean {
  if (!notFound) return declined.length === 0 || first.length + found.length > 0
  const unread = evidence.filter(({ observation: { passageId } }) => !declined.includes(passageId))
  return unread.some(({ observation: { text } }) => wordCoverage(question, text) >= strongCoverage)
}

const longestExcerpt = 200
const mostListed = 6

/** The best passages, then those that were cited before, for a prompt: id, place, score, and what is nearest the question. */
export function listing(question: string, found: readonly Observation[], cited: readonly string[] = []): string {
  const listed = parted(found, cited).flatMap((each) => each.slice(0, mostListed))
  const lines = listed.map((each) => {
    const { passageId, page, score } = each
    const place = `${passageId} | ${documentName(each)} | page ${page} | score ${score.toFixed(2)}`
    return `- ${fencedLine(`${place} | ${nearestIn(each, question)}`)}`
  })
  return lines.join('\n') || '(none)'
}

/** The sentence of a passage, or the row below the name of its table, that is nearest to the question. */
function nearestIn(observation: Observation, question: string): string {
  const { text, kind, table, section } = observation
  const { start, end } = nearestPart(question, observation)
  const best = text.slice(start, end)
  const name = kind === 'table' ? (table ?? section) : null
  const part = name ? `${name}: ${best}` : best
  return part.length > longestExcerpt ? `${part.slice(0, longestExcerpt)} …` : part
}

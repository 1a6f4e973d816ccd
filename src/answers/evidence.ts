import type { Evidence, EvidencePassage, Observation } from '../events/index.ts'
import { fencedLine, fencedText } from '../fenced.ts'
import { documentName } from '../library/index.ts'
import { estimateTokens } from '../models/index.ts'
import { isWithoutPages } from './quotes/citation-label.ts'

/** Documents whose best passage scores at least this share of the very best one are compared, not merely found. */
const COMPARED = 0.5

/** What evidence may take. */
export interface EvidenceLimits {
  readonly tokens: number
  /** Ids of the passages that come before all others, in this order. */
  readonly first?: readonly string[]
  /** At most so many passages, of which those in `first` are all kept. */
  readonly passages?: number
}

/**
 * Chooses the best observations that fit into the limits, with their titles and tags, and gives each a handle for this
 * run: `P1`, `P2`, … best first. Documents come before web pages of the same score. Each document that comes near the
 * best keeps at least its best passage. An observation that does not fit is left out; the best one is shortened.
 */
export function packEvidence(observations: readonly Observation[], limits: EvidenceLimits): Evidence[] {
  return choose(observations, limits).map((observation, index) => evidenceOf(observation, `P${index + 1}`))
}

/** The best of the evidence that still fit into a smaller budget, under the handles that they have. */
export function fewerPassages(evidence: readonly Evidence[], { tokens }: { readonly tokens: number }): Evidence[] {
  // Of the very best a part may be left, which is an observation of its own.
  const handles = new Map(evidence.map(({ observation, passage }) => [observation.passageId, passage.id]))
  const chosen = choose(
    evidence.map(({ observation }) => observation),
    { tokens },
  )
  return chosen.map((observation) => evidenceOf(observation, handles.get(observation.passageId) ?? ''))
}

/** Tokens of a prompt that the evidence takes. */
export function evidenceTokens(evidence: readonly Evidence[]): number {
  return evidence.reduce((sum, { observation }) => sum + tokensOf(observation), 0)
}

function choose(
  observations: readonly Observation[],
  { tokens, first: preferred = [], passages = observations.length }: EvidenceLimits,
): readonly Observation[] {
  const ranks = new Map(preferred.map((passageId, at) => [passageId, at]))
  const rankOf = ({ passageId }: Observation) => ranks.get(passageId) ?? preferred.length
  const [best, ...others] = [...observations].sort((a, b) => rankOf(a) - rankOf(b) || byScore(a, b))
  if (!best) return []
  const first = beginning(best, tokens)
  const bestScore = Math.max(...observations.map(({ score }) => score))
  let left = tokens - tokensOf(first)
  const fits = (each: Observation): boolean => {
    const needed = tokensOf(each)
    if (needed > left) return false
    left -= needed
    return true
  }
  const isForemost = (each: Observation, at: number) =>
    each.documentId !== best.documentId &&
    each.score >= COMPARED * bestScore &&
    others.findIndex(({ documentId }) => documentId === each.documentId) === at
  const kept = new Set(others.filter((each) => ranks.has(each.passageId)).filter(fits))
  const foremost = others.filter((each, at) => !ranks.has(each.passageId) && isForemost(each, at))
  const rest = others.filter((each) => !ranks.has(each.passageId) && !foremost.includes(each))
  for (const each of [...foremost, ...rest]) {
    if (1 + kept.size < passages && fits(each)) kept.add(each)
  }
  return [first, ...others.filter((each) => kept.has(each))]
}

function evidenceOf(observation: Observation, id: string): Evidence {
  return { observation, passage: passageOf(observation, id) }
}

function tokensOf(observation: Observation): number {
  return estimateTokens(`${formatPassage(evidenceOf(observation, 'P99'), null)}\n`)
}

/** As much of the observation as fits: whole rows of a table, whole words of a text, else single characters. */
function beginning(observation: Observation, tokens: number): Observation {
  if (tokensOf(observation) <= tokens) return observation
  const { text, kind, start } = observation
  const cut = (end: number) => ({ ...observation, text: text.slice(0, end), end: start + end })
  for (const breaks of kind === 'table' ? [ROW_ENDS, WORD_ENDS, CHARACTER_ENDS] : [WORD_ENDS, CHARACTER_ENDS]) {
    const ends = Array.from(text.matchAll(breaks), ({ index }) => index)
    const last = ends.findLast((end) => tokensOf(cut(end)) <= tokens)
    if (last !== undefined) return cut(last)
  }
  // Where not even the tags fit, one character is sent with them.
  return cut(String.fromCodePoint(text.codePointAt(0) ?? 0).length)
}

const ROW_ENDS = /\n/g
const WORD_ENDS = /(?<=\S)\s/g
const CHARACTER_ENDS = /(?<=[^\s\uD800-\uDBFF])(?!^)/g

/** The passages for a prompt, each in its own tag; those that adjoin on a page follow each other. */
export function formatEvidence(evidence: readonly Evidence[]): string {
  const left = new Set(evidence)
  const runs = evidence.flatMap((each) => (left.has(each) ? [takeRun(each, left)] : []))
  return runs.flatMap((run) => run.map((each, i) => formatPassage(each, run[i - 1] ?? null))).join('\n\n')
}

/** Takes a passage with those that adjoin it, in the order of the page. */
function takeRun(one: Evidence, left: Set<Evidence>): readonly Evidence[] {
  const take = (adjoins: (other: Evidence) => boolean): readonly Evidence[] => {
    const found = [...left].find(adjoins)
    if (found) left.delete(found)
    return found ? [found] : []
  }
  left.delete(one)
  const before = take((other) => isBefore(other.observation, one.observation))
  const after = take((other) => isBefore(one.observation, other.observation))
  return [...before.flatMap((each) => takeRun(each, left)), one, ...after.flatMap((each) => takeRun(each, left))]
}

/** Characters of white space between two passages that adjoin. */
const GAP = 3

function isBefore(one: Observation, other: Observation): boolean {
  const isSamePage = one.documentId === other.documentId && one.page === other.page
  return isSamePage && other.start > one.start && other.start >= one.end && other.start - one.end <= GAP
}

function formatPassage({ passage, observation }: Evidence, before: Evidence | null): string {
  const { id, year, page, section, origin, text } = passage
  // What continues another stands on its page.
  const place = [
    `document="${fencedLine(documentName(passage))}"`,
    ...(year ? [`year="${year}"`] : []),
    ...(isWithoutPages(observation) ? [] : [`page="${page}"`]),
  ]
  const attributes = [
    `id="${id}"`,
    ...(before ? [] : place),
    ...(section && section !== before?.passage.section ? [`section="${fencedLine(section)}"`] : []),
    ...(observation.unit ? [`unit="${fencedLine(observation.unit)}"`] : []),
    ...(origin === 'web' ? ['from="web"'] : []),
    ...(before ? [`continues="${before.passage.id}"`] : []),
  ]
  return `<passage ${attributes.join(' ')}>\n${fencedText(text)}\n</passage>`
}

function byScore(a: Observation, b: Observation): number {
  return b.score - a.score || a.origin.localeCompare(b.origin)
}

function passageOf(observation: Observation, id: string): EvidencePassage {
  const { documentId, title, source, year, page, section, kind, origin, text, score } = observation
  return { id, documentId, title, source, year, page, section, kind, origin, text, score }
}

import type { Evidence, EvidencePassage, Observation } from '../events/index.ts'
import { fencedLine, fencedText } from '../library/fenced.ts'
import { estimateTokens } from '../models/port/estimate-tokens.ts'
import { isWithoutPages } from './citation-label.ts'

/** Documents whose best passage scores at least this share of the very best one are compared, not merely found. */
const COMPARED = 0.5

/**
 * Chooses the best observations that fit into the budget, with their titles and tags, and gives each a handle for this
 * run: `P1`, `P2`, … best first. Documents come before web pages of the same score. Each document that comes near the
 * best keeps at least its best passage. One that does not fit is left out; of the very best, as much as fits is handed
 * over.
 */
export function packEvidence(
  observations: readonly Observation[],
  { tokens }: { readonly tokens: number },
): Evidence[] {
  return choose(observations, tokens).map((observation, index) => evidenceOf(observation, `P${index + 1}`))
}

/** The best of the evidence that still fit into a smaller budget, under the handles that they have. */
export function fewerPassages(evidence: readonly Evidence[], { tokens }: { readonly tokens: number }): Evidence[] {
  const handles = new Map(evidence.map(({ observation, passage }) => [observation, passage.id]))
  const best = evidence[0]?.passage.id ?? ''
  const chosen = choose([...handles.keys()], tokens)
  // Only of the very best a part may be left, which is an observation of its own.
  return chosen.map((observation) => evidenceOf(observation, handles.get(observation) ?? best))
}

/** What the evidence takes up of a prompt. */
export function evidenceTokens(evidence: readonly Evidence[]): number {
  return evidence.reduce((sum, { observation }) => sum + tokensOf(observation), 0)
}

function choose(observations: readonly Observation[], tokens: number): readonly Observation[] {
  const [best, ...others] = [...observations].sort(byScore)
  if (!best) return []
  const first = beginning(best, tokens)
  let left = tokens - tokensOf(first)
  const fits = (each: Observation): boolean => {
    const needed = tokensOf(each)
    if (needed > left) return false
    left -= needed
    return true
  }
  const foremost = others.filter(
    (each, at) =>
      each.documentId !== best.documentId &&
      each.score >= COMPARED * best.score &&
      others.findIndex(({ documentId }) => documentId === each.documentId) === at,
  )
  const kept = new Set(foremost.filter(fits))
  const rest = new Set(others.filter((each) => !foremost.includes(each)).filter(fits))
  return [first, ...others.filter((each) => kept.has(each) || rest.has(each))]
}

function evidenceOf(observation: Observation, id: string): Evidence {
  return { observation, passage: passageOf(observation, id) }
}

/** With the end of line behind it. */
function tokensOf(observation: Observation): number {
  return estimateTokens(`${formatPassage(evidenceOf(observation, 'P99'), null)}\n`)
}

/** As much of the observation as fits: whole rows of a table, whole words of a text, else what there is space for. */
function beginning(observation: Observation, tokens: number): Observation {
  if (tokensOf(observation) <= tokens) return observation
  const { text, kind, start } = observation
  const cut = (end: number) => ({ ...observation, text: text.slice(0, end), end: start + end })
  const ends = (breaks: RegExp) => Array.from(text.matchAll(breaks), ({ index }) => index)
  const [row, word, character] = [
    kind === 'table' ? /\n/g : /(?<=\S)\s/g,
    /(?<=\S)\s/g,
    /(?<=[^\s\uD800-\uDBFF])(?!^)/g,
  ]
    .map(ends)
    .map((found) => found.findLast((end) => tokensOf(cut(end)) <= tokens))
  // Where not even the tags fit, one character is handed over with them.
  return cut(row ?? word ?? character ?? String.fromCodePoint(text.codePointAt(0) ?? 0).length)
}

/** The passages for a prompt, each fenced and told apart from what surrounds it; neighbours stand together. */
export function formatEvidence(evidence: readonly Evidence[]): string {
  const left = new Set(evidence)
  const ordered: string[] = []
  for (const each of evidence) {
    for (const [before, one] of neighboursFrom(each, left)) {
      left.delete(one)
      ordered.push(formatPassage(one, before))
    }
  }
  return ordered.join('\n\n')
}

/** The run of adjoining passages that one belongs to, in the order of the page, each with the one before it. */
function neighboursFrom(
  evidence: Evidence,
  left: ReadonlySet<Evidence>,
): readonly (readonly [Evidence | null, Evidence])[] {
  if (!left.has(evidence)) return []
  const find = (adjoins: (other: Observation) => boolean) => [...left].find((each) => adjoins(each.observation))
  let first = evidence
  for (let before = find((each) => isBefore(each, first.observation)); before; ) {
    first = before
    before = find((each) => isBefore(each, first.observation))
  }
  const run: [Evidence | null, Evidence][] = [[null, first]]
  let last = first
  for (let after = find((each) => isBefore(last.observation, each)); after; ) {
    run.push([last, after])
    last = after
    after = find((each) => isBefore(last.observation, each))
  }
  return run
}

/** Characters of white space between two passages that adjoin. */
const GAP = 3

function isBefore(one: Observation, other: Observation): boolean {
  const isSamePage = one.documentId === other.documentId && one.page === other.page
  return isSamePage && other.start > one.start && other.start >= one.end && other.start - one.end <= GAP
}

function formatPassage({ passage, observation }: Evidence, before: Evidence | null): string {
  const { id, title, source, year, page, section, origin, text } = passage
  const attributes = [
    `id="${id}"`,
    `document="${fencedLine(title ?? source)}"`,
    ...(year ? [`year="${year}"`] : []),
    ...(isWithoutPages(observation) ? [] : [`page="${page}"`]),
    ...(section ? [`section="${fencedLine(section)}"`] : []),
    `from="${origin}"`,
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

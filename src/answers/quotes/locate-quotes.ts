import type { Citation, Evidence } from '../../events/index.ts'
import { findQuote, type Span, sectionAt, type Token, tokens } from '../../library/index.ts'
import type { DraftCitation } from '../draft/marks.ts'
import { citationLabel } from './citation-label.ts'
import { quotedTable, type TabledEvidence } from './quoted-table.ts'

/** Looks up the stored text of a page, or of a long one the part around this span; null if there is none. */
export type PageTextOf = (
  documentId: string,
  page: number,
  around: Span,
) => Promise<string | { readonly text: string; readonly start: number } | null>

/** A quote found on its page, as a citation without its marker. */
export type Located = Omit<Citation, 'marker'> & {
  /** The passage that it stands in: `P3`. */
  readonly passage: string
}

export interface Sources {
  readonly evidence: readonly TabledEvidence[]
  readonly pageTextOf: PageTextOf
}

/** What became of the quotes that a writer gave. */
export interface FoundQuotes {
  readonly located: readonly Located[]
  /** Why a quote is not among them, in words for its author. */
  readonly problems: readonly string[]
}

/** The quotes of these citations that are on their pages: word for word, or else the nearest words. */
export async function locate(citations: readonly DraftCitation[], sources: Sources): Promise<FoundQuotes> {
  const quoted = citations.filter(({ quote }) => quote !== '')
  const found = await Promise.all(quoted.map((citation) => locateOne(citation, sources)))
  return {
    located: found.flatMap((each) => (typeof each === 'string' ? [] : each)),
    problems: found.filter((each) => typeof each === 'string'),
  }
}

/** Searches in the named passage first, then in the others. Marks of omission part a quote in two or more. */
async function locateOne({ id, quote }: DraftCitation, sources: Sources): Promise<readonly Located[] | string> {
  const named = sources.evidence.find(({ passage }) => passage.id === id)
  if (!named && id !== '') return `it cites ${id}, which is no passage`
  const evidence = [...(named ? [named] : []), ...sources.evidence.filter((each) => each !== named)]
  const whole = await locateWords(quote, evidence, sources)
  if (whole) return [whole]
  const parts = partsOf(quote)
  if (parts.length > 1) {
    const [first, ...others] = await Promise.all(parts.map((part) => locateWords(part, evidence, sources)))
    const isOne =
      first && others.every((each) => each && each.documentId === first.documentId && each.page === first.page)
    if (isOne) return [first, ...others.filter((each) => each !== null)]
  }
  return locateNearest(quote, evidence, sources)
}

/** Characters with which a writer leaves words out. */
const OMISSION = /\s{0,3}(?:\[\s?(?:\.{3}|…)\s?\]|\(\s?(?:\.{3}|…)\s?\)|\.{3,6}|…)\s{0,3}/

function partsOf(quote: string): readonly string[] {
  return quote
    .split(OMISSION)
    .filter((part) => /[\p{L}\p{N}]{2}/u.test(part))
    .slice(0, 4)
}

async function locateWords(
  quote: string,
  evidence: readonly TabledEvidence[],
  sources: Sources,
): Promise<Located | null> {
  for (const near of evidence) {
    const { observation } = near
    const { text: page, start } = stretchOf(
      await sources.pageTextOf(observation.documentId, observation.page, observation),
    )
    const local = findQuote(quote, page, shifted(observation, -start))
    if (local) return locatedAt(near, { page, start, local }, sources)
  }
  return null
}

/** A quote with this share of its words is meant for the words of the page. */
const NEAR_ENOUGH = 0.7
const FEWEST_WORDS = 4

/** The page's own words for a quote that was copied with slips; else what is wrong with it. */
async function locateNearest(
  quote: string,
  evidence: readonly TabledEvidence[],
  sources: Sources,
): Promise<readonly Located[] | string> {
  const notFound = `its quote stands in no passage: “${quote}”`
  if (quote.trim().split(/\s+/).length < FEWEST_WORDS) return notFound
  const near = evidence.map((each) => ({ each, nearest: nearestWords(quote, each.observation.text) }))
  const best = near.reduce<(typeof near)[number] | null>(
    (most, one) => ((one.nearest?.share ?? 0) > (most?.nearest?.share ?? 0) ? one : most),
    null,
  )
  if (!best?.nearest) return notFound
  const { text, share, missing } = best.nearest
  const located = share >= NEAR_ENOUGH ? await locateWords(text, [best.each], sources) : null
  if (located) return [located]
  return share < LEAST_SHARE
    ? notFound
    : `${notFound}; ${best.each.passage.id} has “${text}”, without ${missing.join(', ')}`
}

/** With less, the nearest words are others. */
const LEAST_SHARE = 0.4

/** A quote that was found on its page, in the passage that holds it. */
function locatedAt(
  near: TabledEvidence,
  { page, start, local }: { readonly page: string; readonly start: number; readonly local: Span },
  { evidence }: Sources,
): Located {
  const span = shifted(local, start)
  const holding = [near, ...evidence].find((each) => holds(each, near, span)) ?? near
  const { passage, tables = [] } = holding
  const observation = { ...holding.observation, section: sectionAt(holding.observation, span.start) }
  const table = quotedTable(tables, span, (stretch) => page.slice(stretch.start - start, stretch.end - start))
  const { documentId, title, source, page: number, section } = observation
  const all = evidence.map((each) => each.observation)
  return {
    documentId,
    title,
    source,
    page: number,
    section,
    quote: page.slice(local.start, local.end),
    ...span,
    verified: true,
    label: citationLabel(observation, all, table),
    ...(table && { table }),
    passage: passage.id,
  }
}

/** These words of a passage on its page; null if the page does not have them. */
export function locateIn(words: string, evidence: TabledEvidence, sources: Sources): Promise<Located | null> {
  return locateWords(words, [evidence], sources)
}

function stretchOf(found: Awaited<ReturnType<PageTextOf>>): { readonly text: string; readonly start: number } {
  return typeof found === 'string' || found === null ? { text: found ?? '', start: 0 } : found
}

function shifted({ start, end }: Span, by: number): Span {
  return { start: start + by, end: end + by }
}

/** The quote stands within this passage, on the same page as the one it was looked up for. */
function holds({ observation }: Evidence, { observation: near }: Evidence, { start, end }: Span): boolean {
  const isSamePage = observation.documentId === near.documentId && observation.page === near.page
  return isSamePage && observation.start <= start && end <= observation.end
}

/** The stretch of a text that is nearest to a quote. */
interface Nearest {
  readonly text: string
  /** 0 to 1: the share of the quote's words that stand in it. */
  readonly share: number
  /** Words of the quote that do not. */
  readonly missing: readonly string[]
}

/** A longer quote is no slip of the pen. */
const mostWords = 80

/** The window of as many words as the quote has that shares most of them, from its first shared word to its last. */
function nearestWords(quote: string, text: string): Nearest | null {
  const wanted = tokens(quote.slice(0, 2000)).slice(0, mostWords)
  const words = new Set(wanted.map(({ word }) => word))
  const page = tokensOf(text)
  const { start, shared } = bestWindow(wanted, page)
  const window = page.slice(start, start + wanted.length)
  const inside = window.filter(({ word }) => words.has(word))
  const [first, last] = [inside[0], inside.at(-1)]
  if (!first || !last) return null
  const held = new Set(window.map(({ word }) => word))
  return {
    text: text.slice(first.start, last.end),
    share: shared / wanted.length,
    missing: [...words].filter((word) => !held.has(word)),
  }
}

/** Where the window begins, and how many words it shares: counted while it slides, so that the time is linear. */
function bestWindow(wanted: readonly Token[], page: readonly Token[]) {
  const left = new Map<string, number>()
  for (const { word } of wanted) left.set(word, (left.get(word) ?? 0) + 1)
  let best = { shared: 0, start: 0 }
  let shared = 0
  for (const [at, { word }] of page.entries()) {
    shared += counted(left, word, -1)
    shared -= counted(left, page[at - wanted.length]?.word, 1)
    if (shared > best.shared) best = { shared, start: Math.max(0, at - wanted.length + 1) }
  }
  return best
}

/** Changes how often a word is still wanted; 1 if that takes it into the window, or out of it. */
function counted(left: Map<string, number>, word = '', change: 1 | -1): number {
  const count = left.get(word)
  if (count === undefined) return 0
  left.set(word, count + change)
  return Math.max(count, count + change) > 0 ? 1 : 0
}

/** The tokens of the passages that an answer quotes from, which are the same few for all its quotes. */
const known = new Map<string, readonly Token[]>()
const mostKnown = 64

function tokensOf(text: string): readonly Token[] {
  const found = known.get(text) ?? tokens(text)
  if (known.size >= mostKnown) known.clear()
  known.set(text, found)
  return found
}

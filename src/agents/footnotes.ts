import type { Citation } from '../events/index.ts'
import { findQuote, numbersSupported, type Span } from '../library/quote.ts'
import type { Observation } from '../tools/tool.ts'
import { citationLabel } from './citation-label.ts'
import { type DraftCitation, type DraftSentence, parseDraft } from './cited-text.ts'
import type { Evidence } from './evidence.ts'

/** A draft after every quote was looked up again on its page. */
export interface VerifiedAnswer {
  /** The sentences that hold, with markers `[1]`; empty if none does. */
  readonly text: string
  readonly citations: readonly Citation[]
  /** The same quotes, by the handle of the passage that each stands in. */
  readonly quotes: readonly { readonly id: string; readonly quote: string }[]
  /** Sentences that were dropped. */
  readonly unsupported: readonly string[]
  /** The sentence that was to answer first is among those. */
  readonly lostFirst: boolean
}

/** Looks up the stored text of a page; null if there is none. */
export type PageTextOf = (documentId: string, page: number) => Promise<string | null>

/**
 * Keeps a sentence only if at least one of its quotes stands, word for word, on the page of a passage found in this
 * run, and its numbers stand in those quotes. A kept citation's `quote` is the page's own text, `page.slice(start, end)`.
 */
export async function verifyDraft(
  draft: string,
  evidence: readonly Evidence[],
  pageTextOf: PageTextOf,
): Promise<VerifiedAnswer> {
  const numbered = new Map<string, Numbered>()
  const kept: Kept[] = []
  const unsupported: string[] = []
  let lostFirst = false
  for (const sentence of parseDraft(draft)) {
    const found = await locate(sentence.citations, evidence, pageTextOf)
    if (isSupported(sentence, found)) {
      const markers = new Set(found.map((citation) => number(citation, numbered)))
      kept.push({ before: sentence.before, text: withMarkers(sentence.text.trim(), markers), isStructure: false })
    } else if (isStructure(sentence)) {
      kept.push({ before: sentence.before, text: sentence.text, isStructure: true })
    } else if (isClaim(sentence)) {
      lostFirst ||= !kept.some((each) => !each.isStructure)
      unsupported.push(sentence.text.trim())
    }
  }
  return {
    text: withoutEmptyStructure(kept)
      .map(({ before, text }, index) => (index === 0 ? '' : before || ' ') + text)
      .join('')
      .trim(),
    citations: [...numbered.values()].map(({ citation }) => citation),
    quotes: [...numbered.values()].map(({ citation, passage }) => ({ id: passage, quote: citation.quote })),
    unsupported,
    lostFirst,
  }
}

interface Kept {
  readonly before: string
  readonly text: string
  readonly isStructure: boolean
}

/** The markers go behind the sentence, in a table's row into its last cell. */
function withMarkers(text: string, markers: ReadonlySet<number>): string {
  const shown = [...markers].map((each) => `[${each}]`).join('')
  return /^\|.*\|$/.test(text) ? `${text.slice(0, -1).trimEnd()} ${shown} |` : `${text} ${shown}`
}

type Located = Omit<Citation, 'marker'> & { readonly passage: string }

interface Numbered {
  readonly citation: Citation
  readonly passage: string
}

/** The citations of one sentence that are really on their pages. */
async function locate(
  citations: readonly DraftCitation[],
  evidence: readonly Evidence[],
  pageTextOf: PageTextOf,
): Promise<Located[]> {
  const located = await Promise.all(citations.map((citation) => locateOne(citation, evidence, pageTextOf)))
  return located.filter((each) => each !== null)
}

/** The named passage's page first; a quote that was given to the wrong passage is found where it really stands. */
async function locateOne(
  { id, quote }: DraftCitation,
  evidence: readonly Evidence[],
  pageTextOf: PageTextOf,
): Promise<Located | null> {
  const named = evidence.find(({ passage }) => passage.id === id)
  if (!named) return null
  for (const near of [named, ...evidence.filter((each) => each !== named)]) {
    const { observation } = near
    const page = await pageTextOf(observation.documentId, observation.page)
    const span = page === null ? null : findQuote(quote, page, observation)
    if (!span || page === null) continue
    const holder = [near, ...evidence].find((each) => holds(each, near, span)) ?? near
    return { ...citationOf(holder.observation, page, span), passage: holder.passage.id }
  }
  return null
}

/** The quote stands within this passage, on the same page as the one it was looked up for. */
function holds({ observation }: Evidence, { observation: near }: Evidence, { start, end }: Span): boolean {
  const isSamePage = observation.documentId === near.documentId && observation.page === near.page
  return isSamePage && observation.start <= start && end <= observation.end
}

function citationOf(observation: Observation, page: string, { start, end }: Span): Omit<Citation, 'marker'> {
  const { documentId, title, source, page: number, section } = observation
  const label = citationLabel(observation)
  return {
    label,
    documentId,
    title,
    source,
    page: number,
    section,
    quote: page.slice(start, end),
    start,
    end,
    verified: true,
  }
}

function isSupported(sentence: DraftSentence, found: readonly Located[]): boolean {
  return (
    found.length > 0 &&
    numbersSupported(
      sentence.text,
      found.map(({ quote }) => quote),
    )
  )
}

function number({ passage, ...citation }: Located, numbered: Map<string, Numbered>): number {
  const key = `${citation.documentId} ${citation.page} ${citation.start} ${citation.end}`
  const known = numbered.get(key)
  if (known) return known.citation.marker
  const marker = numbered.size + 1
  numbered.set(key, { citation: { marker, ...citation }, passage })
  return marker
}

/**
 * A heading, the head or rule of a table, "The two papers differ:": it claims nothing by itself, and may stand if
 * something that holds follows it.
 */
function isStructure({ text, citations }: DraftSentence): boolean {
  const line = text.trim()
  if (citations.length > 0) return false
  if (/^[|\s:-]+$/.test(line)) return line.includes('-')
  return !/\d/.test(line) && (line.endsWith(':') || /^(#{1,6}\s|\*\*[^*]+\*\*$|\|.*\|$)/.test(line))
}

const pleasantry =
  /^(i hope|hope this|let me know|feel free|sure\b|certainly\b|of course\b|great question|here (is|are) (the|your|an?)\b)/i

/** Something that could be true or false, and so would need a quote. */
function isClaim({ text }: DraftSentence): boolean {
  return /[\p{L}\p{N}]/u.test(text) && !pleasantry.test(text.trim())
}

/** A heading with nothing under it, or with another heading of its kind next, goes. */
function withoutEmptyStructure(kept: readonly Kept[]): readonly Kept[] {
  return kept.filter(({ isStructure, text }, index) => {
    if (!isStructure) return true
    const rest = kept.slice(index + 1)
    const next = rest.find((each) => !each.isStructure || (isHeading(each.text) && isHeading(text)))
    return next !== undefined && !next.isStructure
  })
}

function isHeading(text: string): boolean {
  return /^(#|\*\*)/.test(text.trim()) || text.trim().endsWith(':')
}

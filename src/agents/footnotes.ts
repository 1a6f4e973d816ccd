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
  const kept: { before: string; text: string }[] = []
  const unsupported: string[] = []
  for (const sentence of parseDraft(draft)) {
    const found = await locate(sentence.citations, evidence, pageTextOf)
    if (!isSupported(sentence, found)) {
      if (sentence.text.trim() && !isLeadIn(sentence)) unsupported.push(sentence.text.trim())
      if (isLeadIn(sentence)) kept.push(sentence)
      continue
    }
    const markers = found.map((citation) => number(citation, numbered))
    kept.push({
      before: sentence.before,
      text: `${sentence.text.trim()} ${[...new Set(markers)].map((each) => `[${each}]`).join('')}`,
    })
  }
  const withoutDangling = dropDanglingLeadIns(kept)
  return {
    text: withoutDangling
      .map(({ before, text }, index) => (index === 0 ? '' : spacing(before)) + text)
      .join('')
      .trim(),
    citations: [...numbered.values()].map(({ citation }) => citation),
    quotes: [...numbered.values()].map(({ citation, passage }) => ({ id: passage, quote: citation.quote })),
    unsupported,
  }
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

/** "The two papers differ:" claims nothing by itself; it may stand if something follows it. */
function isLeadIn({ text, citations }: DraftSentence): boolean {
  return citations.length === 0 && text.trim().endsWith(':') && !/\d/.test(text)
}

function dropDanglingLeadIns(kept: readonly { before: string; text: string }[]) {
  return kept.filter(
    ({ text }, index) => !text.endsWith(':') || (kept[index + 1] && !kept[index + 1]?.text.endsWith(':')),
  )
}

function spacing(before: string): string {
  return before === '' ? ' ' : before
}

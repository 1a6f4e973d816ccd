import type { Citation } from '../../events/index.ts'
import { findQuote, type Span } from '../../library/quote.ts'
import type { Observation } from '../../tools/tool.ts'
import { citationLabel } from '../citation-label.ts'
import type { Evidence } from '../evidence.ts'
import { type DraftCitation, type DraftSentence, parseDraft } from './cited-text.ts'
import { type Borne, type Surroundings, whyUnsupported } from './claim.ts'
import { knownNames } from './names.ts'
import { answerIn, harmless } from './readable-text.ts'
import { withSharedQuotes } from './shared-quotes.ts'
import { isStructure, type Piece, withoutEmptyStructure } from './structure.ts'

/** A sentence that was dropped, and why, in words for whoever wrote it. */
export interface Dropped {
  readonly sentence: string
  readonly reason: string
}

/** A draft after every quote was looked up again on its page. */
export interface VerifiedAnswer {
  /** The sentences that hold, with markers `[1]`; empty if none does. */
  readonly text: string
  readonly citations: readonly Citation[]
  /** The same quotes, by the handle of the passage that each stands in. */
  readonly quotes: readonly { readonly id: string; readonly quote: string }[]
  readonly dropped: readonly Dropped[]
  /** The sentence that was to answer first is among those. */
  readonly lostFirst: boolean
}

/** Looks up the stored text of a page; null if there is none. */
export type PageTextOf = (documentId: string, page: number) => Promise<string | null>

export interface DraftToVerify {
  readonly draft: string
  readonly question: string
  readonly evidence: readonly Evidence[]
  readonly pageTextOf: PageTextOf
}

/**
 * Keeps a sentence only if at least one of its quotes stands, word for word, on the page of a passage found in this
 * run, and nothing shows that its quotes do not bear it out (`whyUnsupported`). A kept citation's `quote` is the page's
 * own text, `page.slice(start, end)`. What is kept holds no link, image, HTML or marker that is not of the evidence.
 */
export async function verifyDraft({ draft, question, evidence, pageTextOf }: DraftToVerify): Promise<VerifiedAnswer> {
  const numbered = new Map<string, Numbered>()
  const kept: Piece[] = []
  const dropped: Dropped[] = []
  const surroundings = surroundingsOf(question, evidence)
  const isKnown = addressesOf(evidence)
  let lostFirst = false
  for (const written of withSharedQuotes(parseDraft(answerIn(draft)))) {
    const sentence = { ...written, text: harmless(written.text, isKnown) }
    const found = await locate(sentence.citations, evidence, pageTextOf)
    const problem = problemOf(sentence, found, surroundings)
    if (problem === null) {
      const markers = new Set(found.map((citation) => number(citation, numbered)))
      kept.push({ before: sentence.before, text: withMarkers(sentence.text.trim(), markers), isStructure: false })
    } else if (isStructure(sentence, surroundings.all)) {
      kept.push({ before: sentence.before, text: sentence.text, isStructure: true })
    } else if (isClaim(sentence)) {
      lostFirst ||= !kept.some((each) => !each.isStructure)
      dropped.push({ sentence: sentence.text.trim(), reason: problem })
    }
  }
  return {
    text: withoutEmptyStructure(kept)
      .map(({ before, text }, index) => (index === 0 ? '' : before || ' ') + text)
      .join('')
      .trim(),
    citations: [...numbered.values()].map(({ citation }) => citation),
    quotes: [...numbered.values()].map(({ citation, passage }) => ({ id: passage, quote: citation.quote })),
    dropped,
    lostFirst,
  }
}

function surroundingsOf(question: string, evidence: readonly Evidence[]): Surroundings & { readonly all: string } {
  const texts = new Map<string, string>()
  for (const { observation } of evidence) {
    const { documentId, text } = observation
    texts.set(documentId, `${texts.get(documentId) ?? ''}\n${text}`)
  }
  const titles = evidence.map(({ observation }) => observation.title ?? '')
  const all = [question, ...titles, ...texts.values()].join('\n')
  return { question, textOf: (documentId) => texts.get(documentId) ?? '', known: knownNames(all), all }
}

function addressesOf(evidence: readonly Evidence[]): (address: string) => boolean {
  return (address) =>
    /^https?:\/\//i.test(address) &&
    evidence.some(({ observation }) => observation.source === address || observation.text.includes(address))
}

/** The markers go behind the sentence, in a table's row into its last cell. */
function withMarkers(text: string, markers: ReadonlySet<number>): string {
  const shown = [...markers].map((each) => `[${each}]`).join('')
  return /^\|.*\|$/.test(text) ? `${text.slice(0, -1).trimEnd()} ${shown} |` : `${text} ${shown}`
}

type Located = Omit<Citation, 'marker'> & Borne & { readonly passage: string }

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

/** The named passage's page first; a quote that was given to the wrong passage, or none, is found where it stands. */
async function locateOne(
  { id, quote }: DraftCitation,
  evidence: readonly Evidence[],
  pageTextOf: PageTextOf,
): Promise<Located | null> {
  const named = evidence.find(({ passage }) => passage.id === id)
  if (!named && id !== '') return null
  for (const near of [...(named ? [named] : []), ...evidence.filter((each) => each !== named)]) {
    const { observation } = near
    const page = await pageTextOf(observation.documentId, observation.page)
    const span = page === null ? null : findQuote(quote, page, observation)
    if (!span || page === null) continue
    const holder = [near, ...evidence].find((each) => holds(each, near, span)) ?? near
    return {
      ...citationOf(holder.observation, page, span),
      label: citationLabel(
        holder.observation,
        evidence.map((each) => each.observation),
      ),
      passage: holder.passage.id,
      observation: holder.observation,
      near: nearOf(page, span),
      head: ((await pageTextOf(holder.observation.documentId, 1)) ?? '').slice(0, HEAD),
    }
  }
  return null
}

/** Characters on either side of a quote that tell what it speaks of. */
const NEAR = 2000

/** Characters of a first page that tell what the document is called, and of when it is. */
const HEAD = 800

function nearOf(page: string, { start, end }: Span): string {
  return page.slice(Math.max(0, start - NEAR), end + NEAR)
}

/** The quote stands within this passage, on the same page as the one it was looked up for. */
function holds({ observation }: Evidence, { observation: near }: Evidence, { start, end }: Span): boolean {
  const isSamePage = observation.documentId === near.documentId && observation.page === near.page
  return isSamePage && observation.start <= start && end <= observation.end
}

function citationOf(observation: Observation, page: string, { start, end }: Span): Omit<Citation, 'marker' | 'label'> {
  const { documentId, title, source, page: number, section } = observation
  return {
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

/** Why a sentence cannot stand; null if it can. */
function problemOf(
  { text, citations }: DraftSentence,
  found: readonly Located[],
  surroundings: Surroundings,
): string | null {
  if (!/[\p{L}\p{N}]/u.test(text)) return 'it says nothing'
  if (citations.length === 0) return 'it has no quote'
  if (found.length === 0)
    return `its quote stands in no passage: ${citations.map(({ quote }) => `“${quote}”`).join(', ')}`
  return whyUnsupported(withoutEmphasis(text), found, surroundings)
}

/** Marks that make text bold or slanted are no text. */
function withoutEmphasis(text: string): string {
  return text.replace(/\*{1,3}|(?<![\p{L}\p{N}])_{1,3}(?=\S)|(?<=\S)_{1,3}(?![\p{L}\p{N}])|`/gu, '')
}

function number(
  { passage, observation: _o, near: _n, head: _h, ...citation }: Located,
  numbered: Map<string, Numbered>,
): number {
  const key = `${citation.documentId} ${citation.page} ${citation.start} ${citation.end}`
  const known = numbered.get(key)
  if (known) return known.citation.marker
  const marker = numbered.size + 1
  numbered.set(key, { citation: { marker, ...citation }, passage })
  return marker
}

const pleasantry =
  /^(i hope|hope this|let me know|feel free|sure\b|certainly\b|of course\b|great question|here (is|are) (the|your|an?)\b)/i

/** Something that could be true or false, and so would need a quote. */
function isClaim({ text }: DraftSentence): boolean {
  return /[\p{L}\p{N}]/u.test(text) && !pleasantry.test(text.trim())
}

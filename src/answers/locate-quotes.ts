import type { Citation, Evidence, Observation } from '../events/index.ts'
import { findQuote, type Span } from '../library/quote.ts'
import { citationLabel } from './citation-label.ts'
import type { DraftCitation } from './cited-text.ts'
import type { LocatedQuote } from './claim.ts'

/** Looks up the stored text of a page, or of a long one the part around this span; null if there is none. */
export type PageTextOf = (
  documentId: string,
  page: number,
  around: Span,
) => Promise<string | { readonly text: string; readonly start: number } | null>

/** A quote found on its page, as a citation without its marker. */
export type Located = Omit<Citation, 'marker'> &
  LocatedQuote & {
    readonly passage: string
    /** The quote fills a line or a cell of its page. */
    readonly isWhole: boolean
  }

/** The citations of one sentence that are really on their pages. */
export async function locate(
  citations: readonly DraftCitation[],
  evidence: readonly Evidence[],
  pageTextOf: PageTextOf,
): Promise<Located[]> {
  const located = await Promise.all(citations.map((citation) => locateOne(citation, evidence, pageTextOf)))
  return located.filter((each) => each !== null)
}

/** Looks on the page of the named passage first, then on those of the others. */
async function locateOne(
  { id, quote }: DraftCitation,
  evidence: readonly Evidence[],
  pageTextOf: PageTextOf,
): Promise<Located | null> {
  const named = evidence.find(({ passage }) => passage.id === id)
  if (!named && id !== '') return null
  for (const near of [...(named ? [named] : []), ...evidence.filter((each) => each !== named)]) {
    const { observation } = near
    const { text: page, start } = stretchOf(await pageTextOf(observation.documentId, observation.page, observation))
    const local = findQuote(quote, page, shifted(observation, -start))
    if (!local) continue
    const span = shifted(local, start)
    const holder = [near, ...evidence].find((each) => holds(each, near, span)) ?? near
    return {
      ...citationOf(holder.observation, page.slice(local.start, local.end), span),
      label: citationLabel(
        holder.observation,
        evidence.map((each) => each.observation),
      ),
      passage: holder.passage.id,
      isWhole: isWholeLine(page, local),
      observation: holder.observation,
      near: nearOf(page, local),
      before: page.slice(Math.max(0, local.start - BEFORE), local.start),
      head: stretchOf(await pageTextOf(holder.observation.documentId, 1, { start: 0, end: HEAD })).text.slice(0, HEAD),
    }
  }
  return null
}

function stretchOf(found: Awaited<ReturnType<PageTextOf>>): { readonly text: string; readonly start: number } {
  return typeof found === 'string' || found === null ? { text: found ?? '', start: 0 } : found
}

function shifted({ start, end }: Span, by: number): Span {
  return { start: start + by, end: end + by }
}

/** Characters on either side of a quote that are its context. */
const NEAR = 2000

/** Characters before a quote that may negate it. */
const BEFORE = 80

/** It fills a line, or a cell of a row. */
function isWholeLine(page: string, { start, end }: Span): boolean {
  return (
    /(?:^|[\n|])[^\S\n]*$/.test(page.slice(Math.max(0, start - BEFORE), start)) &&
    /^\s*(?:$|[\n|])/.test(page.slice(end, end + BEFORE))
  )
}

/** Characters of a first page that hold title and date. */
const HEAD = 800

function nearOf(page: string, { start, end }: Span): string {
  return page.slice(Math.max(0, start - NEAR), end + NEAR)
}

/** The quote stands within this passage, on the same page as the one it was looked up for. */
function holds({ observation }: Evidence, { observation: near }: Evidence, { start, end }: Span): boolean {
  const isSamePage = observation.documentId === near.documentId && observation.page === near.page
  return isSamePage && observation.start <= start && end <= observation.end
}

function citationOf(observation: Observation, quote: string, { start, end }: Span): Omit<Citation, 'marker' | 'label'> {
  const { documentId, title, source, page, section } = observation
  return { documentId, title, source, page, section, quote, start, end, verified: true }
}

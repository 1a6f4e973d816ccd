import { basename } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { type DocumentRecord, findQuote, type Library, sentences, tokens } from '../../library/index.ts'
import type { Claim, ClaimQuote, ProvenClaim } from './claim.ts'
import { formulaProblem } from './formula.ts'

/** A quote that was looked up again. */
export interface LookedUp {
  readonly quote: ClaimQuote
  /** The document still has its words. */
  readonly stands: boolean
  /**
   * `document changed`: another version of the file stands in its place. `document gone`: no file of that name is there.
   * `other words`: the document is the same, but its page does not have the words. null: nothing has changed.
   */
  readonly change: 'document changed' | 'document gone' | 'other words' | null
  /** Where the words stand now, or else the nearest to them; null if there is no document to look in. */
  readonly now: {
    readonly documentId: string
    readonly source: string
    readonly page: number
    readonly text: string
  } | null
}

/** A claim whose quotes were looked up again, and its formulas computed again; it stands if all of them do. */
export interface ClaimStanding<Of extends ProvenClaim = Claim> {
  readonly claim: Of
  readonly stands: boolean
  readonly quotes: readonly LookedUp[]
  /** Of formulas that are not computed to their value any more: why. */
  readonly formulas: readonly string[]
}

/** The part of a library that claims are looked up in. */
export type ReadLibrary = Pick<Library, 'list' | 'text' | 'search'>

/** Looks claims up in the documents that there are now, without a model: each page is read once. */
export async function standingOf<Of extends ProvenClaim>(
  claims: readonly Of[],
  library: ReadLibrary,
  signal?: AbortSignal,
): Promise<readonly ClaimStanding<Of>[]> {
  const documents = await library.list()
  const lookUp = quotesIn(library, documents)
  const found: ClaimStanding<Of>[] = []
  for (const claim of claims) {
    // A library in memory never waits, and nothing else would get its turn, a stop neither.
    await setImmediate()
    signal?.throwIfAborted()
    const quotes: LookedUp[] = []
    for (const quote of claim.quotes) quotes.push(await lookUp(quote))
    const formulas = claim.formulas.flatMap((formula) => formulaProblem(formula, claim.quotes) ?? [])
    const stands = quotes.every((each) => each.stands) && formulas.length === 0
    found.push({ claim, stands, quotes, formulas })
  }
  return found
}

function quotesIn(library: ReadLibrary, documents: readonly DocumentRecord[]) {
  const texts = new Map<string, Promise<string>>()
  const pageOf = (documentId: string, page: number) => {
    const key = `${documentId} ${page}`
    const text = texts.get(key) ?? library.text(documentId, page).then((read) => read.text)
    texts.set(key, text)
    return text
  }
  const found = new Map<string, Promise<LookedUp>>()
  const look = async (quote: ClaimQuote): Promise<LookedUp> => {
    const same = documents.find(({ documentId }) => documentId === quote.documentId)
    const document = same ?? successorOf(quote, documents)
    if (!document) return { quote, stands: false, change: 'document gone', now: null }
    const change = same ? null : 'document changed'
    const place = await placeOf(quote, document, pageOf)
    if (place) return { quote, stands: true, change, now: place }
    return { quote, stands: false, change: change ?? 'other words', now: await nearest(quote, document, library) }
  }
  return (quote: ClaimQuote) => {
    const key = [quote.documentId, quote.page, quote.start, quote.text].join(' ')
    const known = found.get(key) ?? look(quote)
    found.set(key, known)
    return known
  }
}

/** The document that has taken the place of another: it has its path, or else its name. */
function successorOf({ source }: ClaimQuote, documents: readonly DocumentRecord[]): DocumentRecord | undefined {
  const name = basename(source)
  const called = documents.filter((each) => basename(each.source) === name)
  return documents.find((each) => each.source === source) ?? (called.length === 1 ? called[0] : undefined)
}

/** Where the words stand: on their page, or on another of the document. */
async function placeOf(
  { page, text, ...span }: ClaimQuote,
  { documentId, source, pages }: DocumentRecord,
  pageOf: (documentId: string, page: number) => Promise<string>,
): Promise<LookedUp['now']> {
  const all = Array.from({ length: pages }, (_, index) => index + 1)
  // A changed proof may name a page that there is not.
  for (const number of [...all.filter((each) => each === page), ...all.filter((each) => each !== page)]) {
    const pageText = await pageOf(documentId, number)
    const at = pageText.slice(span.start, span.end) === text ? span : findQuote(text, pageText, span)
    if (at) return { documentId, source, page: number, text: pageText.slice(at.start, at.end) }
  }
  return null
}

/** Of the passage that shares most with the quote, the stretch of as many sentences that shares most. */
async function nearest(quote: ClaimQuote, { documentId, source }: DocumentRecord, library: ReadLibrary) {
  const [hit] = await library.search(quote.text, { documents: [documentId], limit: 1 }).catch(() => [])
  if (!hit) return null
  const wanted = wordsOf(quote.text)
  const length = sentences(quote.text).length
  const stretches = sentences(hit.text).map(({ start }, index, all) => {
    const text = hit.text.slice(start, all[Math.min(index + length, all.length) - 1]?.end)
    return { text, shared: [...wordsOf(text)].filter((word) => wanted.has(word)).length }
  })
  const best = stretches.reduce((a, b) => (b.shared > a.shared ? b : a), { text: hit.text, shared: 0 })
  return { documentId, source, page: hit.page, text: best.text }
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(tokens(text).map(({ word }) => word))
}

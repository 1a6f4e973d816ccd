import { type DocumentRecord, documentName } from '../../library/index.ts'
import { type Claim, type ClaimQuote, isKept, type ProvenClaim } from '../cards/claim.ts'
import type { Report } from '../report/report.ts'
import { noteOf } from '../table/table-text.ts'
import { onOneLine } from './markup.ts'

/** A sentence, and the notes behind it: their places in the list from 1. */
export interface NotedSentence {
  readonly text: string
  readonly markers: readonly number[]
}

export type Block =
  | { readonly kind: 'heading'; readonly text: string }
  | { readonly kind: 'paragraph'; readonly sentences: readonly NotedSentence[] }
  | { readonly kind: 'list'; readonly items: readonly (readonly NotedSentence[])[] }

/** What a footnote says, and the document that it quotes; null for what was computed. */
export interface Note {
  readonly text: string
  readonly documentId: string | null
  /** What a person's references call the document, and the quoted page. */
  readonly cited?: { readonly key: string; readonly page: number }
}

/** A report as every form of a file shows it: on lines of their own, without control characters. */
export interface LaidOutReport {
  readonly title: string
  readonly blocks: readonly Block[]
  /** In the order in which they are first named. */
  readonly notes: readonly Note[]
}

export function layOut(report: Report, documents: readonly DocumentRecord[] = []): LaidOutReport {
  const notes = new Map<string, Note & { readonly marker: number }>()
  const markerOf = (text: string, documentId: string | null, page = 1) => {
    const key = documents.find((each) => each.documentId === documentId)?.reference?.id
    const named = { text: onOneLine(text), documentId, ...(key !== undefined && { cited: { key, page } }) }
    const note = notes.get(text) ?? { ...named, marker: notes.size + 1 }
    notes.set(text, note)
    return note.marker
  }
  const isDigest = report.kind === 'digest'
  const noted = ({ text, state, quotes, formulas }: Claim): NotedSentence => {
    const markers = [
      ...quotes.map((quote) => markerOf(noteOf(quote), quote.documentId, quote.page)),
      ...formulas.map(({ expression, value }) => markerOf(`Computed: ${expression} = ${value}`, null)),
    ]
    const unread = state === 'quoted' && !isDigest ? ' (quoted, not read again)' : ''
    return { text: `${onOneLine(text)}${unread}`, markers: [...new Set(markers)] }
  }
  const blocks = [...head(report), ...body(report, noted), ...remainder(report, noted)]
  const title = onOneLine(report.title)
  return { title: isDigest ? `Digest: ${title}` : title, blocks, notes: [...notes.values()] }
}

type Noted = (claim: Claim) => NotedSentence

function head({ kind, title, question, documents, limitedTo }: Report): readonly Block[] {
  const filter = limitedTo?.filter ? `, those that fit ${limitedTo.filter}` : ''
  const searched = `${documents} ${documents === 1 ? 'document was' : 'documents were'} searched${filter}.`
  const made =
    kind === 'digest'
      ? 'A digest: sentences of the documents as they stand there, found without a language model.'
      : 'Each sentence rests on the quotes in its notes.'
  const asked = question === title ? [] : [paragraph(question)]
  return [...asked, paragraph(`${searched} ${made}`)]
}

function body({ kind, summary, sections }: Report, noted: Noted): readonly Block[] {
  // A paragraph of a digest is what one document says.
  const named = ([first]: readonly Claim[]) =>
    kind === 'digest' ? (first?.quotes.slice(0, 1).map((quote) => plain(`${documentName(quote)}:`)) ?? []) : []
  const written = sections.flatMap(({ heading, paragraphs }): Block[] => [
    { kind: 'heading', text: onOneLine(heading) },
    ...(paragraphs.length > 0
      ? paragraphs.map((claims): Block => ({ kind: 'paragraph', sentences: [...named(claims), ...claims.map(noted)] }))
      : [paragraph('Nothing was found for this section.')]),
  ])
  const first = list(
    'Summary',
    summary.map((each) => [noted(each)]),
  )
  return [...first, ...written]
}

/** What the documents disagree about, and what the report does not have. */
function remainder(report: Report, noted: Noted): readonly Block[] {
  const { contradictions, notFound, unfinished, unsupported, unopened } = report
  const why = (text: string, reason: string | undefined) => [plain(reason === undefined ? text : `${text} — ${reason}`)]
  return [
    ...list(
      'What the documents disagree about',
      contradictions.map(({ about, claims: [one, other] }) => [
        plain(`${about}:`),
        noted(one),
        plain('But:'),
        noted(other),
      ]),
    ),
    ...list(
      'What was not found',
      notFound.map(({ question, reason }) => why(question, reason)),
    ),
    ...list(
      'What was not finished',
      unfinished.map(({ question, reason }) => why(question, reason)),
    ),
    ...list(
      'What was written and left out',
      unsupported.map(({ text, reason }) => why(text, reason)),
    ),
    ...list(
      'Documents that were never opened',
      unopened.map(({ document }) => [plain(document)]),
    ),
  ]
}

/** Nothing of an empty list. */
function list(heading: string, items: readonly (readonly NotedSentence[])[]): readonly Block[] {
  return items.length === 0
    ? []
    : [
        { kind: 'heading', text: heading },
        { kind: 'list', items },
      ]
}

function paragraph(text: string): Block {
  return { kind: 'paragraph', sentences: [plain(text)] }
}

function plain(text: string): NotedSentence {
  return { text: onOneLine(text), markers: [] }
}

/** What a report claims: the sentences of its sections and of its contradictions, each once. */
export function claimsOfReport({ sections, contradictions }: Report): readonly ProvenClaim[] {
  const claims = [
    ...sections.flatMap(({ paragraphs }) => paragraphs.flat()),
    ...contradictions.flatMap((each) => each.claims),
  ]
  return [...new Map(claims.filter(isKept).map((each) => [each.id, each])).values()]
}

/** The quotes of a report, in its order: the documents that they name are its references. */
export function quotesOfReport(report: Report): readonly ClaimQuote[] {
  return claimsOfReport(report).flatMap(({ quotes }) => quotes)
}

import type { Claim, Report } from 'quaero'
import { type Answered, citationOfQuote } from '../api/requests.ts'
import { count } from '../controls.tsx'

type Told = Pick<Answered, 'citations' | 'calculations' | 'sentences'>

/** A report in the form of an answer: its text with the markers of its footnotes, and what these show. */
export function asAnswer(report: Report): Answered {
  const { kind, summary, sections, contradictions, notFound, unfinished, unopened, unsupported, documents } = report
  const told: Told = { citations: [], calculations: [], sentences: [] }
  const markers = new Map<string, number>()
  const sentence = (claim: Claim) => {
    const own = markersOf(claim, markers, told)
    const text = plain(claim.text)
    // Nobody reads the sentences of a digest again: none of them is marked for that.
    if (kind === 'report') told.sentences.push({ ...claim, text, markers: own })
    return `${text}${own.map((marker) => `[${marker}]`).join('')}`
  }
  const paragraph = (claims: readonly Claim[]) =>
    `${kind === 'digest' ? speaker(claims) : ''}${claims.map(sentence).join(' ')}`
  const quoted = (claim: Claim) =>
    `> ${[sentence(claim), ...claim.quotes.map(({ text }) => `*“${plain(text)}”*`)].join(' ')}`
  const asked = ({ question, reason }: Report['notFound'][number]) => `${plain(question)} — ${plain(shortly(reason))}`
  const parts = [
    `${count(documents, 'document')} searched.`,
    ...listed('Summary', summary.map(sentence)),
    ...sections.flatMap(({ heading, paragraphs }) => [
      `### ${plain(heading)}`,
      ...(paragraphs.length > 0 ? paragraphs.map(paragraph) : ['Nothing was found for this section.']),
    ]),
    ...(contradictions.length > 0 ? ['### What the documents disagree about'] : []),
    ...contradictions.flatMap(({ about, claims }) => [`${plain(about)}:`, ...claims.map(quoted)]),
    ...listed('What was not found', notFound.map(asked)),
    ...listed('What was not finished', unfinished.map(asked)),
    ...listed(
      'Documents that were never opened',
      unopened.map(({ document }) => plain(document)),
    ),
  ]
  const fallen = unsupported.map(({ text, reason = '' }) => ({ text, reason }))
  const none = { highlights: [], imported: null, confidence: null, model: '' }
  return { ...told, ...none, answer: parts.join('\n\n'), unsupported: fallen }
}

/** The footnotes of a claim: the same words, and the same formula, have one number. */
function markersOf({ quotes, formulas }: Claim, markers: Map<string, number>, { citations, calculations }: Told) {
  const noted = (key: string, add: (marker: number) => void) => {
    const marker = markers.get(key) ?? markers.size + 1
    if (!markers.has(key)) add(marker)
    markers.set(key, marker)
    return marker
  }
  return [
    ...quotes.map((quote) => {
      const { documentId, page, start, end } = quote
      return noted(`${documentId} ${page} ${start} ${end}`, (marker) => citations.push(citationOfQuote(quote, marker)))
    }),
    ...formulas.map((each) => noted(each.expression, (marker) => calculations.push({ ...each, marker, operands: [] }))),
  ]
}

/** A reason without the list of what came nearest. */
function shortly(reason: string): string {
  const [first = ''] = reason.split('\n')
  return first.endsWith(':') ? first.slice(0, first.lastIndexOf('. ') + 1) : first
}

function listed(heading: string, items: readonly string[]): readonly string[] {
  return items.length === 0 ? [] : [`### ${heading}`, items.map((item) => `- ${item}`).join('\n')]
}

/** Of a digest, a paragraph is what one document says. */
function speaker([first]: readonly Claim[]): string {
  const [quote] = first?.quotes ?? []
  return quote ? `*${plain(quote.title ?? quote.source)}:* ` : ''
}

/** Words that are drawn as they are, on one line. What would begin a list or a heading stands behind a word joiner. */
function plain(text: string): string {
  // An address behind a bracket would be a link.
  const line = text.replace(/\s+/g, ' ').replaceAll('](', ']\u2060(').trim()
  const escaped = line.replace(/`[^`]+`|[*_~|[\]]/g, (sign) => (sign.length > 1 ? sign : `\\${sign}`))
  return escaped.replace(/^(?=[-+•>#]|\d{1,9}[.)])/, '\u2060')
}

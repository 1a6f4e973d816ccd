import type { Observation } from '../events/index.ts'
import { fencedLine, fencedText } from '../fenced.ts'
import {
  contentStems,
  type DocumentRecord,
  documentName,
  hasPages,
  type Passage,
  type Span,
  sentences,
} from '../library/index.ts'

/** Evidence for a model: each passage between tags that name its place. Its text cannot close its tag or open another. */
export function formatObservations(observations: readonly Observation[]): string {
  return observations.map(formatObservation).join('\n\n')
}

function formatObservation(observation: Observation): string {
  const { passageId, documentId, title, source, origin, format, page, section, score, text, unit = null } = observation
  const onPage = format && !hasPages(format, page) ? null : String(page)
  const place =
    origin === 'web'
      ? { title, url: source }
      : { document: documentId, title: documentName(observation), page: onPage, section }
  const attributes = Object.entries({ id: passageId, ...place, unit, score: score.toFixed(2) })
    .map(([name, value]) => (value === null ? '' : ` ${name}="${fencedLine(value)}"`))
    .join('')
  return `<passage${attributes}>\n${fencedText(text)}\n</passage>`
}

/** A passage of a stored document as evidence. */
export function observationOf(
  { passageId, documentId, page, section, sections, kind, text, start, end }: Passage,
  { title, authors, year, source, format, reference }: DocumentRecord,
  { score, pageLabel, table, unit }: Required<Pick<Observation, 'score' | 'pageLabel' | 'table' | 'unit'>>,
): Observation {
  const place = {
    passageId,
    documentId,
    page,
    section,
    ...(sections && { sections }),
    kind,
    text,
    start,
    end,
    pageLabel,
    table,
    ...(unit && { unit }),
    ...(reference && { key: reference.id }),
  }
  const origin = format === 'web' ? 'web' : 'documents'
  return { ...place, title, authors: [...authors], year, source, origin, format, score }
}

/** A passage of a web page as evidence. */
export function webObservation(
  { passageId, documentId, page, section, sections, kind, text, start, end }: Omit<Passage, 'ordinal'>,
  { title, url, score }: { readonly title: string | null; readonly url: string; readonly score: number },
): Observation {
  const place = { passageId, documentId, page, section, ...(sections && { sections }), kind, text, start, end }
  return { ...place, title, authors: [], year: null, source: url, origin: 'web', score }
}

/** The sentence of a passage, or the row of a table, that holds most of the query's words; the whole where none has any. */
export function nearestPart(query: string, { text, kind }: Pick<Observation, 'text' | 'kind'>): Span {
  const parts = kind === 'table' ? linesOf(text) : sentences(text)
  let [best, most]: readonly [Span, number] = [{ start: 0, end: text.length }, 0]
  for (const part of parts) {
    const covered = wordCoverage(query, text.slice(part.start, part.end))
    if (covered > most) [best, most] = [part, covered]
  }
  return best
}

function linesOf(text: string): readonly Span[] {
  return Array.from(text.matchAll(/[^\n]+/g), ({ 0: line, index }) => ({ start: index, end: index + line.length }))
}

/** The share of a query's words that a text contains, from 0 to 1; words are compared by their stems. */
export function wordCoverage(query: string, text: string): number {
  const wanted = new Set(contentStems(query))
  if (wanted.size === 0) return 0
  const present = new Set(contentStems(text))
  return [...wanted].filter((stem) => present.has(stem)).length / wanted.size
}

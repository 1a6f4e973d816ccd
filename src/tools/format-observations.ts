import type { Observation } from '../events/index.ts'
import { fencedLine, fencedText } from '../library/fenced.ts'
import { hasPages } from '../library/port/document.ts'

/**
 * Evidence as a model reads it: each passage between tags that name where it stands. The text between them is data;
 * it cannot close its tag or open another.
 */
export function formatObservations(observations: readonly Observation[]): string {
  return observations.map(formatObservation).join('\n\n')
}

function formatObservation(observation: Observation): string {
  const { passageId, documentId, title, source, origin, format, page, section, score, text } = observation
  const onPage = format && !hasPages(format) ? null : String(page)
  const place =
    origin === 'web' ? { title, url: source } : { document: documentId, title: title ?? source, page: onPage, section }
  const attributes = Object.entries({ id: passageId, ...place, score: score.toFixed(2) })
    .map(([name, value]) => (value === null ? '' : ` ${name}="${fencedLine(value)}"`))
    .join('')
  return `<passage${attributes}>\n${fencedText(text)}\n</passage>`
}

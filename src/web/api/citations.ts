import type { Citation, SearchHit } from './requests.ts'

/** True for two footnotes on the same words. */
export function isSame(one: Citation, other: Citation | null): boolean {
  return isOnPageOf(one, other) && one.start === other?.start && one.end === other.end
}

export function isOnPageOf(one: Citation, other: Citation | null): boolean {
  return one.documentId === other?.documentId && one.page === other.page
}

/** A passage of the library, opened like a footnote. */
export function citationOf(hit: SearchHit, marker: number): Citation {
  const { documentId, title, source, page, section, text, start, end } = hit
  const label = section ?? `page ${page}`
  return { documentId, title, source, page, section, start, end, marker, label, quote: text, verified: true }
}

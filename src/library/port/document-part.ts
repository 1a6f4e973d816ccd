const NUMBER = String.raw`^(?:(?:\d+|[A-Z]|[IVX]+)(?:\.\d+)*[.:)]?\s+)?`
const SUMMARY = new RegExp(
  `${NUMBER}(?:abstract|(?:executive |management |plain-language )?summary|overview|highlights|key (?:points|findings|messages)|at a glance|in brief|synopsis|purpose(?: and scope)?|about this \\p{L}+)\\b`,
  'iu',
)
const OPENING = new RegExp(`${NUMBER}(?:introduction|background|scope|preface|foreword|objectives?|aims?)\\b`, 'iu')
const CLOSING = new RegExp(
  `${NUMBER}(?:conclusions?|concluding remarks|(?:summary|discussion) and (?:conclusions?|outlook)|discussion|key findings|findings|lessons learned|recommendations?)\\b`,
  'iu',
)

/** A part of a document that says what the whole of it is about. */
export type DocumentPart = 'summary' | 'opening' | 'closing'

/** Which part of a document stands under these headings, joined by ` > `; null for its body. */
export function partOf(section: string | null): DocumentPart | null {
  const headings = section?.split(' > ') ?? []
  const is = (pattern: RegExp) => headings.some((heading) => pattern.test(heading))
  if (is(SUMMARY)) return 'summary'
  if (is(CLOSING)) return 'closing'
  return is(OPENING) ? 'opening' : null
}

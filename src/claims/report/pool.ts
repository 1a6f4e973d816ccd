import type { Claim } from '../cards/claim.ts'

/** Claims that say the same: the same words, or the same value from the same words of a page. The first of each is kept. */
export function pooled<Of extends Claim>(claims: readonly Of[]): readonly Of[] {
  const known = new Set<string>()
  return claims.filter((claim) => {
    const marks = [`text ${plain(claim.text)}`, ...placesIn(claim)]
    const isNew = !marks.some((mark) => known.has(mark))
    for (const mark of marks) known.add(mark)
    return isNew
  })
}

/** All quotes of a claim with its figures: another sentence over the same words that names the same figures says the same. */
function placesIn({ quotes, text }: Claim): readonly string[] {
  const figures = (text.match(/\d[\d.,]*/g) ?? []).sort()
  // Without a figure, two sentences over the same words may say two things.
  if (quotes.length === 0 || figures.length === 0) return []
  const places = quotes.map(({ documentId, page, start, end }) => `${documentId} ${page} ${start}-${end}`).sort()
  return [`place ${places.join(' ')} ${figures.join(' ')}`]
}

function plain(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

import type { Claim } from '../cards/claim.ts'
import type { Report } from './report.ts'

/** Claims as numbered lines, each with its documents, for a model that compares them. */
export function numbered(claims: readonly Claim[], documentsOf: (claim: Claim) => string): string {
  return claims
    .map((claim, index) => `${index + 1}. (${documentsOf(claim)}) ${claim.text.replace(/\s+/g, ' ')}`)
    .join('\n')
}

/** The pairs that a model names: "3 and 17: the number of patients", each once. One document cannot contradict itself. */
export function contradictionsIn(reply: string, claims: readonly Claim[]): Report['contradictions'] {
  const known = new Set<string>()
  return reply.split('\n').flatMap((line) => {
    const [, one, other, about = ''] = /^\D{0,20}(\d{1,6}) and (\d{1,6}):(.*)$/.exec(line.replace(/\s+/g, ' ')) ?? []
    const [first = 0, second = 0] = [Number(one), Number(other)].sort((x, y) => x - y)
    const [a, b] = [claims[first - 1], claims[second - 1]]
    const pair = `${first} ${second}`
    if (!a || !b || known.has(pair) || !areOfOthers(a, b)) return []
    known.add(pair)
    return [{ about: about.trim(), claims: [a, b] as [Claim, Claim] }]
  })
}

function areOfOthers(a: Claim, b: Claim): boolean {
  const of = new Set(a.quotes.map(({ documentId }) => documentId))
  return b.quotes.some(({ documentId }) => !of.has(documentId))
}

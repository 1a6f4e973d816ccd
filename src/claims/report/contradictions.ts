import type { Claim } from '../cards/claim.ts'
import type { Report } from './report.ts'

/** Claims as numbered lines, each with its documents, for a model that compares them. */
export function numbered(claims: readonly Claim[], documentsOf: (claim: Claim) => string): string {
  return claims
    .map((claim, index) => `${index + 1}. (${documentsOf(claim)}) ${claim.text.replace(/\s+/g, ' ')}`)
    .join('\n')
}

/** The pairs that a model names: "3 and 17: the number of patients". Of one document alone, none can contradict itself. */
export function contradictionsIn(reply: string, claims: readonly Claim[]): Report['contradictions'] {
  return Array.from(reply.matchAll(/(\d+)\s+and\s+(\d+)\s*:\s*(.*\S)/g)).flatMap(([, one, other, about = '']) => {
    const [a, b] = [claims[Number(one) - 1], claims[Number(other) - 1]]
    return a && b && a !== b && areOfOthers(a, b) ? [{ about, claims: [a, b] as [Claim, Claim] }] : []
  })
}

function areOfOthers(a: Claim, b: Claim): boolean {
  const of = new Set(a.quotes.map(({ documentId }) => documentId))
  return b.quotes.some(({ documentId }) => !of.has(documentId))
}

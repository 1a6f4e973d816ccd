import type { RunResult } from '../../runs/index.ts'
import { hasResult, problemOf } from '../asking/known-runs.ts'
import { type Claim, cardsIn } from '../cards/claim.ts'
import type { Report } from './report.ts'

/** It has no result yet, or the same question asks again. */
export function isUnfinished(result: RunResult): boolean {
  return !hasResult(result.status) || problemOf(result) !== null
}

/** A question, if all runs of it have looked to the end and found nothing. */
export function notFoundIn(question: string, told: readonly { readonly result: RunResult }[]): Report['notFound'] {
  const [first] = told
  if (!first || told.some(({ result }) => isUnfinished(result) || cardsIn(result).length > 0)) return []
  const reason = told.length === 1 ? reasonOf(first.result) : `None of ${told.length} documents says it.`
  return [{ question, reason }]
}

export function unfinishedOf(result: RunResult): Report['unfinished'][number] {
  const isOpen = result.status === 'requires_action' || result.status === 'interrupted'
  return { question: result.question, state: isOpen ? 'open' : 'failed', reason: reasonOf(result) }
}

export function reasonOf(result: RunResult): string {
  const { answer, clarification, status } = result
  if (status === 'requires_action') return 'It waits for an approval.'
  return problemOf(result) ?? clarification ?? (answer.split('\n', 1)[0] || `The run is ${status}.`)
}

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

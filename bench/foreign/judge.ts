import { basename } from 'node:path'
import type { RunResult, SearchHit } from '../../src/index.ts'
import type { ForeignQuestion } from './material.ts'

/** Above it, an answer is given as if it were sure. */
export const SURE = 0.6
/** A passage holds the evidence of a document without pages if it has this share of its words. */
const EVIDENCE_SHARE = 0.8

export type Outcome = 'answered' | 'declined' | 'asked back' | 'failed'

export interface Verdict {
  readonly question: ForeignQuestion
  readonly outcome: Outcome
  /**
   * The first quote, with what is said before its marker or all that a model wrote, holds a right answer; an unanswerable
   * question was declined; a vague one was asked back.
   */
  readonly right: boolean
  /** The same of all that is shown. */
  readonly shown: boolean
  readonly confidence: number | null
  readonly documentFirst: boolean
  /** The page of the evidence, or its words where a document has no pages, is among the first ten passages found. */
  readonly pageInTen: boolean
}

/** What of a result is judged, so that a test can make one. */
export type JudgedResult = Pick<RunResult, 'status' | 'abstained' | 'answer' | 'confidence'> & {
  readonly citations: readonly Pick<RunResult['citations'][number], 'quote'>[]
}
export type JudgedHit = Pick<SearchHit, 'source' | 'page' | 'text'>

/**
 * Judges the answer to a question. `files` are the sources of documents by id; `isWritten`: a model wrote the answer,
 * which then counts as a whole.
 */
export function judge(
  question: ForeignQuestion,
  result: JudgedResult,
  hits: readonly JudgedHit[],
  { files, isWritten }: { readonly files: ReadonlyMap<string, string>; readonly isWritten: boolean },
): Verdict {
  const outcome = outcomeOf(result)
  const first = `${isWritten ? result.answer : beforeMarker(result.answer)}\n${result.citations[0]?.quote ?? ''}`
  const all = [result.answer, ...result.citations.map(({ quote }) => quote)].join('\n')
  const places = question.documents.map((id) => basename(files.get(id) ?? id))
  const own = hits.filter(({ source }) => places.includes(basename(source)))
  return {
    question,
    outcome,
    right: isRight(question, outcome, first),
    shown: isRight(question, outcome, all),
    confidence: outcome === 'answered' ? result.confidence : null,
    documentFirst: hits[0] !== undefined && own.includes(hits[0]),
    pageInTen: own.some((hit) => holdsEvidence(question, hit)),
  }
}

/** An answer that is wrong although it is stated as sure. Vague questions do not count: no answer to them is right. */
export function isSurelyWrong({ question, outcome, right, confidence }: Verdict): boolean {
  return outcome === 'answered' && question.kind !== 'vague' && !right && (confidence ?? 0) >= SURE
}

function outcomeOf({ status, abstained }: JudgedResult): Outcome {
  if (status === 'clarification_needed') return 'asked back'
  if (status !== 'completed' && status !== 'limit_reached') return 'failed'
  return abstained ? 'declined' : 'answered'
}

function isRight(question: ForeignQuestion, outcome: Outcome, text: string): boolean {
  if (question.kind === 'unanswerable') return outcome === 'declined'
  if (question.kind === 'vague') return outcome === 'asked back'
  return outcome === 'answered' && holdsExpected(question.expect ?? [], text)
}

/** True if a text holds one of each group. */
export function holdsExpected(expected: readonly (readonly string[])[], text: string): boolean {
  const plainText = plain(text)
  return expected.length > 0 && expected.every((group) => group.some((each) => stands(plain(each), plainText)))
}

/** What stands before the first footnote marker. */
function beforeMarker(answer: string): string {
  const marker = answer.search(/\[\d+\]/)
  return marker < 0 ? answer : answer.slice(0, marker)
}

/**
 * A word begins where it is expected, so "ratified" is found by "ratif"; a number and a short word also end there: "44" is
 * not in "44.5", nor "USB" in "usbhid".
 */
function stands(wanted: string, text: string): boolean {
  const endsToo = /\d$/.test(wanted) || wanted.length <= 4
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    const before = text.slice(Math.max(0, at - 2), at)
    const after = text.slice(at + wanted.length, at + wanted.length + 2)
    const begins = !/[\p{L}\p{N}]$/u.test(before) && !(/^\d/.test(wanted) && /\d[.,]$/.test(before))
    const ends = !endsToo || !(/^[\p{L}\p{N}]/u.test(after) || (/\d$/.test(wanted) && /^[.,]\d/.test(after)))
    if (begins && ends) return true
  }
  return false
}

function holdsEvidence({ page, alsoOn = [], quote = '' }: ForeignQuestion, hit: JudgedHit): boolean {
  if (page !== undefined) return [page, ...alsoOn].includes(hit.page)
  const wanted = wordsOf(quote)
  const found = new Set(wordsOf(hit.text))
  return wanted.length > 0 && wanted.filter((word) => found.has(word)).length >= EVIDENCE_SHARE * wanted.length
}

function wordsOf(text: string): readonly string[] {
  return plain(text).match(/[\p{L}\p{N}]+/gu) ?? []
}

/** Without accents, emphasis, and the differences of case, white space, quotation marks and dashes. */
function plain(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/[\p{M}\u00ad*]/gu, '')
    .replaceAll(/[‘’´]/gu, "'")
    .replaceAll(/[“”«»„]/gu, '"')
    .replaceAll(/[‐‑–—−]/gu, '-')
    .replaceAll(/\s+/g, ' ')
    .toLowerCase()
}

import type { AnswerSentence } from '../events/index.ts'
import { hasLetter } from '../library/index.ts'
import { type CheckedSentence, nearestQuote, type QuotedFormula, quoteOf, withQuotes } from './check-draft.ts'
import { isTableRow } from './draft/structure.ts'
import type { FigureSources } from './figures/check-formulas.ts'
import { correctionWithin, foreignIn } from './judge/corrections.ts'
import type { Verdict } from './judge/reading.ts'
import type { Located, Sources } from './quotes/locate-quotes.ts'
import { formsOf } from './quotes/page-sentences.ts'
import type { TabledEvidence } from './quotes/quoted-table.ts'
import { wholeQuotes } from './quotes/whole-quotes.ts'

/** What became of a sentence. */
export interface JudgedSentence {
  readonly before: string
  readonly text: string
  readonly isStructure: boolean
  readonly state: AnswerSentence['state']
  /** Why it is not verified. */
  readonly reason: string | null
  /** What found that out. */
  readonly stage: 'quotes' | 'formula' | 'reading'
  readonly quotes: readonly Located[]
  readonly formulas: readonly QuotedFormula[]
  /** As it was written, where its reader has corrected it. */
  readonly correctedFrom: string | null
  /** It answers the question by itself. */
  readonly isAnswer: boolean
  /** It says what the passages do not say, and so has no quote. */
  readonly isAbsence: boolean
}

export const NO_PASSAGE = 'it names no passage, and no passage has its words'

/** What a sentence is judged by. */
export interface Around {
  readonly sources: Sources & FigureSources
  readonly question: string
  /** Question, titles and passages. */
  readonly context: string
}

/** The words of a question, and of passages and their titles. */
export function contextOf(question: string, evidence: readonly TabledEvidence[]): string {
  return [question, ...evidence.map(({ observation }) => `${observation.title ?? ''}\n${observation.text}`)].join('\n')
}

export function basis({ before, text, isStructure, formulas }: CheckedSentence): JudgedSentence {
  return {
    before,
    text: text.trim(),
    isStructure,
    state: 'unsupported',
    reason: null,
    stage: 'quotes',
    quotes: [],
    formulas,
    correctedFrom: null,
    isAnswer: false,
    isAbsence: false,
  }
}

/** The state that a sentence has by itself and by the verdict of its reader, which is a reason where nobody read it. */
export async function stateOf(
  sentence: CheckedSentence,
  verdict: Verdict | string,
  around: Around,
): Promise<JudgedSentence> {
  const base = basis(sentence)
  const { unreadable, isStructure, same, isWrong, formulaProblems } = sentence
  if (unreadable !== null) return { ...base, reason: unreadable }
  if (isStructure) return structureAfter(base, verdict, around)
  if (same) return { ...base, state: 'verified', quotes: [same] }
  if (typeof verdict === 'string') return unread(sentence, base, verdict, around)
  if (!verdict.holds) return refused(sentence, base, verdict, around)
  if (isWrong) return { ...base, stage: 'formula', reason: formulaProblems[0] ?? null }
  return borneOut(sentence, base, verdict, around)
}

async function borneOut(
  sentence: CheckedSentence,
  base: JudgedSentence,
  verdict: Verdict & { readonly holds: true },
  { sources, context }: Around,
): Promise<JudgedSentence> {
  const quotes = await wholeQuotes(base.text, await quotesFor(sentence, verdict, sources), sources)
  const isQuoted = quotes.length + sentence.formulas.length > 0
  const { isAbsence } = verdict
  if (!isQuoted && !isAbsence) return { ...base, reason: sentence.notFound ?? NO_PASSAGE }
  // No passage has to bear an absence out, so it may not bring what they do not have.
  const foreign = isAbsence ? foreignIn(base.text, context) : null
  const reason = foreign === null ? null : `neither the question nor the passages have “${foreign}”`
  const state = reason === null ? 'verified' : 'quoted'
  return { ...base, state, reason, quotes, isAbsence: !isQuoted, stage: 'reading' }
}

/** The passages that its reader names, each by the writer's quote if it stands there, else by its nearest sentence or row. */
async function quotesFor(
  sentence: CheckedSentence,
  { passages, isAbsence }: { readonly passages: readonly string[]; readonly isAbsence: boolean },
  sources: Sources,
): Promise<readonly Located[]> {
  const { quotes, formulas } = sentence
  const told = passages.flatMap((id) => sources.evidence.find(({ passage }) => passage.id === id) ?? [])
  const found = await Promise.all(
    told.map((each) => quotes.find(({ passage }) => passage === each.passage.id) ?? quoteOf(sentence, each, sources)),
  )
  const kept = found.filter((each) => each !== null)
  if (kept.length > 0 || formulas.some(({ operands }) => operands.length > 0)) return kept
  if (quotes.length > 0 || isAbsence) return quotes
  const near = await nearestQuote(sentence, sources)
  return near ? [near] : []
}

/** What stands where nobody reads: quotes that are on their pages, or the nearest words of the passages that it names. */
async function unread(
  sentence: CheckedSentence,
  base: JudgedSentence,
  why: string,
  { sources }: Around,
): Promise<JudgedSentence> {
  const { quotes, notFound, formulas, isWrong, formulaProblems } = sentence
  if (isWrong) return { ...base, stage: 'formula', reason: formulaProblems[0] ?? null }
  if (quotes.length > 0 || formulas.length > 0) return { ...base, state: 'quoted', quotes, reason: why }
  if (notFound !== null) return { ...base, reason: notFound }
  const near = await nearestQuote(sentence, sources)
  return near ? { ...base, state: 'quoted', quotes: [near], reason: why } : { ...base, reason: NO_PASSAGE }
}

/** A correction takes the sentence's place if it brings nothing that neither the sentence nor the passages have. */
async function refused(
  sentence: CheckedSentence,
  base: JudgedSentence,
  verdict: Verdict & { readonly holds: false },
  around: Around,
): Promise<JudgedSentence> {
  const { why, isContradicted } = verdict
  const corrected = await correctedBy(sentence, base, verdict, around)
  if (corrected) return corrected
  const said = isContradicted ? 'the passages say something else' : 'the passages do not say so'
  return { ...base, stage: 'reading', reason: why === '' ? said : `${said}: ${why}` }
}

async function correctedBy(
  sentence: CheckedSentence,
  base: JudgedSentence,
  verdict: Verdict & { readonly holds: false },
  { sources, question }: Around,
): Promise<JudgedSentence | null> {
  const { correction, passages } = verdict
  if (correction === null) return null
  const named = sources.evidence.filter(({ passage }) => passages.length === 0 || passages.includes(passage.id))
  const corrected = correctionWithin(correction, base.text, contextOf(question, named), sources)
  if (!corrected) return null
  const { text } = corrected
  const formulas = await Promise.all(corrected.formulas.map((each) => withQuotes(each, sources)))
  const now = { ...sentence, text, quotes: [], formulas }
  const quotes = await wholeQuotes(text, await quotesFor(now, { ...verdict, isAbsence: false }, sources), sources)
  if (quotes.length + formulas.length === 0) return null
  return { ...base, text, formulas, state: 'verified', quotes, stage: 'reading', correctedFrom: base.text }
}

/** A heading stays if its reader says so; unread, if all its words stand in the question, the titles or the passages. */
function structureAfter(base: JudgedSentence, verdict: Verdict | string, { context }: Around): JudgedSentence {
  const line = base.text
  if (!hasLetter(line) || isTableRow(line)) return { ...base, state: 'quoted' }
  if (typeof verdict !== 'string') {
    const reason = verdict.holds ? null : verdict.why || 'the passages do not say so'
    return { ...base, state: verdict.holds ? 'quoted' : 'unsupported', reason, stage: 'reading' }
  }
  const held = formsOf(context)
  const isKnown = [...formsOf(line)].every((form) => held.has(form))
  return { ...base, state: isKnown ? 'quoted' : 'unsupported', reason: isKnown ? null : NO_PASSAGE }
}

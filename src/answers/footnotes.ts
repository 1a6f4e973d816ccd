import type { Calculation, Citation, Evidence } from '../events/index.ts'
import { countLetters, hasLetterOrDigit, lettersOf, wordsIn } from '../library/language/characters.ts'
import { withoutEmphasis } from '../library/quote.ts'
import { checkCalculations, type VerifiedCalculation } from './calculations/check.ts'
import { type NotedFormula, withMarks } from './calculations/notation.ts'
import { knownNames } from './checks/names.ts'
import { contentForms } from './checks/word-forms.ts'
import { type DraftSentence, parseDraft, withSharedQuotes } from './cited-text.ts'
import { columnsOf, type Surroundings, whyUnsupported } from './claim.ts'
import { type Located, locate, type PageTextOf } from './locate-quotes.ts'
import { answerIn, harmless } from './readable-text.ts'
import { claimsNothing, isStructure, isTableRow, type Piece, withoutEmptyStructure } from './structure.ts'

/** A sentence that was dropped, and why, in words for its author. */
export interface Dropped {
  readonly sentence: string
  readonly reason: string
}

/** A draft after verification. */
export interface VerifiedAnswer {
  /** The sentences that hold, with markers `[1]`; empty if none does. */
  readonly text: string
  readonly citations: readonly Citation[]
  /** What the kept sentences state that was computed from their quotes. */
  readonly calculations: readonly Calculation[]
  /** The same quotes, each with the handle of its passage. */
  readonly quotes: readonly { readonly id: string; readonly quote: string }[]
  readonly dropped: readonly Dropped[]
  /** For each sentence that holds, the share of its words that its quotes hold. */
  readonly support: readonly number[]
  /** The sentence that was to answer first is among those. */
  readonly lostFirst: boolean
  /** The time was up before all of it was checked; the rest is dropped. */
  readonly isCutShort: boolean
}

export interface DraftToVerify {
  readonly draft: string
  readonly question: string
  readonly evidence: readonly Evidence[]
  readonly pageTextOf: PageTextOf
  /** Awaited between sentences; false when the time is up (`slices`). */
  readonly hasTime?: () => Promise<boolean>
}

/**
 * Keeps a sentence only if at least one of its quotes stands, word for word, on the page of a passage found in this
 * run, and no check fails (`whyUnsupported`). A citation's `quote` is the page's own text, `page.slice(start, end)`. The
 * kept text has no image, HTML or foreign marker, and links only to addresses of the evidence.
 */
export async function verifyDraft({
  draft,
  question,
  evidence,
  pageTextOf,
  hasTime = async () => true,
}: DraftToVerify): Promise<VerifiedAnswer> {
  const numbered = new Map<string, Numbered>()
  const calculations = new Map<string, Calculation>()
  const read: Read[] = []
  const surroundings = surroundingsOf(question, evidence)
  const { text: marked, noted } = withMarks(answerIn(draft.slice(0, longestDraft)))
  const sentences = withSharedQuotes(parseDraft(marked))
  let all: Promise<readonly Located[]> | null = null
  const everywhere = () => (all ??= quotesOf(sentences, { evidence, pageTextOf, hasTime }))
  const formulas = { noted, everywhere, calculations }
  const work: Work = { evidence, pageTextOf, surroundings, isKnown: addressesOf(evidence), numbered, formulas }
  let isCutShort = false
  for (const written of sentences) {
    isCutShort ||= !(await hasTime())
    const unread = isCutShort ? OUT_OF_TIME : read.length >= mostSentences ? TOO_MANY : whyUnreadable(written.text)
    const piece =
      unread === null ? await readSentence(written, work) : { ...written, isStructure: false, problem: unread }
    if (piece !== null) read.push(piece)
  }
  const { kept, dropped, lostFirst } = sorted(read, { question, labels: labelsOf(evidence) })
  return {
    text: withoutEmptyStructure(kept)
      .map(({ before, text }, index) => (index === 0 ? '' : before || ' ') + text)
      .join('')
      .trim(),
    citations: [...numbered.values()].map(({ citation }) => citation),
    calculations: [...calculations.values()],
    quotes: [...numbered.values()].map(({ citation, passage }) => ({ id: passage, quote: citation.quote })),
    dropped,
    support: kept.flatMap(({ support }) => support ?? []),
    lostFirst,
    isCutShort,
  }
}

const OUT_OF_TIME = 'the time was up before it could be checked'
const TOO_MANY = 'the draft has too many sentences'

const mostSentences = 500

interface Work extends Pick<DraftToVerify, 'evidence' | 'pageTextOf'> {
  readonly surroundings: Surroundings
  readonly isKnown: (address: string) => boolean
  readonly numbered: Map<string, Numbered>
  readonly formulas: {
    readonly noted: readonly NotedFormula[]
    /** The quotes of all sentences, looked up for the first formula that needs more than those of its own sentence. */
    readonly everywhere: () => Promise<readonly Located[]>
    readonly calculations: Map<string, Calculation>
  }
}

async function quotesOf(
  sentences: readonly DraftSentence[],
  { evidence, pageTextOf, hasTime }: Required<Pick<DraftToVerify, 'evidence' | 'pageTextOf' | 'hasTime'>>,
): Promise<readonly Located[]> {
  const found: Located[] = []
  for (const { text, citations } of sentences) {
    if (citations.length === 0) continue
    if (!(await hasTime())) break
    found.push(...(await locate(citations, evidence, pageTextOf)).filter((each) => isTelling(each, text)))
  }
  return found
}

/** The formulas of a sentence, computed from its own quotes, or else from those of the answer: from `quotes`. */
async function computedIn(text: string, own: readonly Located[], { formulas }: Work) {
  const first = { ...checkCalculations(text, formulas.noted, own), quotes: own }
  if (first.problem === null) return first
  const quotes = [...own, ...(await formulas.everywhere())]
  const second = { ...checkCalculations(text, formulas.noted, quotes), quotes }
  return second.problem === null ? second : first
}

/** One sentence, with markers if it holds; null for one that claims nothing and is no heading. */
async function readSentence(written: DraftSentence, work: Work): Promise<Read | null> {
  const { evidence, pageTextOf, surroundings, isKnown } = work
  const located = await locate(written.citations, evidence, pageTextOf)
  const own = located.filter((each) => isTelling(each, written.text))
  const computed = await computedIn(harmless(written.text, isKnown), own, work)
  const sentence = { ...written, text: computed.text }
  const operands = computed.calculations.flatMap((each) => each.operands)
  const found = [...new Set([...own, ...operands.flatMap(({ quote }) => computed.quotes[quote] ?? [])])]
  const about = { ...surroundings, isComputed: computed.calculations.length > 0 }
  const unfounded = located.length > 0 && found.length === 0 ? TOO_SHORT : null
  const problem = computed.problem ?? unfounded ?? problemOf({ ...sentence, text: computed.rest }, found, about)
  const { before, text } = sentence
  if (problem === null) {
    const quoted = found.map((citation) => number(citation, work))
    const markers = new Set([
      ...quoted,
      ...computed.calculations.map((each) => numberCalculation(each, computed.quotes, work)),
    ])
    const support = supportOf(sentence.text, found)
    return { before, text: withMarkers(text.trim(), markers), isStructure: false, problem, support }
  }
  if (isStructure(sentence)) return { before, text, isStructure: true, problem }
  return isClaim(sentence) ? { before, text, isStructure: false, problem } : null
}

/** 0 to 1; 1 for a sentence without words that carry meaning, as a cell of a table. */
function supportOf(sentence: string, found: readonly Located[]): number {
  const forms = [...new Set(contentForms(sentence))]
  const held = new Set(found.flatMap(({ quote }) => contentForms(quote)))
  return forms.length > 0 ? forms.filter((form) => held.has(form)).length / forms.length : 1
}

type Read = Piece & { readonly problem: string | null; readonly support?: number }

/** Drops sentences with a problem, and headings that claim something. */
function sorted(
  read: readonly Read[],
  about: Parameters<typeof claimsNothing>[1],
): Pick<VerifiedAnswer, 'dropped' | 'lostFirst'> & { readonly kept: readonly Read[] } {
  const holding = read.filter(({ problem, isStructure }) => problem === null || isStructure)
  const labels = claimsNothing(holding, about)
  const isKept = (piece: Read) => piece.problem === null || labels.has(piece)
  const first = read.findIndex(({ problem }) => problem === null)
  const lost = read.findIndex((piece) => !isKept(piece) && !piece.isStructure)
  return {
    kept: read.filter(isKept),
    dropped: read
      .filter((piece) => !isKept(piece))
      .map(({ text, problem }) => ({ sentence: text.trim(), reason: problem ?? '' })),
    lostFirst: lost >= 0 && (first < 0 || lost < first),
  }
}

function labelsOf(evidence: readonly Evidence[]): string {
  return evidence
    .flatMap(({ observation }) => [observation.title, observation.section, observation.table, columnsOf(observation)])
    .join('\n')
}

function surroundingsOf(question: string, evidence: readonly Evidence[]): Surroundings {
  const texts = new Map<string, string>()
  for (const { observation } of evidence) {
    const { documentId, text } = observation
    texts.set(documentId, `${texts.get(documentId) ?? ''}\n${text}`)
  }
  const titles = evidence.map(({ observation }) => observation.title ?? '')
  const all = [question, ...titles, ...texts.values()].join('\n')
  return { question, textOf: (documentId) => texts.get(documentId) ?? '', known: knownNames(all) }
}

function addressesOf(evidence: readonly Evidence[]): (address: string) => boolean {
  return (address) =>
    /^https?:\/\//i.test(address) &&
    evidence.some(({ observation }) => observation.source === address || observation.text.includes(address))
}

/** The markers go behind the sentence, in a table's row into its last cell. */
function withMarkers(text: string, markers: ReadonlySet<number>): string {
  const shown = [...markers].map((each) => `[${each}]`).join('')
  return isTableRow(text) ? `${text.slice(0, -1).trimEnd()} ${shown} |` : `${text} ${shown}`
}

interface Numbered {
  readonly citation: Citation
  readonly passage: string
}

/** A quote with fewer words, and fewer letters and digits, stands on almost every page. */
const LEAST_WORDS = 3
const LEAST_LETTERS = 12
const TOO_SHORT = 'its quote is too short to support anything'

/** Long enough, or a whole line or cell of its page that the sentence repeats. */
function isTelling({ quote, isWhole }: Located, sentence: string): boolean {
  const words = wordsIn(quote).filter((word) => /[\p{L}\p{N}%]/u.test(word)).length
  // A letter of a script without spaces is as good as a word.
  const wide = quote.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu)?.length ?? 0
  const letters = countLetters(quote)
  if (Math.max(words, wide) >= LEAST_WORDS || letters >= LEAST_LETTERS) return true
  return isWhole && lettersOf(sentence).includes(lettersOf(quote))
}

/** Why a sentence cannot stand; null if it can. */
function problemOf(
  { text, citations }: DraftSentence,
  found: readonly Located[],
  surroundings: Surroundings,
): string | null {
  if (!hasLetterOrDigit(text)) return surroundings.isComputed ? null : 'it says nothing'
  if (citations.length === 0 && found.length === 0) return 'it has no quote'
  if (found.length === 0)
    return `its quote stands in no passage: ${citations.map(({ quote }) => `“${quote}”`).join(', ')}`
  return whyUnsupported(withoutEmphasis(text), found, surroundings)
}

function number(
  { passage, isWhole: _w, observation: _o, near: _n, before: _b, head: _h, ...citation }: Located,
  work: Work,
): number {
  const key = `${citation.documentId} ${citation.page} ${citation.start} ${citation.end}`
  const known = work.numbered.get(key)
  if (known) return known.citation.marker
  const marker = nextMarker(work)
  work.numbered.set(key, { citation: { marker, ...citation }, passage })
  return marker
}

function numberCalculation(
  { expression, value, operands }: VerifiedCalculation,
  quotes: readonly Located[],
  work: Work,
): number {
  const { calculations } = work.formulas
  const known = calculations.get(expression)
  if (known) return known.marker
  const cited = operands.flatMap(({ value: figure, quote }) => {
    const located = quotes[quote]
    return located ? [{ value: figure, marker: number(located, work) }] : []
  })
  const calculation = { marker: nextMarker(work), expression, value, operands: cited }
  calculations.set(expression, calculation)
  return calculation.marker
}

/** Quotes and calculations are numbered together. */
function nextMarker({ numbered, formulas }: Work): number {
  return numbered.size + formulas.calculations.size + 1
}

const pleasantry =
  /^(i hope|hope this|let me know|feel free|sure\b|certainly\b|of course\b|great question|here (is|are) (the|your|an?)\b)/i

function isClaim({ text }: DraftSentence): boolean {
  return hasLetterOrDigit(text) && !pleasantry.test(text.trim())
}

/** Characters of a draft that are read; the rest is treated as cut off. */
export const longestDraft = 40_000

const longestSentence = 4_000

// No word of a language with spaces is so long.
const longWord = /[\p{Script=Latin}\p{N}]{201}/u

/** Why a sentence is not checked at all; null if it is. */
export function whyUnreadable(sentence: string): string | null {
  if (sentence.length > longestSentence) return 'it is too long to be checked'
  return longWord.test(sentence) ? 'it holds a word that is too long to be checked' : null
}

import type { AnswerSentence, Calculation, Citation } from '../events/index.ts'
import { hasLetter, lettersOf } from '../library/index.ts'
import { type CheckedSentence, checkDraft, claimOf, type DraftToCheck, type QuotedFormula } from './check-draft.ts'
import { harmless } from './draft/clean-draft.ts'
import { isTableRow, withoutEmptyStructure } from './draft/structure.ts'
import { notesOnFigures } from './figures/figure-notes.ts'
import type { Claim, Judgement, Verdict } from './judge/reading.ts'
import type { Located } from './quotes/locate-quotes.ts'
import { withTables } from './quotes/quoted-table.ts'
import { basis, contextOf, type JudgedSentence, NO_PASSAGE, stateOf } from './sentence-state.ts'

/** A draft whose sentences have their states. */
export interface JudgedDraft {
  readonly sentences: readonly JudgedSentence[]
  /** What is kept answers the question. */
  readonly isAnswered: boolean
  /** The time was up before all of it was checked. */
  readonly isCutShort: boolean
}

/**
 * Reads the sentences of an answer over the passages that its writer had; with a reason instead where nobody did, or where the
 * reader cannot be trusted.
 */
export type Judge = (claims: readonly Claim[]) => Promise<Judgement | { readonly unread: string }>

export interface DraftToJudge extends DraftToCheck {
  readonly question: string
  /** Null: no model reads. */
  readonly judge: Judge | null
}

const NOT_READ = 'nobody has read it again'

/**
 * Gives each sentence of a draft its state. It is verified if it is a sentence of a page word for word, or if its reader finds
 * that the passages say so, with its formulas computed again; quoted, if its quotes stand on their pages but nobody read it; else
 * unsupported. Nothing else drops, changes or moves a sentence.
 */
export async function judgeDraft({ judge, question, ...given }: DraftToJudge): Promise<JudgedDraft> {
  const toCheck = { ...given, evidence: await withTables(given.evidence, given.tablesOf) }
  const { sentences, isCutShort } = await checkDraft({ ...toCheck, question })
  const { evidence } = toCheck
  const claimed = sentences.filter((each) => each.unreadable === null && isReadable(each))
  const isToRead = judge && !isCutShort && claimed.some(({ isStructure, same }) => !isStructure && !same)
  const notesOn = notesOnFigures({ evidence, question })
  const judgement = isToRead ? await judge(claimed.map((each) => claimOf(each, notesOn))) : { unread: NOT_READ }
  const sources = { ...toCheck, question }
  const around = { sources, question, context: contextOf(question, evidence) }
  const judged = await Promise.all(
    sentences.map((sentence) => {
      const number = claimed.indexOf(sentence) + 1
      return stateOf(sentence, verdictOn(number, judgement), around)
    }),
  )
  const answering = 'unread' in judgement ? null : judgement.answering
  const marked = judged.map((each, index) => {
    const number = claimed.indexOf(sentences[index] as CheckedSentence) + 1
    return { ...each, isAnswer: isKept(each) && !each.isStructure && (answering?.has(number) ?? false) }
  })
  return { sentences: marked, isAnswered: isAnswered(marked, answering !== null), isCutShort }
}

/** Answers that a rule has made of quotes: what stands on its page is verified, by its own quote or that of a sentence behind it. */
export async function judgeQuotes(given: DraftToCheck): Promise<JudgedDraft> {
  const evidence = await withTables(given.evidence, given.tablesOf)
  const { sentences, isCutShort } = await checkDraft({ ...given, evidence })
  const judged = sentences.map((sentence, index): JudgedSentence => {
    const { text, same, unreadable, notFound, isStructure } = sentence
    if (isStructure) return { ...basis(sentence), state: 'verified' }
    const behind = sentences.slice(index + 1).flatMap(({ quotes }) => quotes.filter((each) => holds(each, text)))
    const found = [sentence.quotes, behind.slice(0, 1), same ? [same] : []].find(({ length }) => length > 0) ?? []
    return found.length > 0
      ? { ...basis(sentence), state: 'verified', quotes: found }
      : { ...basis(sentence), reason: unreadable ?? notFound ?? NO_PASSAGE }
  })
  return { sentences: judged, isAnswered: judged.some(isKept), isCutShort }
}

/** A page's own footnote markers are taken out of what is shown of it. */
function holds({ quote }: Located, text: string): boolean {
  return [quote, harmless(quote, () => false)].some((words) => lettersOf(words).includes(lettersOf(text)))
}

/** A heading of a table has words only in the rows below it; a rule has none. */
function isReadable({ text, isStructure }: CheckedSentence): boolean {
  return !isStructure || (hasLetter(text) && !isTableRow(text.trim()))
}

function verdictOn(number: number, judgement: Judgement | { readonly unread: string }): Verdict | string {
  if ('unread' in judgement) return judgement.unread
  return judgement.verdicts.get(number) ?? 'its reader gave no verdict on it'
}

function isKept({ state }: JudgedSentence): boolean {
  return state !== 'unsupported'
}

/** Whether what is kept answers: all of it is kept, or its reader says so of a kept sentence, or unread, the first is kept. */
function isAnswered(sentences: readonly JudgedSentence[], isTold: boolean): boolean {
  const said = sentences.filter(({ isStructure }) => !isStructure)
  if (said.length === 0 || !said.some(isKept)) return false
  if (said.every(isKept)) return true
  const first = said[0]
  return isTold ? said.some(({ isAnswer }) => isAnswer) : first !== undefined && isKept(first)
}

/**
 * The sentences of two drafts that stand in either: those of the second, and what only the first has. Where neither answers, what
 * fell in the first is told too.
 */
export function merged(first: JudgedDraft, second: JudgedDraft): JudgedDraft {
  const shown = new Set(second.sentences.filter(isKept).flatMap(basesOf))
  const isNew = (sentence: JudgedSentence) => {
    const bases = basesOf(sentence)
    return bases.length > 0 && !bases.some((each) => shown.has(each))
  }
  const said = first.sentences.filter(({ isStructure }) => !isStructure)
  const added = said.filter((each) => isKept(each) && isNew(each)).map((each) => ({ ...each, before: '\n\n' }))
  const isAnswered = second.isAnswered || added.some(({ isAnswer }) => isAnswer)
  const again = new Set(second.sentences.map(({ text }) => text))
  const fallen = isAnswered ? [] : said.filter((each) => !isKept(each) && !again.has(each.text))
  const isCutShort = first.isCutShort || second.isCutShort
  return { sentences: [...second.sentences, ...added, ...fallen], isAnswered, isCutShort }
}

/** What a sentence rests on: its formulas, else its quotes. */
function basesOf({ quotes, formulas }: JudgedSentence): readonly string[] {
  if (formulas.length > 0) return formulas.map(({ expression }) => expression)
  return quotes.map(({ documentId, page, start, end }) => [documentId, page, start, end].join(' '))
}

/** A judged draft as it is shown. */
export interface VerifiedAnswer {
  /** The sentences that are kept, with markers `[1]`; empty if none is. */
  readonly text: string
  readonly citations: readonly Citation[]
  readonly calculations: readonly Calculation[]
  readonly sentences: readonly AnswerSentence[]
  /** A sentence is shown without a quote, since it says what the passages do not say. */
  readonly namesAbsence: boolean
}

/** At most so many markers on a sentence: its reader names as few passages as bear it out, and none of these may be missing. */
const mostMarkers = 4

/** Puts the kept sentences together, with footnotes in the order of first use. */
export function answerOf({ sentences }: Pick<JudgedDraft, 'sentences'>): VerifiedAnswer {
  const markers = new Markers()
  const noted = sentences.map((sentence) => ({
    ...sentence,
    markers: isKept(sentence) ? markersOf(sentence, markers) : [],
  }))
  const kept = withoutEmptyStructure(noted.filter(isKept))
  const isCited = kept.some(({ quotes, formulas }) => quotes.length + formulas.length > 0)
  return {
    text: isCited ? textOf(kept) : '',
    citations: isCited ? markers.citations : [],
    calculations: isCited ? markers.calculations : [],
    sentences: noted.flatMap((each) => (each.isStructure ? [] : [sentenceOf(each)])),
    namesAbsence: isCited && kept.some(({ isAbsence }) => isAbsence),
  }
}

type Noted = JudgedSentence & { readonly markers: readonly number[] }

/** A formula's footnote names the quotes that its figures stand in, so beside it one quote is enough; so it is in a row. */
function markersOf({ quotes, formulas, text }: JudgedSentence, markers: Markers): readonly number[] {
  const computed = formulas.map((each) => markers.ofFormula(each))
  const most = computed.length > 0 || isTableRow(text) ? 1 : mostMarkers
  const quoted = quotes.slice(0, most).map((each) => markers.ofQuote(each))
  return [...new Set([...quoted, ...computed])].slice(0, mostMarkers)
}

function textOf(kept: readonly Noted[]): string {
  return kept
    .map(({ before, text, markers }, index) => (index === 0 ? '' : before || ' ') + withMarkers(text, markers))
    .join('')
    .trim()
}

function sentenceOf({ text, state, markers, reason, correctedFrom }: Noted): AnswerSentence {
  const further = { ...(reason !== null && { reason }), ...(correctedFrom !== null && { correctedFrom }) }
  return { text, state, markers: [...markers], ...further }
}

/** Numbers the footnotes of one answer: quotes and calculations together, each once, in the order of first use. */
class Markers {
  readonly #quotes = new Map<string, Citation>()
  readonly #calculations = new Map<string, Calculation>()

  get citations(): readonly Citation[] {
    return [...this.#quotes.values()]
  }

  get calculations(): readonly Calculation[] {
    return [...this.#calculations.values()]
  }

  ofQuote(located: Located): number {
    const { passage: _, ...citation } = located
    const key = `${citation.documentId} ${citation.page} ${citation.start} ${citation.end}`
    const known = this.#quotes.get(key)
    if (known) return known.marker
    const marker = this.#next()
    this.#quotes.set(key, { marker, ...citation })
    return marker
  }

  ofFormula({ expression, value, operands }: QuotedFormula): number {
    const known = this.#calculations.get(expression)
    if (known) return known.marker
    const cited = operands.map(({ value: figure, located }) => ({ value: figure, marker: this.ofQuote(located) }))
    const calculation = { marker: this.#next(), expression, value, operands: cited }
    this.#calculations.set(expression, calculation)
    return calculation.marker
  }

  #next(): number {
    return this.#quotes.size + this.#calculations.size + 1
  }
}

/** The markers go behind the sentence, in a table's row into its last cell. */
function withMarkers(text: string, markers: readonly number[]): string {
  if (markers.length === 0) return text
  const shown = markers.map((each) => `[${each}]`).join('')
  return isTableRow(text) ? `${text.slice(0, -1).trimEnd()} ${shown} |` : `${text} ${shown}`
}

import { hasLetterOrDigit, wordsIn } from '../library/index.ts'
import { addressesOf, answerIn, harmless, whyUnreadable } from './draft/clean-draft.ts'
import { type DraftSentence, parseDraft } from './draft/parse-draft.ts'
import { isRule, isStructure, tableHeads } from './draft/structure.ts'
import { type CheckedFormulas, checkFormulas, type FigureSources } from './figures/check-formulas.ts'
import type { FigureNotes } from './figures/figure-notes.ts'
import { type NotedFormula, withMarks } from './figures/formula-marks.ts'
import type { Claim } from './judge/reading.ts'
import { type Located, locate, locateIn, type PageTextOf, type Sources } from './quotes/locate-quotes.ts'
import { nearestSentence, sameSentence, sentencesOf } from './quotes/page-sentences.ts'
import type { TabledEvidence, TablesOf } from './quotes/quoted-table.ts'

/** A formula that was computed again, with the quotes that its figures stand in. */
export interface QuotedFormula {
  readonly expression: string
  readonly value: number
  readonly operands: readonly { readonly value: number; readonly located: Located }[]
}

/** A sentence of a draft, a heading, or a row of a table, with what the program itself found out about it. */
export interface CheckedSentence {
  /** The white space before it. */
  readonly before: string
  readonly text: string
  /** A heading, the head or rule of a table: no sentence of its own, it stays above what is kept. */
  readonly isStructure: boolean
  /** The head of the table that it is a row of. */
  readonly under: string | null
  /** Its quotes that stand on their pages. */
  readonly quotes: readonly Located[]
  /** The passages that it names, or its paragraph, list or table further down; else those that the draft names; else all. */
  readonly named: readonly TabledEvidence[]
  /** It, or what follows in its paragraph, names a passage. */
  readonly isNamed: boolean
  /** Why a quote of its own, or a passage that it names, was not found. */
  readonly notFound: string | null
  /** The sentence of the page that consists of the same words. */
  readonly same: Located | null
  readonly formulas: readonly QuotedFormula[]
  /** The digits that its formulas account for. */
  readonly computed: readonly number[]
  readonly formulaProblems: readonly string[]
  /** A formula gives another number than the sentence says. */
  readonly isWrong: boolean
  /** It cannot be read by anybody: too long, or the time was up. */
  readonly unreadable: string | null
}

export interface DraftToCheck {
  readonly draft: string
  readonly evidence: readonly TabledEvidence[]
  /** Whose figures are given; none if absent. */
  readonly question?: string
  readonly pageTextOf: PageTextOf
  /** What is known of tables; nothing if absent. */
  readonly tablesOf?: TablesOf
  /** Awaited between sentences; false when the time is up (`slices`). */
  readonly hasTime?: () => Promise<boolean>
}

/** Characters of a draft that are read; the rest is treated as cut off. */
export const longestDraft = 40_000
const OUT_OF_TIME = 'the time was up before it could be checked'

/** A draft as its sentences, each with the quotes that stand on their pages and its formulas computed again. */
export async function checkDraft({
  draft,
  evidence,
  question = '',
  pageTextOf,
  hasTime = async () => true,
}: DraftToCheck) {
  const { text, noted } = withMarks(answerIn(withoutReferences(draft.slice(0, longestDraft))))
  const handles = evidence.map(({ passage }) => passage.id)
  const written = withoutFragments(parseDraft(text, handles))
  const cited = namedBy(
    written.flatMap(({ citations }) => citations),
    evidence,
  )
  const around = cited.length > 0 ? cited : evidence
  const work = { sources: { evidence, question, pageTextOf }, noted, around, isKnown: addressesOf(evidence) }
  const heads = tableHeads(written)
  const sentences: CheckedSentence[] = []
  let isCutShort = false
  for (const [index, sentence] of written.entries()) {
    isCutShort ||= !(await hasTime())
    const unreadable = isCutShort ? OUT_OF_TIME : whyUnreadable(sentence.text, index, work.isKnown)
    const under = heads[index] ?? null
    sentences.push({ ...(await checkOne(sentence, { ...work, under, unreadable })), under })
  }
  return { sentences, isCutShort }
}

/** "[words][1]" with a line "[1]: https://…" is a link, and no citation: its words stay. */
function withoutReferences(draft: string): string {
  return draft.replace(/\[([^\][\n]{1,200})\]\[(\d{1,3})\]/g, (link, words: string, number: string) =>
    draft.includes(`\n[${number}]: http`) ? words : link,
  )
}

interface Work {
  readonly sources: Sources & FigureSources
  readonly noted: readonly NotedFormula[]
  /** The passages that the draft names, or all if it names none. */
  readonly around: readonly TabledEvidence[]
  /** Addresses that the evidence holds. */
  readonly isKnown: (address: string) => boolean
  readonly under: string | null
  readonly unreadable: string | null
}

async function checkOne(sentence: DraftSentence, work: Work): Promise<Omit<CheckedSentence, 'under'>> {
  const { before, text: written, citations, shared } = sentence
  const { sources, around, noted, isKnown, unreadable } = work
  const { evidence } = sources
  const shown = harmless(written, isKnown)
  const isHead = written.trim() === work.under || isStructure(sentence)
  if (unreadable !== null || isHead) {
    return { before, ...nothingFound, text: shown, isStructure: isHead && unreadable === null, unreadable }
  }
  const { located, problems: lost } = await locate(citations, sources)
  // A quote may stand in another passage than the one that it names.
  const quoted = located.length > 0 ? located.map(({ passage }) => ({ id: passage })) : citations
  const checked = checkFormulas(shown, noted, { ...sources, named: namedBy(quoted, evidence) })
  const { text, right, problems: formulaProblems, isWrong } = checked
  const quotes = located.filter((each) => isTelling(each, text))
  const named = namedBy(citations.length > 0 ? citations : shared, evidence)
  const same = sameSentence(text.replace(BULLET, ''), citations.length > 0 ? evidence : around)
  return {
    before,
    text,
    isStructure: false,
    quotes,
    named: named.length > 0 ? named : around,
    isNamed: named.length > 0,
    notFound: lost[0] ?? (located.length > quotes.length ? TOO_SHORT : null) ?? unknownPassage(citations, sources),
    same: same && (await locateIn(same.text, same.evidence, sources)),
    formulas: await Promise.all(right.map((each) => withQuotes(each, sources))),
    computed: right.flatMap(({ figures }) => figures),
    formulaProblems,
    isWrong,
    unreadable: null,
  }
}

const nothingFound = {
  quotes: [],
  named: [],
  isNamed: false,
  notFound: null,
  same: null,
  formulas: [],
  computed: [],
  formulaProblems: [],
  isWrong: false,
}

function namedBy(
  citations: readonly Pick<DraftSentence['citations'][number], 'id'>[],
  evidence: readonly TabledEvidence[],
): readonly TabledEvidence[] {
  const ids = new Set(citations.map(({ id }) => id))
  return evidence.filter(({ passage }) => ids.has(passage.id))
}

const BULLET = /^\s*(?:[-*•+–]|\(?\d{1,3}[.)]|\(?[a-z]\))\s+/
const TOO_SHORT = 'its quote is too short to support anything'

function unknownPassage(citations: DraftSentence['citations'], { evidence }: Sources): string | null {
  const unknown = citations.find(({ id }) => id !== '' && !evidence.some(({ passage }) => passage.id === id))
  return unknown ? `it cites ${unknown.id}, which is no passage` : null
}

/** A formula with the quotes that its figures stand in. */
export async function withQuotes(
  { expression, value, operands }: CheckedFormulas['right'][number],
  sources: Sources,
): Promise<QuotedFormula> {
  const located = await Promise.all(
    operands.map(async ({ value: figure, from }) => ({
      value: figure,
      located: await locateIn(from.text, from.evidence, sources),
    })),
  )
  return {
    expression,
    value,
    operands: located.flatMap((each) => (each.located ? [{ ...each, located: each.located }] : [])),
  }
}

/** A quote of fewer words and letters stands on almost every page. */
const LEAST_WORDS = 3
const LEAST_LETTERS = 12

/** Long enough, or all of it is repeated by the sentence. */
function isTelling({ quote }: Located, sentence: string): boolean {
  const words = wordsIn(quote).filter((word) => /[\p{L}\p{N}%]/u.test(word)).length
  // A letter of a script without spaces is as good as a word.
  const letters = quote.match(/[\p{L}\p{N}]/gu)?.length ?? 0
  const wide = quote.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu)?.length ?? 0
  return Math.max(words, wide) >= LEAST_WORDS || letters >= LEAST_LETTERS || sentence.includes(quote.trim())
}

/**
 * Joins a "Yes." to the sentence that says why, and leaves out what has no word, such as the rest of a citation: nothing that a
 * reader sees is a fragment.
 */
function withoutFragments(written: readonly DraftSentence[]): readonly DraftSentence[] {
  const whole: DraftSentence[] = []
  for (const sentence of written) {
    const last = whole.at(-1)
    if (last && isOneWord(last)) whole[whole.length - 1] = joined(last, sentence)
    else if (isRule(sentence.text.trim()) || hasLetterOrDigit(sentence.text)) whole.push(sentence)
  }
  return whole
}

function joined(one: DraftSentence, other: DraftSentence): DraftSentence {
  return { ...other, before: one.before, text: `${one.text.trimEnd()}${other.before || ' '}${other.text}` }
}

/** One word that ends as a sentence does, and cites nothing. */
function isOneWord({ text, citations }: DraftSentence): boolean {
  return citations.length === 0 && /^[\s*_"“„]*\p{L}{1,12}[*_]*[.!][*_"”\s]*$/u.test(text)
}

/** Of a sentence's words, by their rarity, that the nearest words of a page have where no passage is named for it. */
const LEAST_SHARE = 0.5

/** The words of the passages named for a sentence that are nearest to it, as a quote. */
export async function nearestQuote(
  { text, named, isNamed }: Pick<CheckedSentence, 'text' | 'named' | 'isNamed'>,
  sources: Sources,
): Promise<Located | null> {
  const nearest = nearestSentence(text, named)
  if (!nearest || (!isNamed && nearest.share < LEAST_SHARE)) return null
  return locateIn(nearest.sentence.text, nearest.sentence.evidence, sources)
}

/**
 * The words of a passage that bears a sentence out, as a quote: the nearest, or the first where it shares none of them; null for a
 * calculation whose figures stand in it, or that it has the header of a table for, and no row.
 */
export async function quoteOf(
  { text, formulas }: Pick<CheckedSentence, 'text' | 'formulas'>,
  passage: TabledEvidence,
  sources: Sources,
): Promise<Located | null> {
  const computed = formulas.flatMap(({ operands }) => operands.map(({ located }) => located.passage))
  // The figures of a formula are footnotes already.
  if (computed.includes(passage.passage.id)) return null
  const nearest = nearestSentence(text, [passage])?.sentence ?? sentencesOf(passage)[0]
  if (!nearest || (computed.length > 0 && nearest.isBesideRows)) return null
  return locateIn(nearest.text, passage, sources)
}

/** A sentence for its reader. */
export function claimOf(sentence: CheckedSentence, notesOn: FigureNotes): Claim {
  const { text, under, isStructure: isHeading, same, formulas, computed, formulaProblems } = sentence
  return {
    text: text.trim(),
    under,
    kind: isHeading ? 'heading' : same ? 'own' : 'sentence',
    formulas: formulas.map(({ expression, value }) => `${expression} = ${Number(value.toPrecision(10))}`),
    notes: [...formulaProblems, ...notesOn(text, computed)],
  }
}

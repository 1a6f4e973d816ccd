import type { Evidence } from '../../events/index.ts'
import { countLetters, hasLetterOrDigit, lettersOf, wordsIn } from '../../library/language/characters.ts'
import { withoutEmphasis } from '../../library/quote.ts'
import { type CheckedSentence, checkCalculations } from '../calculations/check.ts'
import type { NotedFormula } from '../calculations/notation.ts'
import { contentForms } from '../checks/word-forms.ts'
import { type Surroundings, whyUnsupported } from '../claim.ts'
import type { DraftCitation } from '../notation/marks.ts'
import type { DraftSentence } from '../notation/parse-draft.ts'
import { type Located, locate, locateIn, type Sources } from '../quotes/locate-quotes.ts'
import { unitsOf } from '../quotes/units.ts'
import { harmless } from '../readable-text.ts'
import { type Candidates, type Checks, findEvidence, type Support } from './find-evidence.ts'
import { isStructure, type Piece } from './structure.ts'
import { isTrueAbsence, isVerdict } from './uncited.ts'

/** A part of a draft after its check. */
export interface CheckedPiece extends Piece {
  /** Why it cannot be shown; null if it can. */
  readonly problem: string | null
  /** What bears it out; undefined if it has no quote. */
  readonly grounds?: Grounds
  /** Needs no citation: an absence that was checked, or a "Yes." that stands with what follows it. */
  readonly uncited?: 'absence' | 'verdict'
}

/** What bears a sentence out. */
export interface Grounds {
  readonly found: readonly Located[]
  readonly computed: Computed
  /** The share of the sentence's words that its quotes hold. */
  readonly support: number
}

export interface CheckWork {
  readonly sources: Sources
  readonly surroundings: Surroundings
  /** Words of the question, and those of the documents' titles, in the forms in which they are compared. */
  readonly asked: ReadonlySet<string>
  readonly titled: ReadonlySet<string>
  /** The passages that the draft names anywhere. */
  readonly named: readonly Evidence[]
  /** Addresses that the evidence holds. */
  readonly isKnown: (address: string) => boolean
  readonly noted: readonly NotedFormula[]
  /** The quotes of all sentences, looked up for the first formula that needs more than those of its own sentence. */
  readonly everywhere: () => Promise<readonly Located[]>
}

/** One sentence, with its grounds if it holds; null for one that claims nothing and is no heading. */
export async function checkSentence(written: DraftSentence, work: CheckWork): Promise<CheckedPiece | null> {
  const { before, citations } = written
  const { located, problems } = await locate(citations, work.sources)
  const own = located.filter((each) => isTelling(each, written.text))
  const computed = await computedIn(harmless(written.text, work.isKnown), own, written, work)
  const { text } = computed
  const piece = { before, text, isStructure: false }
  if (isVerdict(text)) return { ...piece, problem: null, uncited: 'verdict' }
  if (isStructure({ text, citations })) return { ...piece, isStructure: true, problem: 'it has no quote' }
  const unfounded = problems[0] ?? (located.length > own.length ? TOO_SHORT : null)
  const { found, problem } = await supportFor({ ...written, text: computed.rest }, { own, unfounded, computed }, work)
  if (problem === null) return { ...piece, problem, grounds: { found, computed, support: supportOf(text, found) } }
  if (citations.length === 0 && isTrueAbsence(text, work.sources.evidence)) {
    return { ...piece, problem: null, uncited: 'absence' }
  }
  return isClaim(text) ? { ...piece, problem } : null
}

/** Formulas of a sentence, and the quotes that their figures were looked up in. */
export type Computed = CheckedSentence & { readonly quotes: readonly Located[] }

/** Computed from the sentence's own quotes, else from those of the answer, else from what the passages that it names say. */
async function computedIn(
  text: string,
  own: readonly Located[],
  { citations, shared }: DraftSentence,
  { noted, everywhere, sources }: CheckWork,
): Promise<Computed> {
  const from = (quotes: readonly Located[]) => ({ ...checkCalculations(text, noted, quotes), quotes })
  const first = from(own)
  if (first.problem === null) return first
  const second = from([...own, ...(await everywhere())])
  if (second.problem === null) return second
  const units = passagesOf([...citations, ...shared], own, sources.evidence).flatMap(unitsOf)
  const figures = units.filter((unit) => /\d/.test(unit.text)).slice(0, mostUnits)
  const held = await Promise.all(figures.map((unit) => locateIn(unit.text, unit.evidence, sources)))
  const third = from([...own, ...held.filter((each) => each !== null)])
  return third.problem === null ? third : first
}

/** Sentences and rows in which the figures of a formula are looked for. */
const mostUnits = 60

interface Given {
  readonly own: readonly Located[]
  /** Why a quote of its own was not found. */
  readonly unfounded: string | null
  readonly computed: Computed
}

/** The spans that bear a sentence out: its quotes, else what the passages say that it, its paragraph or nothing names. */
async function supportFor(sentence: DraftSentence, given: Given, work: CheckWork): Promise<Support> {
  const { text, isLast } = sentence
  const { own, computed } = given
  const isComputed = computed.calculations.length > 0
  if (computed.problem !== null) return { found: [], problem: computed.problem }
  if (!hasLetterOrDigit(text)) return { found: [], problem: isComputed ? null : 'it says nothing' }
  const plain = withoutEmphasis(text).replace(BULLET, '')
  const whyNot = (found: readonly Located[]) => whyUnsupported(plain, found, { ...work.surroundings, isComputed })
  const operands = computed.calculations.flatMap((each) => each.operands)
  const quoted = [...new Set([...own, ...operands.flatMap(({ quote }) => computed.quotes[quote] ?? [])])]
  const problem = quoted.length > 0 ? whyNot(quoted) : NOT_BORNE_OUT
  const isEnough = problem === null && !(isLast && quoted.length > 1)
  if (isEnough || isComputed) return { found: quoted, problem }
  const search: Search = (candidates, strictness) =>
    findEvidence(plain, candidates, {
      sources: work.sources,
      whyNot,
      known: new Set([...work.asked, ...work.titled]),
      ...strictness,
    })
  if (sentence.citations.length === 0) return supportOfUncited(sentence, search, work)
  const support = await supportOfCited(sentence, given, search, work)
  if (support.problem === null || problem !== null) return support
  return { found: quoted, problem }
}

type Search = (
  candidates: Candidates,
  strictness: Pick<Checks, 'leastShare'> & Partial<Pick<Checks, 'about'>>,
) => Promise<Support>

/** Which share of a sentence's telling words must stand in what is found: less, where a passage was named for it. */
const NAMED = { leastShare: 0.2 }
const UNNAMED = { leastShare: 0.5 }

/** What its quotes, with the passages that it names, say. A quote that stands nowhere makes the search strict. */
async function supportOfCited(
  { citations, isLast }: DraftSentence,
  { own, unfounded }: Given,
  search: Search,
  { sources }: CheckWork,
): Promise<Support> {
  const passages = passagesOf(citations, own, sources.evidence)
  const candidates = isLast ? { quotes: own, passages } : { given: own, passages }
  const support = await search(candidates, unfounded === null ? NAMED : UNNAMED)
  return support.problem === null || own.length > 0 ? support : { found: [], problem: unfounded ?? support.problem }
}

/** What was cited behind it in its paragraph or list says; else what any passage says that bears on the answer. */
async function supportOfUncited(
  { text, shared }: DraftSentence,
  search: Search,
  { sources, named, asked }: CheckWork,
): Promise<Support> {
  if (shared.length > 0) {
    const quotes = (await locate(shared, sources)).located.filter((each) => isTelling(each, text))
    const support = await search({ quotes, passages: passagesOf(shared, quotes, sources.evidence) }, NAMED)
    if (support.problem === null) return support
  }
  const near = await search({ passages: named }, UNNAMED)
  if (near.problem === null) return near
  const support = await search({ passages: sources.evidence }, { ...UNNAMED, about: asked })
  return support.problem === null ? support : { found: [], problem: NOT_BORNE_OUT }
}

const BULLET = /^\s*(?:[-*•+–]|\(?\d{1,3}[.)]|\(?[a-z]\))\s+/

const NOT_BORNE_OUT = 'it has no citation, and no passage bears it out'

/** The passages that citations name, and those that hold their quotes. */
function passagesOf(
  citations: readonly DraftCitation[],
  quotes: readonly Located[],
  evidence: readonly Evidence[],
): readonly Evidence[] {
  const named = new Set([...citations.map(({ id }) => id), ...quotes.map(({ passage }) => passage)])
  return evidence.filter(({ passage }) => named.has(passage.id))
}

/** 0 to 1; 1 for a sentence without words that carry meaning, as a cell of a table. */
function supportOf(sentence: string, found: readonly Located[]): number {
  const forms = [...new Set(contentForms(sentence))]
  const held = new Set(found.flatMap(({ quote }) => contentForms(quote)))
  return forms.length > 0 ? forms.filter((form) => held.has(form)).length / forms.length : 1
}

/** A quote with fewer words, and fewer letters and digits, stands on almost every page. */
const LEAST_WORDS = 3
const LEAST_LETTERS = 12
const TOO_SHORT = 'its quote is too short to support anything'

/** Long enough, or a whole line or cell of its page that the sentence repeats. */
export function isTelling({ quote, isWhole }: Located, sentence: string): boolean {
  const words = wordsIn(quote).filter((word) => /[\p{L}\p{N}%]/u.test(word)).length
  // A letter of a script without spaces is as good as a word.
  const wide = quote.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu)?.length ?? 0
  const letters = countLetters(quote)
  if (Math.max(words, wide) >= LEAST_WORDS || letters >= LEAST_LETTERS) return true
  return isWhole && lettersOf(sentence).includes(lettersOf(quote))
}

const pleasantry =
  /^(i hope|hope this|let me know|feel free|sure\b|certainly\b|of course\b|great question|here (is|are) (the|your|an?)\b|ich hoffe|gerne\b|n['’]hésitez|j['’]espère|espero que)/i

function isClaim(text: string): boolean {
  return hasLetterOrDigit(text) && !pleasantry.test(text.trim())
}

const longestSentence = 4_000

// No word of a language with spaces is so long.
const longWord = /[\p{Script=Latin}\p{N}]{201}/u

/** Why a sentence is not checked at all; null if it is. */
export function whyUnreadable(sentence: string): string | null {
  if (sentence.length > longestSentence) return 'it is too long to be checked'
  return longWord.test(sentence) ? 'it holds a word that is too long to be checked' : null
}

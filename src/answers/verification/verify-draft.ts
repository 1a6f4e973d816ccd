import type { Calculation, Citation, Evidence } from '../../events/index.ts'
import { withMarks } from '../calculations/notation.ts'
import { knownNames } from '../checks/names.ts'
import { columnsOf, type Surroundings } from '../claim.ts'
import { answerIn } from '../notation/draft-answer.ts'
import { type DraftSentence, parseDraft } from '../notation/parse-draft.ts'
import { type Located, locate, type PageTextOf, type Sources } from '../quotes/locate-quotes.ts'
import { formsOf } from '../quotes/units.ts'
import { type CheckedPiece, type CheckWork, checkSentence, isTelling, whyUnreadable } from './check-sentence.ts'
import { type Reread, readDoubtful } from './doubtful-claims.ts'
import { Markers, withMarkers } from './markers.ts'
import { claimsNothing, isTableHead, tableHeads, withoutEmptyStructure } from './structure.ts'

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
  /** The sentence that was to answer first is among those dropped. */
  readonly lostFirst: boolean
  /** A sentence is shown without a quote, since it says what the passages do not say. */
  readonly namesAbsence: boolean
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
  /** Reads the doubtful ones among the sentences that pass once more; without it, the checks by words decide. */
  readonly reread?: Reread
}

/** Characters of a draft that are read; the rest is treated as cut off. */
export const longestDraft = 40_000
const mostSentences = 500

/**
 * Keeps a sentence only if spans of pages that were found in this run bear it out, word for word as the pages have them,
 * and no check fails (`whyUnsupported`). A citation's `quote` is `page.slice(start, end)`. The kept text has no image, HTML
 * or foreign marker, and links only to addresses of the evidence.
 */
export async function verifyDraft({
  draft,
  question,
  evidence,
  pageTextOf,
  hasTime = async () => true,
  reread,
}: DraftToVerify): Promise<VerifiedAnswer> {
  const { text: marked, noted } = withMarks(answerIn(draft.slice(0, longestDraft)))
  const sentences = parseDraft(
    marked,
    evidence.map(({ passage }) => passage.id),
  )
  const sources = { evidence, pageTextOf }
  let all: Promise<readonly Located[]> | null = null
  const everywhere = () => (all ??= quotesOf(sentences, sources, hasTime))
  const surroundings = surroundingsOf(question, evidence)
  const work: CheckWork = {
    sources,
    surroundings,
    asked: formsOf(question),
    titled: formsOf(evidence.map(({ observation }) => observation.title ?? '').join('\n')),
    named: namedIn(sentences, evidence),
    isKnown: addressesOf(evidence),
    noted,
    everywhere,
  }
  const { read, isCutShort } = await checkAll(sentences, work, hasTime)
  const judged = reread && !isCutShort ? await readDoubtful(read, reread) : read
  const markers = new Markers()
  const kept = judged.map((piece) => withFootnotes(piece, markers))
  const texts = evidence.map(({ observation }) => observation.text).join('\n')
  return { ...answerOf(kept, { question, labels: labelsOf(evidence), texts }), ...footnotesOf(markers), isCutShort }
}

/** The sentences after the checks by words; those that come after the time was up have failed. */
async function checkAll(sentences: readonly DraftSentence[], work: CheckWork, hasTime: () => Promise<boolean>) {
  const read: CheckedPiece[] = []
  let isCutShort = false
  for (const [index, written] of sentences.entries()) {
    if (isTableHead(written.text, sentences[index + 1]?.text)) {
      read.push({ ...written, isStructure: true, problem: NO_COLUMNS })
      continue
    }
    isCutShort ||= !(await hasTime())
    const unread = isCutShort ? OUT_OF_TIME : read.length >= mostSentences ? TOO_MANY : whyUnreadable(written.text)
    const piece =
      unread === null ? await checkSentence(written, work) : { ...written, isStructure: false, problem: unread }
    if (piece !== null) read.push(piece)
  }
  return { read, isCutShort }
}

/** A sentence that holds, with markers. */
function withFootnotes(piece: CheckedPiece, markers: Markers): CheckedPiece {
  const { text, problem, grounds } = piece
  if (problem !== null || !grounds) return piece
  const { found, computed } = grounds
  const quoted = found.map((each) => markers.ofQuote(each))
  const formulas = computed.calculations.map((each) => markers.ofCalculation(each, computed.quotes))
  return { ...piece, text: withMarkers(text.trim(), new Set([...quoted, ...formulas])) }
}

const NO_COLUMNS = 'no row of its table stands'
const OUT_OF_TIME = 'the time was up before it could be checked'
const TOO_MANY = 'the draft has too many sentences'

function footnotesOf({ citations, calculations, quotes }: Markers) {
  return { citations, calculations, quotes }
}

function namedIn(sentences: readonly DraftSentence[], evidence: readonly Evidence[]): readonly Evidence[] {
  const ids = new Set(sentences.flatMap(({ citations }) => citations.map(({ id }) => id)))
  return evidence.filter(({ passage }) => ids.has(passage.id))
}

async function quotesOf(
  sentences: readonly DraftSentence[],
  sources: Sources,
  hasTime: () => Promise<boolean>,
): Promise<readonly Located[]> {
  const found: Located[] = []
  for (const { text, citations } of sentences) {
    if (citations.length === 0) continue
    if (!(await hasTime())) break
    found.push(...(await locate(citations, sources)).located.filter((each) => isTelling(each, text)))
  }
  return found
}

/** What is left of a draft without the sentences that have a problem, and without headings that claim something. */
function answerOf(
  read: readonly CheckedPiece[],
  about: { readonly question: string; readonly labels: string; readonly texts: string },
) {
  const judged = withVerdicts(read)
  const holding = judged.filter(({ problem, isStructure }) => problem === null || isStructure)
  const labels = new Set([...claimsNothing(holding, about), ...tableHeads(holding, about.texts)])
  const isKept = (piece: CheckedPiece) => piece.problem === null || labels.has(piece)
  const kept = judged.filter(isKept)
  const isCited = kept.some(({ grounds }) => grounds !== undefined)
  const first = judged.findIndex(({ problem }) => problem === null)
  const lost = judged.findIndex((piece) => !isKept(piece) && !piece.isStructure)
  const pieces = isCited ? withoutEmptyStructure(kept) : []
  return {
    text: pieces
      .map(({ before, text }, index) => (index === 0 ? '' : before || ' ') + text)
      .join('')
      .trim(),
    dropped: judged
      .filter((piece) => !isKept(piece))
      .map(({ text, problem }) => ({ sentence: text.trim(), reason: problem ?? '' })),
    support: kept.flatMap(({ grounds }) => grounds?.support ?? []),
    lostFirst: lost >= 0 && (first < 0 || lost < first),
    namesAbsence: isCited && kept.some(({ uncited }) => uncited === 'absence'),
  }
}

/** "Yes." is dropped with the sentence that says why. */
function withVerdicts(read: readonly CheckedPiece[]): readonly CheckedPiece[] {
  return read.map((piece, index) => {
    if (piece.uncited !== 'verdict') return piece
    const next = read[index + 1]
    return next?.problem === null && next.grounds !== undefined ? piece : { ...piece, problem: NO_GROUND }
  })
}

const NO_GROUND = 'the sentence that should bear it out does not stand'

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

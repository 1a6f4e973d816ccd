import type { EvidencePassage } from '../../events/index.ts'
import type { Span } from '../../library/index.ts'
import { confidenceFeatures } from '../confidence/confidence.ts'
import { applyModel, CONFIDENCE_MODEL, isSupported } from '../confidence/confidence-model.ts'
import { answerAboutDocuments } from '../documents/answer-about-documents.ts'
import { documentsAmong, documentsNamedIn } from '../documents/target.ts'
import {
  ABSTENTION,
  asText,
  type Candidate,
  type ExtractiveParts,
  type RuledAnswer,
  type SynthesisTask,
} from '../parts/parts.ts'
import { readQuestion } from '../ranking/question.ts'
import { writeQuote } from './write-quote.ts'

/**
 * Answers from the evidence: what is asked about documents from their title pages, everything else with the best quotes.
 * `pause` is awaited between short steps of work, and may throw.
 */
export async function answerByRule(
  asked: SynthesisTask,
  { rank, ...others }: ExtractiveParts,
  pause: () => Promise<unknown> = async () => {},
): Promise<RuledAnswer> {
  const parts: ExtractiveParts = { ...others, rank: (question, evidence) => rank(question, evidence, pause) }
  // Text that carries our own markup could put words into the draft.
  const task = { ...asked, evidence: asked.evidence.map((each) => ({ ...each, text: asText(each.text) })) }
  await pause()
  return (await answerAboutDocuments(task, parts)) ?? answerWithQuotes(task, parts)
}

/** An answer that is this likely to be right stands alone. */
const SURE = 0.65
const OTHERS_SHOWN = 3
/** A question that names several documents is answered from so many of them. */
const MOST_DOCUMENTS = 3

/**
 * Answers with the best quote; where its confidence is not high, the three next ones are shown under it. A question that
 * names several documents gets the best quote of each.
 */
async function answerWithQuotes(
  { question, evidence, documents }: SynthesisTask,
  parts: ExtractiveParts,
): Promise<RuledAnswer> {
  const ranked = await parts.rank(question, evidence)
  const weights = await parts.weights(question)
  const asked = readQuestion(question)
  const featuresOf = (own: readonly Candidate[]) => confidenceFeatures({ asked, evidence, ranked: own, weights })
  const confidenceIn = (own: readonly Candidate[]) => {
    const features = featuresOf(own)
    return features ? applyModel(features, CONFIDENCE_MODEL) : 0
  }
  const write = (quote: Candidate, isSure = false) => writeQuote(quote, passageOf(quote, evidence), asked, isSure)
  const named = documentsNamedIn(question, await documentsAmong(documents, parts))
  const each = bestOfEach(named.slice(0, MOST_DOCUMENTS), evidence, ranked)
  if (each.length > 1) {
    // Each quote holds only what the question asks of its own document.
    const confidence = Math.max(...each.map((own) => confidenceIn(own)))
    return {
      text: each.flatMap((own) => own.slice(0, 1).map((quote) => write(quote))).join('\n\n'),
      confidence,
      remarks: [],
    }
  }
  const [best, ...others] = separate(ranked, evidence)
  const features = featuresOf(ranked)
  if (!best || !features || !isSupported(features)) return ABSTENTION
  const confidence = applyModel(features, CONFIDENCE_MODEL)
  const further = confidence < SURE ? others.map((quote) => `\n\n${write(quote)}`) : []
  const heading = further.length > 0 ? '\n\nOther passages that may answer:' : ''
  return { text: `${write(best, confidence >= SURE)}${heading}${further.join('')}`, confidence, remarks: [] }
}

function passageOf({ id }: Candidate, evidence: readonly EvidencePassage[]): string {
  return evidence.find((passage) => passage.id === id)?.text ?? ''
}

/** The candidates of each of some documents that has any. */
function bestOfEach(
  documents: readonly string[],
  evidence: readonly EvidencePassage[],
  ranked: readonly Candidate[],
): readonly (readonly Candidate[])[] {
  return documents.flatMap((documentId) => {
    const own = new Set(evidence.filter((passage) => passage.documentId === documentId).map(({ id }) => id))
    const quotes = ranked.filter(({ id }) => own.has(id))
    return quotes.length > 0 ? [quotes] : []
  })
}

/** The best and those that follow it, each in a snippet without what an earlier one shows. */
function separate(ranked: readonly Candidate[], evidence: readonly EvidencePassage[]): readonly Candidate[] {
  const shown: { readonly id: string; readonly snippet: Span; readonly text: string }[] = []
  const chosen: Candidate[] = []
  for (const each of ranked) {
    if (chosen.length > OTHERS_SHOWN) break
    const own = shown.filter(({ id }) => id === each.id).map(({ snippet }) => snippet)
    const isTold = own.some(({ start, end }) => start < each.end && each.start < end)
    if (isTold || (each.text.length > SHORT && shown.some(({ text }) => text.includes(each.text)))) continue
    const snippet = own.reduce((left, other) => without(left, other, each), each.snippet)
    shown.push({ id: each.id, snippet, text: passageOf(each, evidence).slice(snippet.start, snippet.end) })
    chosen.push({ ...each, snippet })
  }
  return chosen
}

/** The part of a snippet around its sentence that another snippet does not show. */
function without(snippet: Span, other: Span, sentence: Span): Span {
  if (other.end <= sentence.start) return { ...snippet, start: Math.max(snippet.start, other.end) }
  return { ...snippet, end: Math.min(snippet.end, other.start) }
}

/** A shorter text may stand in two passages and mean two things. */
const SHORT = 40

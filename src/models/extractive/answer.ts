import type { AgentTask, EvidencePassage } from '../model.ts'
import { withoutCaptions } from './captions.ts'
import { namesIn } from './names.ts'
import type { Candidate, ExtractiveParts } from './parts.ts'
import { type Claim, phrase } from './phrase.ts'
import { questionParts } from './question-parts.ts'
import { findSteps, type Step } from './steps.ts'

type SynthesisTask = Extract<AgentTask, { agent: 'synthesis' }>

/** What every model writes when the passages do not hold an answer. */
const ABSTAIN = '<abstain/>'
/** A sentence that shares less with the question than this says something else. */
const LEAST_COVERAGE = 0.2
/** A further sentence is worth reading if it scores within so much of the first. */
const CLOSE = 0.1
/** A longer sentence, in characters, hides the answer that stands before it. */
const LONG = 320
const SHORT = 200
const MOST_SENTENCES = 3
/** Kinds of question that a second sentence only blurs. */
const ONE_IS_ENOUGH: ReadonlySet<string> = new Set(['definition', 'author'])
/** Kinds whose answer is a figure: a further one must be a figure of the same thing. */
const WANTS_FIGURE: ReadonlySet<string> = new Set(['count', 'amount', 'share', 'measure'])

/**
 * Answers a question with sentences and table rows of the evidence, each followed by its quote; the best one first. A
 * question for a procedure is answered with its list. `<abstain/>` if nothing in the evidence comes close.
 */
export async function extractAnswer({ question, evidence }: SynthesisTask, parts: ExtractiveParts): Promise<string> {
  const usable = evidence.filter(({ text }) => !/<\/?(cite|abstain)\b/i.test(text))
  const ranked = withoutCaptions(await parts.rank(question, usable), usable)
  const steps = findSteps(question, usable, ranked, parts)
  if (steps.length > 0) return steps.map(writeStep).join('\n')
  const chosen = await chooseAll(question, usable, ranked, parts)
  if (chosen.length === 0) return ABSTAIN
  const asked = new Set(parts.readQuestion(question).stems)
  return chosen.map((candidate) => write(phrase(candidate, asked, parts.contentStems), candidate.id)).join(' ')
}

/** One sentence for each part of the question, or for each document that it names; else the best, with what supports it. */
async function chooseAll(
  question: string,
  evidence: readonly EvidencePassage[],
  ranked: readonly Candidate[],
  parts: ExtractiveParts,
): Promise<readonly Candidate[]> {
  const questions = questionParts(question)
  if (questions.length > 1) {
    const rank = async (part: string) => withoutCaptions(await parts.rank(part, evidence), evidence)
    const lists = await Promise.all(questions.map(async (part) => choose(await rank(part), 1)))
    return withoutRepeats(lists.flat())
  }
  const named = namedDocuments(question, evidence, parts)
  if (named.length < 2) return chooseFor(question, evidence, ranked, parts)
  const ofDocument = (documentId: string) => {
    const own = new Set(evidence.filter((passage) => passage.documentId === documentId).map(({ id }) => id))
    return choose(
      ranked.filter(({ id }) => own.has(id)),
      1,
    )
  }
  return withoutRepeats(named.slice(0, MOST_SENTENCES).flatMap(ofDocument))
}

/** As many as the kind of question bears; for a figure, only what speaks of all that the first one speaks of. */
function chooseFor(
  question: string,
  evidence: readonly EvidencePassage[],
  ranked: readonly Candidate[],
  { readQuestion, contentStems }: ExtractiveParts,
): readonly Candidate[] {
  const { kind, stems } = readQuestion(question)
  const chosen = choose(ranked, ONE_IS_ENOUGH.has(kind) ? 1 : ranked.length)
  if (!WANTS_FIGURE.has(kind)) return chosen.slice(0, MOST_SENTENCES)
  const titles = new Map(evidence.map(({ id, title }) => [id, title ?? '']))
  const saidBy = ({ id, text, row }: Candidate) => {
    // A document seldom repeats what its title names.
    const context = `${titles.get(id) ?? ''} ${row ? `${row.table.caption} ${row.table.headerText}` : ''}`
    const said = contentStems(`${context} ${text}`)
    return stems.filter((word) => said.includes(word))
  }
  const needed = chosen.slice(0, 1).flatMap(saidBy)
  return chosen.filter((each) => needed.every((word) => saidBy(each).includes(word))).slice(0, MOST_SENTENCES)
}

/** Documents of the evidence whose title or file name holds one of the question's names. */
function namedDocuments(
  question: string,
  evidence: readonly EvidencePassage[],
  { contentStems }: ExtractiveParts,
): readonly string[] {
  const names = namesIn(question).map(({ text }) => contentStems(text))
  const isNamed = ({ title, source }: EvidencePassage) => {
    const called = contentStems(`${title ?? ''} ${source.split(/[\\/]/).at(-1) ?? ''}`)
    return names.some((name) => name.length > 0 && name.every((word) => called.includes(word)))
  }
  return [...new Set(evidence.filter(isNamed).map(({ documentId }) => documentId))]
}

function withoutRepeats(candidates: readonly Candidate[]): readonly Candidate[] {
  return candidates.filter(
    (each, i) => !candidates.slice(0, i).some((other) => other.id === each.id && isSame(each, other)),
  )
}

function choose(ranked: readonly Candidate[], most: number): readonly Candidate[] {
  const top = ranked[0]
  if (!top || top.coverageInContext < LEAST_COVERAGE) return []
  const first = inWords(top, ranked)
  const more = ranked.filter((each) => each !== first && isWorthAdding(each, first, top.score))
  const chosen: Candidate[] = [first]
  for (const each of more) if (!chosen.some((other) => isSame(each, other))) chosen.push(each)
  return chosen.slice(0, most)
}

/** A sentence that gives one of the figures of the best row is easier to read. */
function inWords(top: Candidate, ranked: readonly Candidate[]): Candidate {
  const figures = (top.row?.values ?? []).map(({ value }) => value).filter((value) => /\d/.test(value))
  const saysOne = ({ text }: Candidate) => figures.some((figure) => ` ${text} `.includes(` ${figure} `))
  const sentence = ranked.find(
    (each) =>
      !each.row && each.bearsAnswer && each.coverage >= top.coverage && each.text.length <= SHORT && saysOne(each),
  )
  return sentence ?? top
}

/** A bare row after a sentence answers something else more often than it supports. */
function isWorthAdding(candidate: Candidate, first: Candidate, best: number): boolean {
  if (candidate.row && !first.row) return false
  return (
    best - candidate.score <= CLOSE && candidate.text.length <= LONG && (candidate.bearsAnswer || !first.bearsAnswer)
  )
}

/** One says all that the other says. */
function isSame(a: Candidate, b: Candidate): boolean {
  const plain = (text: string) =>
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, ' ')
      .trim()
  const [one, other] = [plain(a.text), plain(b.text)]
  return one.includes(other) || other.includes(one)
}

function write({ text, quotes }: Claim, id: string): string {
  return (
    text +
    quotes
      .filter((quote) => quote.trim())
      .map((quote) => `<cite id="${id}">${quote}</cite>`)
      .join('')
  )
}

/** Every sentence of an item is borne out by the whole item. */
function writeStep({ id, text, sentences }: Step): string {
  return sentences.map((sentence) => write({ text: sentence, quotes: [text] }, id)).join(' ')
}

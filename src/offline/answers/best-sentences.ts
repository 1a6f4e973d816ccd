import type { EvidencePassage } from '../../events/index.ts'
import type { Candidate, ExtractiveParts } from '../parts/parts.ts'
import type { AnswerStrategy } from '../parts/strategy.ts'
import { withoutEmptyLines } from './captions.ts'
import { choose, LONG } from './choose.ts'
import { writeAll, writeOne } from './write.ts'

const MOST_SENTENCES = 3
/** Kinds of question that a second sentence only blurs. */
const ONE_IS_ENOUGH: ReadonlySet<string> = new Set(['definition', 'author'])
/** Kinds whose answer is a figure: a further one must be a figure of the same thing. */
const WANTS_FIGURE: ReadonlySet<string> = new Set(['count', 'amount', 'share', 'measure'])
/** Kinds that a sentence must answer by its own words: whether it is so, or why. */
const WANTS_CLAIM: ReadonlySet<string> = new Set(['yes-no', 'reason'])
/** How far behind the best a sentence may be that answers such a question more plainly. */
const CLOSE = 0.12

/** Answers with the best sentence or row of the evidence, and with what supports it. */
export const answerWithBestSentences: AnswerStrategy = async ({ question, evidence }, parts, ranked) => {
  const eligible = wordsFirst(question, withoutEmptyLines(ranked, question, parts), parts)
  const chosen = chooseFor(question, evidence, plainestFirst(question, eligible, parts), parts)
  const [first] = chosen
  const before = first && antecedentOf(first, question, ranked, parts)
  const answer = writeAll(chosen.slice(0, before ? MOST_SENTENCES - 1 : MOST_SENTENCES), question, parts)
  return answer && before ? { ...answer, text: `${writeOne(before, question, parts, false)} ${answer.text}` } : answer
}

const ASKS_FOR_WORDS = /^\W*(?:why|how (?:do|does|did|is|are|was|were|can)|what (?:do|does|did) .{1,60} do\b)/i
/** How far behind a row a sentence may be that answers better: for a figure, and for how or why. */
const NOT_FAR = 0.2
const FAR = 0.5

/**
 * Before a row that the question does not name: a sentence that gives the figure asked for, or any sentence where the
 * question is why or how.
 */
function wordsFirst(
  question: string,
  ranked: readonly Candidate[],
  { readQuestion, contentStems, answerSpan }: ExtractiveParts,
): readonly Candidate[] {
  const [top] = ranked
  if (!top?.row) return ranked
  const { stems } = readQuestion(question)
  const isNamed = contentStems(top.row.label).every((word) => stems.includes(word))
  const wantsWords = ASKS_FOR_WORDS.test(question)
  const answers = ({ text, coverage }: Candidate) =>
    wantsWords || (!isNamed && coverage >= top.coverage && answerSpan(question, text) !== null)
  const better = ranked.find(
    (each) =>
      !each.row && top.score - each.score <= (wantsWords ? FAR : NOT_FAR) && each.text.length <= LONG && answers(each),
  )
  return better ? [better, ...ranked.filter((each) => each !== better)] : ranked
}

/**
 * Where the question is whether something is so, or why, the sentence among the best that says most of what is asked,
 * rather than one that rests on what stands around it.
 */
function plainestFirst(
  question: string,
  ranked: readonly Candidate[],
  { readQuestion }: ExtractiveParts,
): readonly Candidate[] {
  const { kind } = readQuestion(question)
  const [top] = ranked
  if (!top || !WANTS_CLAIM.has(kind)) return ranked
  const rivals = ranked.filter(
    (each) => !each.row && top.score - each.score <= CLOSE && (each.bearsAnswer || !top.bearsAnswer),
  )
  const plainest = rivals.reduce((best, each) => (claims(each) > claims(best) + CLEARLY ? each : best), top)
  return [plainest, ...ranked.filter((each) => each !== plainest)]
}

const CLEARLY = 0.1

/** The share of the question's words that it says, nothing for one that leaves open whether it is so. */
function claims({ text, coverage }: Candidate): number {
  return /^\W*(?:whether|if|indicate|see)\b|\bwhether\b|\?$/i.test(text) ? 0 : coverage
}

const PRONOUN = /^(?:it|they|he|she|these|this|those|its|their|his|her|both|such|the latter|the former)\b/i

/** The sentence right before one that begins with a pronoun, if it says what the question asks about and this does not. */
function antecedentOf(
  { id, start, text, row }: Candidate,
  question: string,
  ranked: readonly Candidate[],
  { readQuestion, contentStems }: ExtractiveParts,
): Candidate | null {
  if (row || !PRONOUN.test(text)) return null
  const before = ranked
    .filter((each) => each.id === id && !each.row && each.end <= start)
    .sort((a, b) => b.end - a.end)[0]
  const { stems } = readQuestion(question)
  const own = contentStems(text)
  const adds = before && contentStems(before.text).some((word) => stems.includes(word) && !own.includes(word))
  const isReadable =
    before && before.text.length <= LONG && start - before.end <= 2 && /[.!?]["”’)\]]*$/.test(before.text)
  return before && adds && isReadable && !PRONOUN.test(before.text) ? before : null
}

/** Where the question names a row, rows of other names say nothing of it. */
function withoutOtherRows(
  chosen: readonly Candidate[],
  asked: readonly string[],
  contentStems: ExtractiveParts['contentStems'],
): readonly Candidate[] {
  const isNamed = ({ row }: Candidate) => row === null || contentStems(row.label).every((word) => asked.includes(word))
  const [first] = chosen
  return first?.row && isNamed(first) ? chosen.filter(isNamed) : chosen
}

/** As many as fit the kind of question; for a figure, only what speaks of all that the first one speaks of. */
function chooseFor(
  question: string,
  evidence: readonly EvidencePassage[],
  ranked: readonly Candidate[],
  { readQuestion, contentStems }: ExtractiveParts,
): readonly Candidate[] {
  const { kind, stems } = readQuestion(question)
  const chosen = withoutOtherRows(choose(ranked), stems, contentStems)
  if (ONE_IS_ENOUGH.has(kind)) return chosen.slice(0, 1)
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

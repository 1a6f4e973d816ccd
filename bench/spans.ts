import type { Span } from '../src/library/quote.ts'
import { answerSpan } from '../src/offline/ranking/answer-span.ts'
import { readQuestion } from '../src/offline/ranking/question.ts'
import { rankSentences, stemWeights } from '../src/offline/ranking/rank-sentences.ts'
import { openSqliteStorage } from '../src/storage/sqlite/sqlite-storage.ts'
import {
  covidQa,
  dataFolder,
  evidenceFor,
  fill,
  holdsAnswer,
  type QuestionSet,
  type SetQuestion,
  xquad,
} from './question-sets.ts'

/**
 * How often the words that an answer puts in bold are the answer: by kind of question, on the sentence that the ranking
 * puts first, right or wrong. Even questions are for development, odd ones were never tuned on.
 */
export async function run(args: readonly string[]): Promise<void> {
  const folder = dataFolder()
  const measured = [...(await measure(xquad(folder))), ...(await measure(covidQa(folder)))]
  report(
    'Development',
    measured.filter(({ heldOut }) => !heldOut),
  )
  if (args.includes('--held-out'))
    report(
      '\nHeld out',
      measured.filter(({ heldOut }) => heldOut),
    )
}

function report(half: string, measured: readonly Measured[]): void {
  console.log(half)
  for (const kind of new Set(measured.map((each) => each.kind))) {
    print(
      kind,
      measured.filter((each) => each.kind === kind),
    )
  }
  print('all', measured)
}

interface Measured {
  readonly kind: string
  readonly heldOut: boolean
  readonly sentenceRight: boolean
  readonly isShown: boolean
  /** The span and the answer are the same but for some words around. */
  readonly right: boolean
}

async function measure(set: QuestionSet): Promise<readonly Measured[]> {
  const storage = await openSqliteStorage({ path: ':memory:' })
  await fill(storage.passages, set.documents)
  const measured: Measured[] = []
  for (const [i, asked] of set.questions.entries()) {
    const question = readQuestion(asked.question)
    const evidence = await evidenceFor(storage.passages, asked.question)
    const [best] = rankSentences(question, evidence, await stemWeights(storage.passages, question))
    const passage = evidence.find(({ id }) => id === best?.id)
    if (!best || !passage) continue
    const at = passage.start + best.start
    const span = best.row ? null : answerSpan(question, best.text)
    measured.push({
      kind: question.kind,
      heldOut: i % 2 === 1,
      sentenceRight: holdsAnswer(asked, passage.documentId, at, at + best.text.length),
      isShown: span !== null,
      right: span !== null && isAnswer(asked, passage.documentId, { start: at + span.start, end: at + span.end }),
    })
  }
  await storage.close()
  return measured
}

/** An answer of more words may hold other figures than the one that is asked for. */
const LONG_ANSWER = 12

/** The span stands within a short answer, or they share half of their length. */
function isAnswer({ documentId, answers }: SetQuestion, shownIn: string, { start, end }: Span): boolean {
  const overlapping = answers.filter((answer) => start < answer.end && answer.start < end)
  return (
    shownIn === documentId &&
    overlapping.some((answer) => {
      const shared = Math.min(end, answer.end) - Math.max(start, answer.start)
      const isWithin = shared === end - start && answer.text.split(/\s+/).length <= LONG_ANSWER
      return isWithin || (2 * shared) / (end - start + answer.end - answer.start) >= 0.5
    })
  )
}

function print(kind: string, measured: readonly Measured[]): void {
  const shown = measured.filter(({ isShown }) => isShown)
  if (shown.length === 0) return
  const right = shown.filter(({ right }) => right)
  const inRight = shown.filter(({ sentenceRight }) => sentenceRight)
  const share = (part: number, whole: number) => (whole > 0 ? (part / whole).toFixed(2) : '–')
  console.log(
    `${kind.padEnd(12)} of ${measured.length} questions ${shown.length} spans shown, right ${right.length}: ` +
      `precision ${share(right.length, shown.length)}; where the sentence is right ${share(right.length, inRight.length)}`,
  )
}

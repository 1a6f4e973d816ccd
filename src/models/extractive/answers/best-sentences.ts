import type { EvidencePassage } from '../../model.ts'
import type { Candidate, ExtractiveParts } from '../parts.ts'
import { choose } from './choose.ts'
import type { AnswerStrategy } from './strategy.ts'
import { writeAll } from './write.ts'

const MOST_SENTENCES = 3
/** Kinds of question that a second sentence only blurs. */
const ONE_IS_ENOUGH: ReadonlySet<string> = new Set(['definition', 'author'])
/** Kinds whose answer is a figure: a further one must be a figure of the same thing. */
const WANTS_FIGURE: ReadonlySet<string> = new Set(['count', 'amount', 'share', 'measure'])

/** Answers with the best sentence or row of the evidence, and with what supports it. */
export const answerWithBestSentences: AnswerStrategy = async ({ question, evidence }, parts, ranked) =>
  writeAll(chooseFor(question, evidence, ranked, parts), question, parts)

/** As many as the kind of question bears; for a figure, only what speaks of all that the first one speaks of. */
function chooseFor(
  question: string,
  evidence: readonly EvidencePassage[],
  ranked: readonly Candidate[],
  { readQuestion, contentStems }: ExtractiveParts,
): readonly Candidate[] {
  const { kind, stems } = readQuestion(question)
  const chosen = choose(ranked)
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

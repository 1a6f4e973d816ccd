import { questionParts } from '../language/question-parts.ts'
import type { Candidate } from '../parts/parts.ts'
import type { AnswerStrategy } from '../parts/strategy.ts'
import { withoutCaptions, withoutEmptyLines } from './captions.ts'
import { choose } from './choose.ts'
import { writeOne } from './write.ts'

/** A sentence that shares less with its part of the question, its headings included, does not answer it. */
const LEAST_HELD = 0.5
/** Kinds of question whose answer shows itself by its form. */
const SHOWS: ReadonlySet<string> = new Set(['count', 'amount', 'share'])

/**
 * Answers a question of several parts ("how many X and how many Y") with one sentence for each. A part that nothing
 * answers is named in a remark, if another is answered.
 */
export const answerEachPart: AnswerStrategy = async ({ question, evidence }, parts) => {
  const questions = questionParts(question)
  if (questions.length < 2) return null
  const found = await Promise.all(
    questions.map(async (part) => {
      const ranked = withoutCaptions(await parts.rank(part, evidence), evidence)
      const wantsFigure = SHOWS.has(parts.readQuestion(part).kind)
      const eligible = withoutEmptyLines(ranked, part, parts).filter(({ bearsAnswer }) => bearsAnswer || !wantsFigure)
      const [best] = choose(eligible)
      return { part, best: best && answers(best, parts.readQuestion(part).kind) ? best : null }
    }),
  )
  const written = found.flatMap(({ part, best }) => (best ? [writeOne(best, part, parts)] : []))
  if (written.length === 0) return null
  const missing = found.filter(({ best }) => best === null)
  return {
    text: [...new Set(written)].join(' '),
    basis: missing.length > 0 ? 'part' : 'sentence',
    remarks: missing.map(
      ({ part }) => `Nothing was found on this part of the question: “${part.replace(/[?\s]{1,20}$/, '')}”.`,
    ),
  }
}

function answers({ coverageInContext, bearsAnswer }: Candidate, kind: string): boolean {
  return coverageInContext >= LEAST_HELD && (bearsAnswer || !SHOWS.has(kind))
}

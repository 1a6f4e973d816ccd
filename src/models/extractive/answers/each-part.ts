import { questionParts } from '../question-parts.ts'
import { withoutCaptions } from './captions.ts'
import { choose, withoutRepeats } from './choose.ts'
import type { AnswerStrategy } from './strategy.ts'
import { writeAll } from './write.ts'

/** Answers a question of several parts ("how many X and how many Y") with one sentence for each. */
export const answerEachPart: AnswerStrategy = async ({ question, evidence }, parts) => {
  const questions = questionParts(question)
  if (questions.length < 2) return null
  const rank = async (part: string) => withoutCaptions(await parts.rank(part, evidence), evidence)
  const best = await Promise.all(questions.map(async (part) => choose(await rank(part)).slice(0, 1)))
  return writeAll(withoutRepeats(best.flat()), question, parts)
}

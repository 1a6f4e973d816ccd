// Questions about outcomes in reports of clinical trials, each limited to its report: does the answer quote what doctors took
// as evidence, and with a model, does it state the effect that they found? As cells of a table, asked for twice:
//   npm run bench -- trials [--model openai:<name>] [--from <n>] [--to <n>] [--log <file>]
// One by one, as answers:
//   npm run bench -- trials --one-by-one [--endpoint <base URL>] [--model openai:<name>] [--every <n>] [--out <folder>] [--show]
import { answersOptions, answersTo, type KeptAnswer } from './drafts/kept-answers.ts'
import { setOf } from './drafts/question-set.ts'
import { costLines, judgedLines } from './drafts/table.ts'
import { type Effect, effectIn, placeOf } from './trials/judge.ts'
import { type TrialQuestion, trialQuestions, trials } from './trials/reports.ts'

interface Judged {
  readonly answer: KeptAnswer
  readonly asked: TrialQuestion
  /** Null: no effect, or two at once. */
  readonly effect: Effect | null
  readonly place: ReturnType<typeof placeOf>
}

export async function run(args: readonly string[]): Promise<void> {
  return args.includes('--one-by-one') ? oneByOne(args) : (await import('./trials/table.ts')).tableOfTrials(args)
}

/** Without a model the label is not counted: nothing then states an effect in the question's words. `--show`: what went wrong. */
async function oneByOne(args: readonly string[]): Promise<void> {
  const options = answersOptions(args, 'extractive')
  const isWritten = options.model !== 'extractive'
  const questions = new Map(trialQuestions().map((each) => [each.id, each]))
  const answers = await answersTo(setOf('trials', trials()), options)
  const judged = answers.flatMap((answer) => {
    const asked = questions.get(answer.id)
    return asked ? [judgedOf(answer, asked)] : []
  })
  const isWrong = ({ effect, asked, place }: Judged) => place === 'none' || (isWritten && effect !== asked.label)
  if (args.includes('--show')) for (const each of judged.filter(isWrong)) print(each)
  const labels = [...new Set(judged.map(({ asked }) => asked.label))]
  console.log(['', 'questions', 'declined', 'label right', 'quotes evidence', 'holds it whole'].map(cell).join(''))
  for (const label of labels) {
    const own = judged.filter(({ asked }) => asked.label === label)
    printFigures(label, own, isWritten)
  }
  printFigures('all', judged, isWritten)
  for (const line of [...judgedLines(answers, options), ...costLines(answers)]) console.log(line)
}

/** The quote that is nearest to the evidence counts. */
function judgedOf(answer: KeptAnswer, asked: TrialQuestion): Judged {
  const places = answer.citations.map(({ quote }) => placeOf(quote, asked.evidence))
  const place = places.find((each) => each === 'whole') ?? places.find((each) => each === 'part') ?? 'none'
  return { answer, asked, place, effect: answer.abstained ? null : effectIn(answer.answer) }
}

function printFigures(name: string, judged: readonly Judged[], isWritten: boolean): void {
  const count = (isCounted: (each: Judged) => boolean) => judged.filter(isCounted).length
  const figures = [
    judged.length,
    count(({ answer }) => answer.abstained),
    isWritten ? count(({ effect, asked }) => effect === asked.label) : '–',
    count(({ place }) => place !== 'none'),
    count(({ place }) => place === 'whole'),
  ]
  console.log([name, ...figures].map(cell).join(''))
}

function cell(value: string | number, at: number): string {
  return at === 0 ? String(value).padEnd(28) : String(value).padStart(17)
}

function print({ answer, asked, effect, place }: Judged): void {
  console.log(`${answer.id}: ${answer.question}`)
  console.log(`  wanted ${asked.label}, said ${effect ?? 'none'}, evidence: ${place}`)
  console.log(`  ${answer.answer.replaceAll(/\s+/g, ' ').slice(0, 400)}`)
}

// Questions over tables and paragraphs of financial reports (TAT-QA, development set), each limited to its own document, scored
// as the published evaluation does.
//   npm run bench -- tatqa [--plain] [--endpoint <base URL>] [--model openai:<name>] [--every <n>] [--out <folder>] [--show]
import { answersOptions, answersTo, type KeptAnswer } from './drafts/kept-answers.ts'
import { setOf } from './drafts/question-set.ts'
import { costLines, judgedLines } from './drafts/table.ts'
import { type Gold, promptsWithForm, tatqa, tatqaGold } from './tatqa/contexts.ts'
import { predictionIn } from './tatqa/prediction.ts'
import { score } from './tatqa/score.ts'

interface Scored {
  readonly answer: KeptAnswer
  readonly gold: Gold
  readonly said: readonly string[]
  readonly exact: number
  readonly f1: number
}

/**
 * A sentence in the writer's prompt asks for the short answer in bold, which is what is scored, with the results of formulas and
 * the scales of tables that footnotes give (`predictionIn`). With `--plain`, and without a model, it is the first figure of the
 * first sentence, or that sentence. Answers are asked for anew, unless `--out` names a folder that has them. `--show` prints what was not exact. Where the form in
 * `--out` is filled in, what a person says of the answers is printed too.
 */
export async function run(args: readonly string[]): Promise<void> {
  const options = answersOptions(args, 'extractive')
  const isPlain = args.includes('--plain') || options.model === 'extractive'
  const writing = isPlain ? options : { ...options, promptsDir: promptsWithForm() }
  const answers = await answersTo(setOf('tatqa', tatqa()), writing)
  const golds = tatqaGold()
  const scored = answers.flatMap((answer) => {
    const gold = golds.get(answer.id)
    return gold ? [scoredOf(answer, gold)] : []
  })
  if (args.includes('--show')) for (const each of scored.filter(({ exact }) => exact === 0)) print(each)
  console.log(`${'TAT-QA'.padEnd(14)}questions  declined  exact match    F1`)
  for (const type of ['span', 'multi-span', 'arithmetic', 'count'] as const) {
    printFigures(
      type,
      scored.filter(({ gold }) => gold.answer_type === type),
    )
  }
  printFigures('all', scored)
  for (const line of [...judgedLines(answers, options), ...costLines(answers)]) console.log(line)
}

function scoredOf(answer: KeptAnswer, gold: Gold): Scored {
  const said = answer.abstained ? [] : predictionIn(answer)
  return { answer, gold, said, ...score(gold, said) }
}

function printFigures(name: string, scored: readonly Scored[]): void {
  if (scored.length === 0) return
  const mean = (values: readonly number[]) =>
    ((100 * values.reduce((sum, each) => sum + each, 0)) / values.length).toFixed(1)
  const declined = scored.filter(({ answer }) => answer.abstained).length
  const figures = [scored.length, declined, mean(scored.map(({ exact }) => exact)), mean(scored.map(({ f1 }) => f1))]
  console.log(name.padEnd(14) + figures.map((figure, at) => String(figure).padStart([9, 10, 13, 6][at] ?? 0)).join(''))
}

function print({ answer, gold, said, f1 }: Scored): void {
  console.log(`${answer.id}: ${answer.question}`)
  console.log(`  wanted ${[gold.answer].flat().join(' | ')} ${gold.scale}, said ${said.join(' | ')}, F1 ${f1}`)
}

// Keeps what a model writes for the questions of a set, what each check makes of it, and what it takes; then counts it, once
// a person has said what is true.
//   npm run bench -- drafts <set> --out <folder> --endpoint <base URL> [--model openai:<name>] [--every <n>]
//   npm run bench -- drafts --set <folder> --out <folder> …    questions in the form of bench/foreign
//   npm run bench -- drafts --judge --out <folder> [--labels <file>]
import { parseArgs } from 'node:util'
import { answersOptions, answersTo, formIn, keptIn, labelsIn } from './drafts/kept-answers.ts'
import { setNamed } from './drafts/named-set.ts'
import { costLines, problemOf, tableOf } from './drafts/table.ts'
import { MissingData } from './question-sets.ts'

const options = {
  set: { type: 'string' },
  judge: { type: 'boolean', default: false },
  labels: { type: 'string' },
  out: { type: 'string' },
  model: { type: 'string' },
  endpoint: { type: 'string' },
  every: { type: 'string' },
} as const

/**
 * Writes into `--out`: `answers.jsonl`, an answer a line, with each draft and the state of its sentences, and `labels.jsonl`,
 * the form that a person fills in. What is there is not asked again. `--judge` prints the table.
 */
export async function run(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
  const { out } = values
  if (out === undefined) throw new MissingData('Name a folder for the answers: --out <folder>.')
  if (values.judge) return judge(out, values.labels ?? formIn(out))
  const set = await setNamed(positionals[0] ?? '', values.set ?? null)
  const answers = await answersTo(set, answersOptions(args))
  for (const line of costLines(answers)) console.log(line)
  console.log(`\nfill in ${formIn(out)}, then: npm run bench -- drafts --judge --out ${out}`)
}

function judge(out: string, path: string): void {
  const answers = [...new Map(keptIn(out).map((answer) => [answer.id, answer])).values()]
  const labels = labelsIn(path)
  for (const answer of answers) {
    const problem = problemOf(answer, labels.get(answer.id))
    if (problem !== null) console.error(`${answer.id}: ${problem}`)
  }
  for (const line of tableOf(answers, labels)) console.log(line)
}

import { join } from 'node:path'
import type { Quaero } from '../src/api.ts'
import { loadConfig } from '../src/config.ts'
import { createQuaero } from '../src/quaero.ts'
import { readLines } from './question-sets.ts'
import { passagesIn, type Script, type ScriptedModel, scriptedModel } from './scripted-model.ts'

/** A question over the sample papers, and what the scripted model knows of it. */
interface CostQuestion {
  readonly kind: 'simple' | 'unanswerable' | 'conversation' | 'hard'
  readonly question: string
  /** Asked before it in the same thread, with words of its answer. */
  readonly after?: { readonly question: string; readonly answers: readonly string[] }
  /** As the orchestrator's model rewrites it. */
  readonly standalone?: string
  /** What research's model searches for; else the question itself. */
  readonly queries?: readonly string[]
  /** One of these words is in a right answer; empty if there is none. `/…/` is an expression. */
  readonly answers: readonly string[]
}

interface Measured extends ReturnType<ScriptedModel['spent']> {
  /** Until the first verified words; the scripted model answers at once. */
  readonly verifiedMs: number
  readonly asked: CostQuestion
  readonly isRight: boolean
}

/**
 * Model calls and input tokens of questions over the sample papers, by kind, with `research: auto` and `thorough`; and
 * whether the answer is right, with a scripted model that keeps the formats. `--each` prints each question.
 */
export async function run(args: readonly string[]): Promise<void> {
  console.log(
    row([
      'research',
      'kind',
      'questions',
      'right',
      'calls, median',
      'most',
      'input tokens, median',
      'most',
      'ms to verified words, median',
    ]),
  )
  for (const research of ['auto', 'thorough'] as const) {
    const measured = await measure(research)
    if (args.includes('--each')) measured.forEach(print)
    for (const kind of ['simple', 'conversation', 'hard', 'unanswerable'] as const) {
      const own = measured.filter(({ asked }) => asked.kind === kind)
      const calls = own.map((each) => each.calls.length)
      const tokens = own.map(({ inputTokens }) => inputTokens)
      const right = own.filter(({ isRight }) => isRight).length
      const ms = Math.round(median(own.map(({ verifiedMs }) => verifiedMs)))
      const figures = [median(calls), Math.max(...calls), median(tokens), Math.max(...tokens), ms]
      console.log(row([research, kind, own.length, right, ...figures]))
    }
  }
}

async function measure(research: 'auto' | 'thorough'): Promise<readonly Measured[]> {
  const endpoint = await scriptedModel()
  const env = { OPENAI_BASE_URL: endpoint.url, OPENAI_API_KEY: 'none' }
  const config = loadConfig({ env, overrides: { research } })
  const quaero = await createQuaero({ config, dataDir: ':memory:', model: 'openai:scripted' })
  try {
    await quaero.library.add([join(import.meta.dirname, '..', 'examples', 'papers')])
    const measured: Measured[] = []
    for (const asked of costQuestions()) measured.push(await ask(asked, quaero, endpoint))
    return measured
  } finally {
    await quaero.close()
    await endpoint.close()
  }
}

async function ask(asked: CostQuestion, quaero: Quaero, endpoint: ScriptedModel): Promise<Measured> {
  if (asked.after) endpoint.play(scriptOf(asked.after))
  const threadId = asked.after && (await quaero.ask(asked.after.question)).threadId
  endpoint.play(scriptOf(asked))
  const { answer, abstained, verifiedMs } = await timed(quaero, asked.question, threadId)
  const isRight = asked.answers.length === 0 ? abstained : !abstained && holds(answer, asked.answers)
  return { ...endpoint.spent(), asked, isRight, verifiedMs }
}

async function timed(quaero: Quaero, question: string, threadId: string | undefined) {
  const began = performance.now()
  let verifiedMs = Number.NaN
  let result = { answer: '', abstained: false }
  for await (const { type, payload } of quaero.stream(question, threadId === undefined ? {} : { threadId })) {
    if (type === 'message.completed' && payload.scope === 'thread') verifiedMs = performance.now() - began
    if (type === 'run.completed') result = { answer: payload.answer ?? '', abstained: payload.abstained }
  }
  return { ...result, verifiedMs }
}

interface ExampleQuestion {
  readonly question: string
  readonly expect: { readonly answers?: readonly string[]; readonly abstain?: boolean }
}

/** All questions: those of `examples/questions.jsonl`, follow-ups, and some in words that the papers do not use. */
function costQuestions(): readonly CostQuestion[] {
  const examples = readLines<ExampleQuestion>(join(import.meta.dirname, '..', 'examples', 'questions.jsonl'))
  const simple = examples.map(({ question, expect: { answers = [], abstain } }): CostQuestion => {
    return { kind: abstain ? 'unanswerable' : 'simple', question, answers }
  })
  return [...simple, ...readLines<CostQuestion>(join(import.meta.dirname, 'cost', 'questions.jsonl'))]
}

function print({ asked, calls, inputTokens, isRight }: Measured): void {
  console.log(`${isRight ? ' ' : '!'} ${asked.kind}: ${asked.question} | ${calls.join(' ')} | ${inputTokens}`)
}

function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b)
  const middle = (sorted.length - 1) / 2
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle)] ?? 0)) / 2
}

function row(cells: readonly (string | number)[]): string {
  return `| ${cells.join(' | ')} |`
}

/** It keeps the formats: quotes the sentence with the answer if a passage holds it, and abstains if none does. */
function scriptOf({
  question,
  answers,
  standalone = question,
  queries = [standalone],
}: Pick<CostQuestion, 'question' | 'standalone' | 'queries' | 'answers'>): Script {
  const write = (prompt: string) => {
    for (const { id, text } of passagesIn(prompt)) {
      const sentence = text.split(/\n|(?<=[.!?])\s/).find((each) => holds(each, answers))
      if (sentence) return `${sentence.trim()}<cite id="${id}">${sentence.trim()}</cite>`
    }
    return '<abstain/>'
  }
  return { standalone, queries, write }
}

/** True for a text with one of the words that are looked for. */
function holds(text: string, answers: readonly string[]): boolean {
  return answers.some((each) => (each.startsWith('/') ? new RegExp(each.slice(1, -1)).test(text) : text.includes(each)))
}

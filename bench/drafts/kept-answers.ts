import { appendFileSync, existsSync, mkdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import type { RunResult } from '../../src/index.ts'
import { copyOfLibrary } from '../foreign/library.ts'
import { readLines } from '../question-sets.ts'
import type { Account } from './account.ts'
import { askAll, conversationsIn, type Outcome, oneIn } from './ask.ts'
import { formOf, type Labels } from './labels.ts'
import type { AskedSet, WantedQuestion } from './question-set.ts'

/** One line of `answers.jsonl`. */
export interface KeptAnswer extends Account {
  readonly id: string
  readonly runId: string
  readonly question: string
  readonly wanted: string | null
  readonly status: RunResult['status']
  readonly abstained: boolean
  readonly answer: string
  readonly highlights: readonly string[]
  /** The sentences of a draft that are part of the answer. */
  readonly shown: readonly string[]
  readonly confidence: number | null
  readonly error: RunResult['error']
  readonly citations: readonly {
    readonly marker: number
    readonly source: string
    readonly page: number
    readonly quote: string
    /** What the figures of its table count in, where the table says so for all that is quoted. */
    readonly unit: string | null
  }[]
  readonly calculations: readonly { readonly marker: number; readonly value: number }[]
}

export interface AnswersOptions {
  readonly model: string | null
  readonly endpoint: string | null
  /** Each nth conversation only, the same each time. */
  readonly every: number
  /** Where answers are kept, and not asked for again; null: nowhere. */
  readonly out: string | null
  readonly promptsDir?: string | null
}

const options = {
  model: { type: 'string' },
  endpoint: { type: 'string' },
  every: { type: 'string', default: '1' },
  out: { type: 'string' },
} as const

/** `--model`, `--endpoint <base URL>`, `--every <n>`, `--out <folder>`; other words are left alone. */
export function answersOptions(args: readonly string[], preset: string | null = null): AnswersOptions {
  const { values } = parseArgs({ args: [...args], options, strict: false })
  const text = (value: string | boolean | undefined) => (typeof value === 'string' ? value : null)
  const endpoint = text(values.endpoint)
  return {
    model: text(values.model) ?? (endpoint === null ? preset : 'openai:any'),
    endpoint,
    every: Number(values.every),
    out: text(values.out),
  }
}

/** The answers to the questions of a set, in its order: those that are kept, and the others once they are asked. */
export async function answersTo(set: AskedSet, options: AnswersOptions): Promise<readonly KeptAnswer[]> {
  const chosen = oneIn(options.every, conversationsIn(set.questions))
  const kept = keptIn(options.out).filter(({ status }) => status !== 'failed')
  const answers = new Map(kept.map((answer) => [answer.id, answer]))
  // A thread is not continued in another library, so a conversation that broke off is asked anew.
  const open = chosen.filter((conversation) => conversation.some(({ id }) => !answers.has(id)))
  const all = chosen.flat()
  const again = all.length - open.flat().length
  console.error(`${set.name}: ${all.length} questions, ${open.flat().length} to ask`)
  if (again > 0) console.log(`${again} of ${all.length} answers are those of an earlier run, kept in ${options.out}`)
  if (open.length > 0) await ask(set, open, { ...options, answers })
  return all.flatMap(({ id }) => answers.get(id) ?? [])
}

export function keptIn(out: string | null): readonly KeptAnswer[] {
  const path = out === null ? null : join(out, ANSWERS)
  return path !== null && existsSync(path) ? readLines<KeptAnswer>(path) : []
}

/** What a person has filled in so far, the last line of a question counting. */
export function labelsIn(path: string): ReadonlyMap<string, Labels> {
  return new Map(readLines<Labels>(path).map((labels) => [labels.id, labels]))
}

/** The form beside the answers of a folder. */
export function formIn(out: string): string {
  return join(out, 'labels.jsonl')
}

const ANSWERS = 'answers.jsonl'

interface Asking extends AnswersOptions {
  /** Receives each. */
  readonly answers: Map<string, KeptAnswer>
}

async function ask(
  { documents, files }: AskedSet,
  open: ReturnType<typeof conversationsIn<WantedQuestion>>,
  { answers, out, model, endpoint, promptsDir = null }: Asking,
): Promise<void> {
  const dataDir = await copyOfLibrary(documents, files)
  if (out !== null) mkdirSync(out, { recursive: true })
  let done = 0
  try {
    await askAll(open, { dataDir, model, endpoint, promptsDir }, async (outcome) => {
      const answer = keptOf(outcome)
      answers.set(answer.id, answer)
      if (out !== null) {
        appendFileSync(join(out, ANSWERS), `${JSON.stringify(answer)}\n`)
        appendFileSync(formIn(out), `${JSON.stringify(formOf(answer))}\n`)
      }
      done += 1
      console.error(`${done} of ${open.flat().length}: ${answer.id} ${answer.abstained ? 'declined' : answer.status}`)
    })
  } finally {
    await rm(dataDir, { recursive: true })
  }
}

function keptOf({ asked, result, account }: Outcome<WantedQuestion>): KeptAnswer {
  const { runId, status, abstained, answer, confidence, error, citations, calculations } = result
  const kept = result.sentences.filter(({ state }) => state !== 'unsupported')
  return {
    id: asked.id,
    runId,
    question: asked.question,
    wanted: asked.wanted,
    status,
    abstained,
    answer,
    highlights: result.highlights.map(({ start, end }) => answer.slice(start, end)),
    shown: abstained ? [] : kept.map(({ text }) => text),
    confidence,
    error,
    citations: citations.map(({ marker, source, page, quote, table }) => {
      return { marker, source: basename(source), page, quote, unit: table?.unit ?? null }
    }),
    calculations: calculations.map(({ marker, value }) => ({ marker, value })),
    ...account,
  }
}

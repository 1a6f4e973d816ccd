import { randomUUID } from 'node:crypto'
import type { AskOptions, Quaero } from '../api.ts'
import { asError, QuaeroError } from '../errors.ts'
import type { RunResult } from '../runs/log/result.ts'
import type { EvalRow } from './dataset.ts'
import type { RowScore } from './report.ts'
import { type ModelFailure, type Observed, scoreRefused, scoreRow } from './score-row.ts'

interface EvaluateOptions {
  readonly quaero: Pick<Quaero, 'ask' | 'runs' | 'library'>
  readonly rows: readonly EvalRow[]
  /** What an interrupted evaluation has judged already. */
  readonly judged?: readonly RowScore[]
  /** Conversations that are held side by side. */
  readonly concurrency: number
  readonly ask?: Pick<AskOptions, 'documentIds' | 'limits' | 'signal'>
  /** Told of each row as soon as it is judged; it is waited for. */
  readonly onRow?: (score: RowScore) => void | Promise<void>
}

/** Asks every question and judges what comes of it. Rows of one thread are asked in turn, on one conversation. */
export async function evaluate(options: EvaluateOptions): Promise<readonly RowScore[]> {
  const { rows, judged = [], concurrency } = options
  const scores = new Map(judged.map((score) => [score.id, score]))
  const waiting = conversationsOf(rows).filter((turns) => turns.some(({ id }) => !scores.has(id)))
  const work = async () => {
    for (let turns = waiting.shift(); turns; turns = waiting.shift()) {
      for await (const score of hold(turns, options)) scores.set(score.id, score)
    }
  }
  await Promise.all(Array.from({ length: Math.max(1, concurrency) }, work))
  return rows.flatMap(({ id }) => scores.get(id) ?? [])
}

/** Rows that share a thread, in their order; each other row by itself. */
function conversationsOf(rows: readonly EvalRow[]): (readonly EvalRow[])[] {
  const conversations = new Map<string, EvalRow[]>()
  for (const row of rows) {
    const key = row.thread === undefined ? `row ${row.id}` : `thread ${row.thread}`
    const turns = conversations.get(key) ?? []
    conversations.set(key, turns)
    turns.push(row)
  }
  return [...conversations.values()]
}

/** A conversation that was cut short is held again from its beginning: its turns build on each other. */
async function* hold(turns: readonly EvalRow[], options: EvaluateOptions): AsyncGenerator<RowScore> {
  const threadId = `eval-${randomUUID()}`
  for (const row of turns) {
    options.ask?.signal?.throwIfAborted()
    const score = await judge(row, threadId, options)
    // A run that was stopped from outside says nothing about the answer.
    if (score.status === 'interrupted') options.ask?.signal?.throwIfAborted()
    await options.onRow?.(score)
    yield score
  }
}

async function judge(row: EvalRow, threadId: string, { quaero, ask }: EvaluateOptions): Promise<RowScore> {
  let result: RunResult
  try {
    result = await quaero.ask(row.question, { ...ask, threadId })
  } catch (error) {
    const code = error instanceof QuaeroError ? error.code : 'unexpected'
    return scoreRefused(row, { code, message: asError(error).message })
  }
  return scoreRow(row, await observe(quaero, result))
}

/** What the log says of the run, and whether its quotes stand where they are said to. */
async function observe(quaero: EvaluateOptions['quaero'], result: RunResult): Promise<Observed> {
  const agents = new Set<string>()
  const tools = new Set<string>()
  const failures: ModelFailure[] = []
  for await (const event of quaero.runs.events(result.runId)) {
    if (event.type === 'agent.started') agents.add(event.payload.name)
    if (event.type === 'tool.started') tools.add(event.payload.tool)
    if (event.type === 'model.failed' && event.payload.code !== 'limit_reached') {
      failures.push({ agent: event.agent, code: event.payload.code, message: event.payload.message })
    }
  }
  const verified = await Promise.all(result.citations.map((citation) => stands(quaero, citation)))
  return { result, agents: [...agents], tools: [...tools], verified, failures }
}

async function stands(
  { library }: Pick<Quaero, 'library'>,
  { documentId, page, start, end, quote }: RunResult['citations'][number],
): Promise<boolean> {
  const stored = await library.text(documentId, page).catch(() => null)
  return stored?.text.slice(start, end) === quote
}

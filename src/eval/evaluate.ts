import { randomUUID } from 'node:crypto'
import type { AskOptions, Quaero } from '../api.ts'
import { asError, QuaeroError, TerminalError } from '../errors.ts'
import type { RunResult } from '../runs/index.ts'
import type { EvalRow } from './dataset.ts'
import { isFailure, type RowScore } from './report.ts'
import { type ModelFailure, type Observed, scoreRefused, scoreRow } from './score-row.ts'

interface EvaluateOptions {
  readonly quaero: Pick<Quaero, 'ask' | 'runs' | 'library'>
  readonly rows: readonly EvalRow[]
  /** Rows that an interrupted evaluation has judged. */
  readonly judged?: readonly RowScore[]
  /** Conversations at the same time. */
  readonly concurrency: number
  readonly ask?: Pick<AskOptions, 'documentIds' | 'limits' | 'signal'>
  /** How rows are asked, by id, that have runs of their own: asked again, they resume them. */
  readonly plan?: ReadonlyMap<string, Pick<AskOptions, 'threadId' | 'idempotencyKey' | 'traceAttributes'>>
  /** Called and awaited for each row when it is judged. */
  readonly onRow?: (score: RowScore) => void | Promise<void>
}

/** A failure that every other question would meet too, with the code of its cause. */
export class EvaluationStopped extends TerminalError {
  readonly code: string

  constructor({ code, message }: { readonly code: string; readonly message: string }) {
    super(message)
    this.code = code
  }
}

/** Codes of failures that every question would meet. */
const fatal: ReadonlySet<string> = new Set(
  'key_rejected model_not_found quota_exhausted no_model no_documents config_invalid prompt_invalid storage_unavailable'.split(
    ' ',
  ),
)

/**
 * Asks every question and judges the results. Rows of one thread are asked in turn, on one conversation. Throws
 * `EvaluationStopped` at the first failure that all questions would meet; the other runs are interrupted.
 */
export async function evaluate(options: EvaluateOptions): Promise<readonly RowScore[]> {
  const { rows, judged = [], concurrency } = options
  const scores = new Map(judged.map((score) => [score.id, score]))
  const waiting = conversationsOf(rows).filter((turns) => turns.some(({ id }) => !scores.has(id)))
  const stop = new AbortController()
  const signal = AbortSignal.any([stop.signal, ...(options.ask?.signal ? [options.ask.signal] : [])])
  const holding = { ...options, ask: { ...options.ask, signal } }
  const work = async () => {
    for (let turns = waiting.shift(); turns; turns = waiting.shift()) {
      for await (const score of hold(turns, holding)) scores.set(score.id, score)
    }
  }
  const workers = Array.from({ length: Math.max(1, concurrency) }, () => work().catch((error) => stop.abort(error)))
  await Promise.all(workers)
  stop.signal.throwIfAborted()
  return rows.flatMap(({ id }) => scores.get(id) ?? [])
}

/** The turns of each conversation; a row without a thread is one of its own. */
export function conversationsOf(rows: readonly EvalRow[]): (readonly EvalRow[])[] {
  const conversations = new Map<string, EvalRow[]>()
  for (const row of rows) {
    const key = row.thread === undefined ? `row ${row.id}` : `thread ${row.thread}`
    const turns = conversations.get(key) ?? []
    conversations.set(key, turns)
    turns.push(row)
  }
  return [...conversations.values()]
}

/** An interrupted conversation starts again from its first turn, since its turns build on each other. */
async function* hold(turns: readonly EvalRow[], options: EvaluateOptions): AsyncGenerator<RowScore> {
  const threadId = `eval-${randomUUID()}`
  for (const row of turns) {
    options.ask?.signal?.throwIfAborted()
    const score = await judge(row, threadId, options)
    // An interrupted run has no answer to judge.
    if (score.status === 'interrupted') options.ask?.signal?.throwIfAborted()
    if (isFailure(score.status) && score.error && fatal.has(score.error.code)) {
      throw new EvaluationStopped(score.error)
    }
    await options.onRow?.(score)
    yield score
  }
}

async function judge(row: EvalRow, threadId: string, { quaero, ask, plan }: EvaluateOptions): Promise<RowScore> {
  let result: RunResult
  try {
    result = await quaero.ask(row.question, { ...ask, threadId, ...plan?.get(row.id) })
  } catch (error) {
    ask?.signal?.throwIfAborted()
    const code = error instanceof QuaeroError ? error.code : 'unexpected'
    return scoreRefused(row, { code, message: asError(error).message })
  }
  return scoreRow(row, await observe(quaero, result))
}

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
  const verified = await Promise.all(result.citations.map((citation) => isOnPage(quaero, citation)))
  return { result, agents: [...agents], tools: [...tools], verified, failures }
}

async function isOnPage(
  { library }: Pick<Quaero, 'library'>,
  { documentId, page, start, end, quote }: RunResult['citations'][number],
): Promise<boolean> {
  const stored = await library.text(documentId, page).catch(() => null)
  return stored?.text.slice(start, end) === quote
}

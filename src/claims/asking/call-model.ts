import { NoModel } from '../../errors.ts'
import type { Context } from '../../events/index.ts'
import { type Limits, logOf, type Runner, type RunResult, resultOf, runIdOf, type Traced } from '../../runs/index.ts'
import type { Storage } from '../../storage/index.ts'
import { hasResult } from './known-runs.ts'

export interface ModelCallParts {
  readonly runner: Pick<Runner, 'submit' | 'work'>
  readonly storage: Pick<Storage, 'events'>
  /** Of a run that states none. */
  readonly limits: Required<Limits>
}

export interface ModelCallOptions extends Traced {
  readonly prompt: string
  /** A model of the settings; that of answers, if absent. */
  readonly model?: string
  readonly threadId: string
  readonly userId?: string
  readonly documentIds: readonly string[]
  readonly idempotencyKey: string
  readonly limits?: Limits
  readonly approve?: 'all' | 'none' | 'ask'
  readonly signal?: AbortSignal
}

/**
 * Asks the model one thing, with no search and no checks: a run of its own, logged, traced and limited like others. A run that
 * was interrupted goes on, and a reply that is in its log is not paid for again. A failure is one of the result, as for questions.
 */
export async function callModel(
  question: string,
  {
    prompt,
    model,
    threadId,
    userId,
    documentIds: documents,
    idempotencyKey,
    limits,
    approve = 'ask',
    signal,
    ...traced
  }: ModelCallOptions,
  { runner, storage, limits: settings }: ModelCallParts,
): Promise<RunResult> {
  const runId = runIdOf(idempotencyKey)
  const perform = async (context: Context) => ({ ...noOutcome, answer: await reply(context, prompt, model) })
  const log = await logOf(runId, storage)
  // Who asked for the same at the same time was quicker.
  if (log.length > 0 && hasResult(resultOf(log).status)) return resultOf(log)
  const own = { ...traced, ...(userId !== undefined && { userId }) }
  const asked = { runId, question, threadId, documents, limits: { ...settings, ...limits }, approve, ...own }
  const run = log.length > 0 ? { runId, threadId } : await runner.submit(asked)
  const thrown = await runner.work(run, { signal, perform }).then(
    () => null,
    (error: unknown) => ({ error }),
  )
  const result = resultOf(await logOf(runId, storage))
  if (thrown && result.error === null) throw thrown.error
  return result
}

function reply(context: Context, prompt: string, model: string | undefined): Promise<string> {
  if (!context.callModel) throw new NoModel('There is no model here that could be asked.')
  const messages = [{ role: 'user', text: prompt }] as const
  return context.callModel(context, { messages, hook: 'report', ...(model !== undefined && { model }) })
}

const noOutcome = {
  stopReason: 'answered',
  ending: null,
  standaloneQuestion: null,
  abstained: false,
  confidence: null,
  clarification: null,
  citations: [],
  unsupported: [],
  error: null,
} satisfies Partial<RunResult> & { readonly stopReason: 'answered' }

import { task } from '@langchain/langgraph'
import { asError, type LimitName, LimitReached, QuaeroError, RecoverableError } from '../../errors.ts'
import { type Context, callSignal } from '../../events/index.ts'

/** A failure that an agent can work around; the same after a resume as on the first try. */
export class StepFailed extends QuaeroError {
  readonly code: string
  readonly recoverable: boolean

  constructor(problem: Problem) {
    super(problem.message)
    this.code = problem.code
    this.recoverable = problem.recoverable
  }
}

interface Problem {
  readonly code: string
  readonly message: string
  readonly recoverable: boolean
  readonly limit?: LimitName
  readonly value?: number
}

type Recorded<T> = { readonly value: T } | { readonly problem: Problem }

/**
 * Makes a LangGraph task of a model or tool call, so that a resumed run reuses its result instead of paying again.
 * A failing task would fail the whole superstep, even if the agent catches the error; so failures that agents can
 * work around are recorded as results too, and come back as `StepFailed` or `LimitReached`. Others are thrown.
 */
export function step<Input, Output>(name: string, work: (context: Context, input: Input) => Promise<Output>) {
  const recorded = task(name, async (context: Context, input: Input): Promise<Recorded<Output>> => {
    context.signal.throwIfAborted()
    try {
      callSignal(context).throwIfAborted()
      return { value: await work(context, input) }
    } catch (error) {
      if (endsTheRun(error, context)) throw error
      return { problem: problemOf(error) }
    }
  })
  return async (context: Context, input: Input): Promise<Output> => {
    const outcome = await recorded(context, input)
    if ('value' in outcome) return outcome.value
    const { problem } = outcome
    if (problem.limit) throw new LimitReached(problem.limit, problem.value ?? 0, problem.message)
    throw new StepFailed(problem)
  }
}

/** True for errors that must leave the agent: a pause, a stop, or a failure that nothing can work around. */
export function endsTheRun(error: unknown, context: Context): boolean {
  if (context.interruption(error) || context.signal.aborted) return true
  return !canGoOn(error)
}

function problemOf(error: unknown): Problem {
  const base = {
    code: error instanceof QuaeroError ? error.code : 'unexpected',
    message: asError(error).message,
    recoverable: error instanceof RecoverableError,
  }
  return error instanceof LimitReached ? { ...base, limit: error.limit, value: error.value } : base
}

/** True if an agent may go on by another way after this error. */
export function canGoOn(error: unknown): boolean {
  return !(error instanceof QuaeroError && error.endsRun)
}

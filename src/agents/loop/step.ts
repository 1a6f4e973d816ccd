import { task } from '@langchain/langgraph'
import { asError, type LimitName, LimitReached, QuaeroError, RecoverableError } from '../../errors.ts'
import { type Context, callSignal, type Ending, type Event } from '../../events/index.ts'

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
 * work around are recorded as results, and thrown outside the task as `StepFailed` or `LimitReached`.
 */
export function step<Input, Output>(name: 'model' | 'tool', work: (context: Context, input: Input) => Promise<Output>) {
  const recorded = task(name, async (context: Context, input: Input): Promise<Recorded<Output>> => {
    context.signal.throwIfAborted()
    try {
      callSignal(context).throwIfAborted()
      return { value: await work(context, input) }
    } catch (error) {
      // If the run was stopped while its failure was logged, it ends because of the stop.
      context.signal.throwIfAborted()
      if (endsTheRun(error, context)) throw error
      return { problem: failedStep(error) }
    }
  })
  return async (given: Context, input: Input): Promise<Output> => {
    const { context, stored } = endingWithItsResult(given, [`${name}.completed`, `${name}.failed`])
    const outcome = await recorded(context, input)
    await stored()
    if ('value' in outcome) return outcome.value
    const { problem } = outcome
    if (problem.limit) throw new LimitReached(problem.limit, problem.value ?? 0, problem.message)
    throw new StepFailed(problem)
  }
}

/**
 * The context of a step whose last events, from the end of its call on, are passed to the storage without waiting.
 * LangGraph passes the step's result in the same turn of the event loop, and the storage commits together what it gets in
 * one turn: a killed process leaves both or neither, so a finished call is never paid again. `stored` resolves once they
 * are stored, and rejects if storing them failed: what an agent does with a reply, such as to check a draft, may take long,
 * and would keep this turn of the event loop from its end.
 */
function endingWithItsResult(context: Context, ends: readonly Event['type'][]) {
  const writes: Promise<void>[] = []
  const isLast = ({ type, causationId }: Event) =>
    ends.includes(type) || (causationId === context.causationId && !type.endsWith('.started'))
  const emit = async (event: Event): Promise<void> => {
    const write = context.emit(event)
    if (!isLast(event)) return write
    // Handled in `stored`; until then a rejection would end the process.
    write.catch(() => {})
    writes.push(write)
  }
  const stored = async () => {
    await Promise.all(writes)
    await context.settled?.()
  }
  return { context: { ...context, emit }, stored }
}

/** True for a pause, a stop, or a failure that no agent can work around. */
export function endsTheRun(error: unknown, context: Context): boolean {
  if (context.interruption(error) || context.signal.aborted) return true
  return !isRecoverable(error)
}

function failedStep(error: unknown): Problem {
  const base = {
    code: error instanceof QuaeroError ? error.code : 'unexpected',
    message: asError(error).message,
    recoverable: error instanceof RecoverableError,
  }
  return error instanceof LimitReached ? { ...base, limit: error.limit, value: error.value } : base
}

/** True if an agent may continue in another way after this error. */
export function isRecoverable(error: unknown): boolean {
  return !(error instanceof QuaeroError && error.endsRun)
}

/** The error, for an agent that can answer without the failed call; throws it where the run must end. */
export function survivable(error: unknown, context: Context): QuaeroError {
  if (context.interruption(error) || !(error instanceof QuaeroError) || !isRecoverable(error)) throw error
  return error
}

/** The limit that an error reports; null for any other error. */
export function endingOf(error: unknown): Ending | null {
  return error instanceof LimitReached ? { reason: error.message, limit: error.limit, value: error.value } : null
}

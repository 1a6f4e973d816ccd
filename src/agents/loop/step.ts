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
 * work around are recorded as results too, and come back as `StepFailed` or `LimitReached`. Others are thrown. The event
 * that says that the call is finished is stored in one transaction with the result.
 */
export function step<Input, Output>(name: 'model' | 'tool', work: (context: Context, input: Input) => Promise<Output>) {
  const recorded = task(name, async (context: Context, input: Input): Promise<Recorded<Output>> => {
    context.signal.throwIfAborted()
    try {
      callSignal(context).throwIfAborted()
      return { value: await work(context, input) }
    } catch (error) {
      // A run that was stopped while its failure was logged ends for the reason of the stop.
      context.signal.throwIfAborted()
      if (endsTheRun(error, context)) throw error
      return { problem: problemOf(error) }
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
 * The context of a step whose last events, from the end of its call on, are handed to the storage without waiting. LangGraph
 * hands over the step's result in the same turn of the event loop, and the storage commits together what it is handed in
 * one turn: a process that is killed leaves both or neither, so that a finished call is never paid again. `stored` resolves
 * once they are stored, and rejects as storing them did.
 */
function endingWithItsResult(context: Context, ends: readonly Event['type'][]) {
  const writes: Promise<void>[] = []
  const isLast = ({ type, causationId }: Event) =>
    ends.includes(type) || (causationId === context.causationId && !type.endsWith('.started'))
  const emit = async (event: Event): Promise<void> => {
    const write = context.emit(event)
    if (!isLast(event)) return write
    // It is attended to when the step is over; until then Node.js would end the process for a rejection.
    write.catch(() => {})
    writes.push(write)
  }
  return { context: { ...context, emit }, stored: () => Promise.all(writes) }
}

/** True for errors that must leave the agent: a pause, a stop, or a failure that nothing can work around. */
export function endsTheRun(error: unknown, context: Context): boolean {
  if (context.interruption(error) || context.signal.aborted) return true
  return !isRecoverable(error)
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
export function isRecoverable(error: unknown): boolean {
  return !(error instanceof QuaeroError && error.endsRun)
}

/** The error, for an agent that can answer without what failed; throws it where the run must end, or a program is wrong. */
export function survivable(error: unknown, context: Context): QuaeroError {
  if (context.interruption(error) || !(error instanceof QuaeroError) || !isRecoverable(error)) throw error
  return error
}

/** The limit that an error tells of; null for any other error. */
export function endingOf(error: unknown): Ending | null {
  return error instanceof LimitReached ? { reason: error.message, limit: error.limit, value: error.value } : null
}

import { isDeepStrictEqual } from 'node:util'
import { interrupt, isGraphInterrupt } from '@langchain/langgraph'
import { InvalidToolInput, RunEnded, StaleApproval } from '../../errors.ts'
import {
  type Context,
  type Event,
  event,
  fact,
  type Hooks,
  hasEnded,
  type PendingToolCall,
  type RunStatus,
} from '../../events/index.ts'

/** A person's answer to one tool call. */
export interface Decision {
  readonly approved: boolean
  readonly reason?: string
  /** Arguments to use instead of the model's. */
  readonly args?: Readonly<Record<string, unknown>>
}

export interface ApprovalOptions {
  /** Run what would be asked about, refuse it, or wait for a person. */
  readonly mode: 'all' | 'none' | 'ask'
  readonly needsApproval: (toolName: string) => boolean
}

/** Asks once a round, for all its calls that need approval, before any call of the round runs. */
export function approval({ mode, needsApproval }: ApprovalOptions): Hooks {
  return {
    name: 'approval',
    round: async (request, next, context) => {
      const asked = request.calls.filter(({ name }) => needsApproval(name))
      if (asked.length === 0 || mode === 'all') return next(request)
      const decisions = mode === 'none' ? refuseAll(asked) : await ask(asked, context)
      const refusals = Object.fromEntries(
        asked.filter(({ id }) => !of(decisions, id)?.approved).map(({ id }) => [id, of(decisions, id)?.reason ?? '']),
      )
      const calls = request.calls.map((call) => ({ ...call, args: { ...(of(decisions, call.id)?.args ?? call.args) } }))
      return next({ ...request, calls, refusals })
    },
  }
}

/** Answers given so far, by approval id. */
export function decisionsIn(log: readonly Event[]): Record<string, Decision> {
  const resolved = log.filter((each) => each.type === 'approval.resolved')
  return Object.fromEntries(
    resolved.map(({ payload: { approvalId, approved, reason, args } }) => [
      approvalId,
      { approved, ...(reason !== undefined && { reason }), ...(args && { args }) },
    ]),
  )
}

type Decisions = Readonly<Record<string, Decision>>

/** The answer to a call, whose id may be the name of an inherited property. */
function of(decisions: Decisions, id: string): Decision | undefined {
  return Object.hasOwn(decisions, id) ? decisions[id] : undefined
}

/**
 * The answers to exactly these calls, if a person has given them and none of the calls was made since: a run that was
 * stopped while it asked has no pause that they could resume. Null if anything is still to be asked.
 */
function answeredBefore(calls: readonly PendingToolCall[], log: readonly Event[]): Decisions | null {
  const asked = log.findLastIndex(
    (each) => each.type === 'approval.requested' && isDeepStrictEqual(each.payload.approvals, calls),
  )
  if (asked < 0) return null
  const since = log.slice(asked)
  const decisions = decisionsIn(since)
  const ids = new Set(calls.map(({ id }) => id))
  const isMade = since.some((each) => each.type === 'tool.started' && ids.has(each.payload.callId))
  return !isMade && calls.every(({ id }) => of(decisions, id)) ? decisions : null
}

/** Pauses the run; when it resumes, the same call returns the answers. */
async function ask(calls: readonly PendingToolCall[], context: Context): Promise<Decisions> {
  try {
    // LangGraph counts the pauses of a step, so that each must be requested, also one that was answered.
    return interrupt<unknown, Decisions>({ approvals: calls })
  } catch (pause) {
    if (!isGraphInterrupt(pause)) throw pause
    const answers = answeredBefore(calls, context.log?.() ?? [])
    if (answers) return answers
    await fact(context, 'approval.requested', { approvals: [...calls] })
    throw pause
  }
}

function refuseAll(calls: readonly PendingToolCall[]): Decisions {
  return Object.fromEntries(calls.map(({ id }) => [id, { approved: false, reason: 'approval is switched off' }]))
}

/** A person's answers, by approval id. */
export type Answers = Readonly<Record<string, Decision>>

/** Throws `InvalidToolInput` for arguments that a tool does not take. */
export type CheckArgs = (tool: string, args: unknown) => void

/**
 * Throws `RunEnded` for a run that has ended, `StaleApproval` for an answer that it does not wait for, and
 * `InvalidToolInput` for changed arguments that the tool does not take: the approval then stays open, so that the person
 * gets the error, not the model.
 */
export function checkAnswers(
  runId: string,
  { state, pendingApprovals }: RunStatus,
  answers: Answers,
  checkArgs: CheckArgs,
): void {
  if (hasEnded(state)) throw new RunEnded(`Run ${runId} has ended (${state}); ask again instead.`)
  const pending = new Map(pendingApprovals.map((call) => [call.id, call]))
  for (const [id, { approved, args }] of Object.entries(answers)) {
    const call = pending.get(id)
    if (!call) throw stale(id, [...pending.keys()])
    if (approved && args) checkEdited(id, () => checkArgs(call.name, args))
  }
}

/** The answers as events; each has the cause of the request that it answers. */
export function resolutionsOf(runId: string, log: readonly Event[], answers: Answers): readonly Event[] {
  const asked = log.findLast((each) => each.type === 'approval.requested')
  const origin = { correlationId: runId, ...(asked?.causationId && { causationId: asked.causationId }) }
  return Object.entries(answers).map(([approvalId, { approved, reason, args }]) => {
    const said = { ...(reason !== undefined && { reason }), ...(args && { args: { ...args } }) }
    return event('approval.resolved', { approvalId, approved, ...said }, origin) as Event
  })
}

function checkEdited(id: string, check: () => void): void {
  try {
    check()
  } catch (cause) {
    if (!(cause instanceof InvalidToolInput)) throw cause
    const problem = `The arguments given for approval "${id}" do not fit`
    throw new InvalidToolInput(`${problem} ${cause.message}\nNothing was answered; the run waits as before.`, { cause })
  }
}

function stale(id: string, pending: readonly string[]): StaleApproval {
  const waiting = pending.length > 0 ? `It waits for ${pending.join(', ')}.` : 'It waits for no approval.'
  return new StaleApproval(`The run does not wait for approval "${id}". ${waiting}`)
}

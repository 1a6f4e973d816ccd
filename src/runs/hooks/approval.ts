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

/** A person's answer to an approval. */
export interface ApprovalAnswer {
  readonly approved: boolean
  /** Why not; the model is told. */
  readonly reason?: string
  /** Arguments to use instead of those the model chose; they must fit the tool's schema. */
  readonly args?: Readonly<Record<string, unknown>>
}

/** A person's answers, by approval id. */
export type Answers = Readonly<Record<string, ApprovalAnswer>>

/** Whether a person is asked before a tool runs. */
export interface ApprovalRules {
  /** For a list of tools: also true for a tool that asks only while the library holds documents. */
  readonly mayAsk: (toolName: string) => boolean
  readonly asksNow: (toolName: string) => Promise<boolean>
}

export interface ApprovalOptions {
  /** Run what would be asked about, refuse it, or wait for a person. */
  readonly mode: 'all' | 'none' | 'ask'
  readonly needsApproval: ApprovalRules['asksNow']
}

/** Asks once a round, for all its calls that need approval, before any call of the round runs. */
export function approval({ mode, needsApproval }: ApprovalOptions): Hooks {
  return {
    name: 'approval',
    round: async (request, next, context) => {
      const needed = mode === 'all' ? [] : await Promise.all(request.calls.map(({ name }) => needsApproval(name)))
      const asked = request.calls.filter((_, at) => needed[at])
      if (asked.length === 0) return next(request)
      const answers = mode === 'none' ? refuseAll(asked) : await ask(asked, context)
      const refused = asked.filter(({ id }) => !of(answers, id)?.approved)
      const refusals = Object.fromEntries(refused.map(({ id }) => [id, of(answers, id)?.reason ?? '']))
      const calls = request.calls.map((call) => ({ ...call, args: { ...(of(answers, call.id)?.args ?? call.args) } }))
      return next({ ...request, calls, refusals })
    },
  }
}

/** Answers given so far, by approval id. */
export function answersIn(log: readonly Event[]): Answers {
  const resolved = log.filter((each) => each.type === 'approval.resolved')
  return Object.fromEntries(
    resolved.map(({ payload: { approvalId, approved, reason, args } }) => [
      approvalId,
      { approved, ...(reason !== undefined && { reason }), ...(args && { args }) },
    ]),
  )
}

/** The answer to a call, whose id may be the name of an inherited property. */
function of(answers: Answers, id: string): ApprovalAnswer | undefined {
  return Object.hasOwn(answers, id) ? answers[id] : undefined
}

/**
 * The answers to exactly these calls, if all are given and none of the calls was made since: a run that was stopped while
 * it asked has no pause that they could resume. Else null.
 */
function answeredBefore(calls: readonly PendingToolCall[], log: readonly Event[]): Answers | null {
  const asked = log.findLastIndex(
    (each) => each.type === 'approval.requested' && isDeepStrictEqual(each.payload.approvals, calls),
  )
  if (asked < 0) return null
  const since = log.slice(asked)
  const answers = answersIn(since)
  const ids = new Set(calls.map(({ id }) => id))
  const isMade = since.some((each) => each.type === 'tool.started' && ids.has(each.payload.callId))
  return !isMade && calls.every(({ id }) => of(answers, id)) ? answers : null
}

/** Pauses the run; when it resumes, the same call returns the answers. */
async function ask(calls: readonly PendingToolCall[], context: Context): Promise<Answers> {
  try {
    // LangGraph counts the pauses of a step, so that each must be requested, also one that was answered.
    return interrupt<unknown, Answers>({ approvals: calls })
  } catch (pause) {
    if (!isGraphInterrupt(pause)) throw pause
    const answers = answeredBefore(calls, context.log?.() ?? [])
    if (answers) return answers
    await fact(context, 'approval.requested', { approvals: [...calls] })
    throw pause
  }
}

function refuseAll(calls: readonly PendingToolCall[]): Answers {
  return Object.fromEntries(calls.map(({ id }) => [id, { approved: false, reason: 'approval is switched off' }]))
}

/** Throws `InvalidToolInput` for arguments that a tool does not take. */
export type CheckArgs = (tool: string, args: unknown) => void

/**
 * Throws `RunEnded`, `StaleApproval` for an answer that the run does not wait for, and `InvalidToolInput` for changed
 * arguments that the tool does not take; the approval then stays open.
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
    if (!call) {
      const waiting = pending.size > 0 ? `It waits for ${[...pending.keys()].join(', ')}.` : 'It waits for no approval.'
      throw new StaleApproval(`The run does not wait for approval "${id}". ${waiting}`)
    }
    if (approved && args) checkEdited(id, () => checkArgs(call.name, args))
  }
}

/** The answers as events; each has the cause of the request that it answers. */
export function resolutionsOf(runId: string, log: readonly Event[], answers: Answers): readonly Event[] {
  const asked = log.findLast((each) => each.type === 'approval.requested')
  const origin = { correlationId: runId, ...(asked?.causationId && { causationId: asked.causationId }) }
  return Object.entries(answers).map(([approvalId, { approved, reason, args }]) => {
    const given = { ...(reason !== undefined && { reason }), ...(args && { args: { ...args } }) }
    return event('approval.resolved', { approvalId, approved, ...given }, origin)
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

import { isDeepStrictEqual } from 'node:util'
import { interrupt, isGraphInterrupt } from '@langchain/langgraph'
import { type Context, type Event, fact, type Hooks, type PendingToolCall } from '../../events/index.ts'

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

/** Asks once for each round, naming every call that needs it, before any call of the round runs. */
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

/** The answer to a call, whose id may be that of something every object has. */
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
    // LangGraph counts the pauses of a step, so it is asked for every one of them.
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

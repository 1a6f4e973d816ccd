import { InvalidToolInput, RunEnded, StaleApproval } from '../errors.ts'
import { type Event, event, hasEnded, type RunStatus } from '../events/index.ts'
import type { Decision } from './hooks/approval.ts'

/** A person's answers, by approval id. */
export type Answers = Readonly<Record<string, Decision>>

/** Throws `InvalidToolInput` for arguments that a tool does not take. */
export type CheckArgs = (tool: string, args: unknown) => void

/**
 * Lets answers through that a run waits for. Throws `RunEnded` for a run that has ended, `StaleApproval` for an answer
 * that it does not wait for, `InvalidToolInput` for arguments that a person has changed into what the tool does not take:
 * the approval then stays open, so that the person, not the model, is told.
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

/** What the log keeps of the answers; each belongs to the question that it answers. */
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

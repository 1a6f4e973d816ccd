import { describe, expect, it } from 'vitest'
import {
  type Event,
  type EventType,
  event,
  hasEnded,
  initialStatus,
  type Payloads,
  type RunStatus,
  reduceStatus,
  statusOf,
} from '../../../src/events/index.ts'

const failure = { code: 'x', message: 'Broken.', recoverable: false }
const usage = { inputTokens: 10, outputTokens: 2, costUsd: 0.5 }
const model = { usage, finishReason: 'stop', toolCalls: [], messageId: 'm', contextPercent: 3 }

/** Builds a log: each entry may name the entry that it belongs to. */
function logOf() {
  const log: Event[] = []
  const add = <T extends EventType>(type: T, payload: Payloads[T], parent?: Event): Event => {
    const origin = { correlationId: 'run', ...(parent && { causationId: parent.id }) }
    const made = event(type, payload, origin) as Event
    log.push(made)
    return made
  }
  const created = add('run.created', { threadId: 't', turn: 1, question: 'q', documents: null })
  const start = (attempt: number) => add('run.started', { attempt, question: 'q', model: 'm' }, created)
  return { log, add, created, start }
}

describe('the status of a run', () => {
  it('goes on where a message is completed inside a span, also inside the run itself', { tags: ['H17'] }, () => {
    const { log, add, start } = logOf()
    const run = start(1)
    const said = { messageId: 'm', role: 'user', scope: 'thread', text: 'Mind this.', superseded: false } as const
    add('message.completed', { ...said, added: true }, run)
    expect(statusOf(log)).toMatchObject({ state: 'running', activity: [{ id: run.id, kind: 'run' }] })
    const call = add('model.started', { model: 'm', messages: 1 }, run)
    add('message.completed', said, call)
    expect(statusOf(log).activity).toHaveLength(2)
  })

  it('is queued before it starts, and running while its outermost span is open', () => {
    const { log, add, start } = logOf()
    expect(initialStatus.state).toBe('queued')
    expect(statusOf(log).state).toBe('queued')
    const run = start(1)
    const agent = add('agent.started', { name: 'research', iteration: 1 }, run)
    expect(statusOf(log)).toMatchObject({ state: 'running', attempt: 1, endedAt: null })
    expect(statusOf(log).activity).toEqual([
      { id: run.id, kind: 'run' },
      { id: agent.id, kind: 'agent' },
    ])
  })

  it('a message that is completed ends none of the spans, so that a crash leaves none of them without an ending', {
    tags: ['F51', 'E12'],
  }, () => {
    const { log, add, start } = logOf()
    const call = add('model.started', { model: 'm', messages: 1 }, start(1))
    const message = { messageId: 'm', role: 'assistant', scope: 'scratch', text: 'So.', superseded: false } as const
    add('message.completed', message, call)
    expect(statusOf(log).activity.map(({ kind }) => kind)).toEqual(['run', 'model'])
  })

  it('counts model calls, rounds, tool calls, tokens and money; one unknown cost makes the sum unknown', () => {
    const { log, add, start } = logOf()
    const run = start(1)
    const call = () => add('model.started', { model: 'm', messages: 1 }, run)
    add('model.completed', model, call())
    add('model.failed', failure, call())
    add('model.failed', { ...failure, code: 'limit_reached' }, call())
    const round = add('round.started', { calls: [] }, run)
    add('tool.started', { callId: 'c', tool: 't', args: {} }, round)
    expect(statusOf(log)).toMatchObject({
      modelCalls: 2,
      rounds: 1,
      toolCalls: 1,
      inputTokens: 10,
      outputTokens: 2,
      costUsd: 0.5,
      contextPercent: 3,
    })
    add('model.completed', { ...model, usage: { inputTokens: null, outputTokens: null, costUsd: null } }, call())
    add('model.completed', model, call())
    expect(statusOf(log)).toMatchObject({ modelCalls: 4, inputTokens: 20, costUsd: null })
  })

  it('counts what a tool call itself has cost', () => {
    const { log, add, start } = logOf()
    const round = add('round.started', { calls: [] }, start(1))
    const call = () => add('tool.started', { callId: 'c', tool: 't', args: {} }, round)
    const done = { status: 'success', content: '' } as const
    add('tool.completed', { ...done, usage: { inputTokens: 7, outputTokens: 0, costUsd: 0.25 } }, call())
    add('tool.completed', done, call())
    expect(statusOf(log)).toMatchObject({ modelCalls: 0, toolCalls: 2, inputTokens: 7, costUsd: 0.25 })
  })

  it('counts a round that waited for approval once', () => {
    const { log, add, start } = logOf()
    const first = start(1)
    const paused = add('round.started', { calls: [] }, first)
    add('round.interrupted', { reason: 'approval' }, paused)
    add('run.interrupted', { reason: 'approval' }, first)
    add('round.started', { calls: [], again: true }, start(2))
    expect(statusOf(log).rounds).toBe(1)
  })

  it.each([
    ['run.failed', failure, 'failed', true],
    ['run.interrupted', { reason: 'approval' }, 'requires_action', false],
    ['run.interrupted', { reason: 'shutdown' }, 'interrupted', false],
    ['run.interrupted', { reason: 'crashed' }, 'interrupted', false],
    ['run.interrupted', { reason: 'cancelled' }, 'cancelled', true],
  ] as const)('after %s %j is %s', (type, payload, state, ended) => {
    const { log, add, start } = logOf()
    add(type, payload as never, start(1))
    expect(statusOf(log)).toMatchObject({ state, activity: [] })
    expect(statusOf(log).endedAt).not.toBeNull()
    expect(hasEnded(state)).toBe(ended)
  })

  it('does not change by what arrives after the run has ended', { tags: ['E12'] }, () => {
    const { log, add, start } = logOf()
    const run = start(1)
    const tool = add('tool.started', { callId: 'c', tool: 't', args: {} }, run)
    add('run.failed', failure, run)
    const ended = statusOf(log)
    add('tool.failed', failure, tool)
    add('model.completed', model, run)
    add('run.interrupted', { reason: 'cancelled' }, run)
    expect(statusOf(log)).toEqual(ended)
  })

  it('is cancelling between the request and the end, and cancelled at once where nothing runs', () => {
    const running = logOf()
    const run = running.start(1)
    running.add('cancel.requested', { by: 'user' })
    expect(statusOf(running.log).state).toBe('cancelling')
    running.add('run.interrupted', { reason: 'cancelled' }, run)
    expect(statusOf(running.log).state).toBe('cancelled')
    const waiting = logOf()
    waiting.add('run.interrupted', { reason: 'approval' }, waiting.start(1))
    waiting.add('cancel.requested', { by: 'user' })
    expect(statusOf(waiting.log).state).toBe('cancelled')
  })

  it('keeps approvals until each is resolved, and takes up the next attempt where the last one stood', () => {
    const { log, add, start } = logOf()
    const first = start(1)
    const approvals = ['a', 'b'].map((id) => ({ id, name: 'web_search', args: {} }))
    add('approval.requested', { approvals }, first)
    add('run.interrupted', { reason: 'approval' }, first)
    add('approval.resolved', { approvalId: 'a', approved: true })
    expect(statusOf(log).pendingApprovals.map(({ id }) => id)).toEqual(['b'])
    add('approval.resolved', { approvalId: 'b', approved: false })
    start(2)
    expect(statusOf(log)).toMatchObject({ state: 'running', attempt: 2, pendingApprovals: [], endedAt: null })
  })

  it('is folded without changing what it is given', () => {
    const frozen: RunStatus = Object.freeze({ ...initialStatus, activity: Object.freeze([]) })
    const { log } = logOf()
    expect(() => log.reduce(reduceStatus, frozen)).not.toThrow()
  })
})

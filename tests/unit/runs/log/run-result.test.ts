import { describe, expect, it } from 'vitest'
import { RunNotFound } from '../../../../src/errors.ts'
import { type Event, type EventType, event, type Payloads } from '../../../../src/events/index.ts'
import { resultOf, runResult } from '../../../../src/runs/log/result.ts'

const answered: Payloads['run.completed'] = {
  stopReason: 'answered',
  ending: null,
  standaloneQuestion: 'How big is Marble?',
  answer: 'Big. [1]',
  abstained: false,
  confidence: 0.8,
  clarification: null,
  citations: [],
  unsupported: [{ text: 'Blue.', reason: 'it has no quote' }],
  error: null,
}

/** The result of a run with these events after its beginning; each but an agent's belongs to the run's span. */
function resultAfter(...events: readonly (readonly [EventType, object])[]) {
  const origin = { correlationId: 'run-1' }
  const created = event('run.created', { threadId: 't', turn: 2, question: 'How big?', documents: null }, origin)
  const started = event('run.started', { attempt: 1, question: 'How big?', model: 'scripted' }, origin)
  const later = events.map(([type, payload]) => {
    const causationId = type.startsWith('agent.') ? 'another span' : started.id
    return event(type, payload as never, { ...origin, causationId })
  })
  return runResult.parse(resultOf([created, started, ...later] as readonly Event[]))
}

describe('the result of a run', () => {
  it('is what the log says of its completion', () => {
    const { stopReason: _, ...completed } = answered
    expect(resultAfter(['run.completed', answered])).toEqual({
      ...completed,
      candidates: [],
      calculations: [],
      sentences: [],
      highlights: [],
      runId: 'run-1',
      threadId: 't',
      turn: 2,
      status: 'completed',
      question: 'How big?',
      limitedTo: null,
      approvals: [],
      usage: { modelCalls: 0, toolCalls: 0, inputTokens: 0, outputTokens: 0, costUsd: 0 },
      contextPercent: null,
      model: 'scripted',
      durationMs: expect.any(Number),
      traceUrl: null,
      imported: null,
    })
  })

  it('has what the person may choose from where it asked back', () => {
    const clarification = { count: 1, missingContext: ['corpus'], candidates: ['Marble', 'Kinzer'] }
    const asking = ['agent.completed', { nextAgent: '__end__', clarification }] as const
    const asked = { ...answered, stopReason: 'clarification_needed', clarification: 'Which?' }
    expect(resultAfter(asking, ['run.completed', asked]).candidates).toEqual(['Marble', 'Kinzer'])
    expect(resultAfter(asking, ['run.completed', answered]).candidates).toEqual([])
  })

  it.each([
    ['clarification_needed', { stopReason: 'clarification_needed', clarification: 'Which?', confidence: null }],
    ['limit_reached', { stopReason: 'limit_reached', ending: { reason: 'Enough.', limit: 'rounds', value: 1 } }],
  ] as const)('is %s where the run stopped for that', (status, change) => {
    const { stopReason: _, ...shown } = change
    expect(resultAfter(['run.completed', { ...answered, ...change }])).toMatchObject({ status, ...shown })
  })

  it('says what failed, and holds no answer then', () => {
    const failure = { code: 'key_rejected', message: 'No.', recoverable: false }
    const result = resultAfter(['run.failed', failure])
    expect(result).toMatchObject({ status: 'failed', answer: '', confidence: null, citations: [] })
    expect(result.error).toEqual({ code: 'key_rejected', message: 'No.' })
  })

  it('keeps what a run had answered before it failed, beside the error', { tags: ['H3'] }, () => {
    const said = { messageId: 'm', role: 'assistant', scope: 'thread', superseded: false } as const
    const quote = { ...said, text: 'Big. [1]', citations: [], confidence: 0.8, abstained: false }
    const failure = { code: 'hook_failed', message: 'No.', recoverable: false }
    const behind = { ...said, text: 'Ask me more.', added: true }
    expect(
      resultAfter(
        ['message.completed', { ...said, text: 'Small.' }],
        ['message.completed', quote],
        ['message.completed', behind],
        ['run.failed', failure],
      ),
    ).toMatchObject({
      ...{ status: 'failed', answer: 'Big. [1]', confidence: 0.8, abstained: false, clarification: null },
      error: { code: 'hook_failed', message: 'No.' },
    })
    const asked = { nextAgent: 'END', clarification: { count: 1, missingContext: [], candidates: [] } }
    expect(
      resultAfter(
        ['message.completed', { ...said, text: 'Which?' }],
        ['agent.completed', asked],
        ['run.failed', failure],
      ),
    ).toMatchObject({ status: 'failed', answer: 'Which?', confidence: null, clarification: 'Which?' })
  })

  it('lists the approvals that the run waits for', () => {
    const approvals = [{ id: 'c1', name: 'web_search', args: { query: 'x' } }]
    const result = resultAfter(['approval.requested', { approvals }], ['run.interrupted', { reason: 'approval' }])
    expect(result).toMatchObject({ status: 'requires_action', error: null })
    expect(result.approvals).toEqual([{ id: 'c1', tool: 'web_search', args: { query: 'x' } }])
  })

  it('is interrupted while the run has no ending: its process may be gone', () => {
    expect(resultAfter()).toMatchObject({ status: 'interrupted', durationMs: 0 })
    expect(resultAfter(['cancel.requested', { by: 'user' }])).toMatchObject({ status: 'interrupted' })
    expect(resultAfter(['run.interrupted', { reason: 'cancelled' }])).toMatchObject({ status: 'cancelled' })
  })

  it('is refused for a log that begins no run', () => {
    expect(() => resultOf([])).toThrow(RunNotFound)
  })
})

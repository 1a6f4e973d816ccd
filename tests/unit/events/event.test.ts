import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EventInvalid } from '../../../src/errors.ts'
import { type Event, event, parseEvent } from '../../../src/events/index.ts'

const origin = { correlationId: 'run-1' }
const requested = () => event('cancel.requested', { by: 'user' }, origin) as Event

describe('an event', () => {
  it('carries an id of its own, a UTC timestamp, where it comes from, and nothing that its schema does not name', () => {
    const payload = { by: 'user', secret: 'x' }
    const first = event('cancel.requested', payload, { ...origin, causationId: 'span-1', agent: 'research' })
    expect(first).toEqual({
      id: expect.stringMatching(/^[\w-]{22}$/),
      type: 'cancel.requested',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      agent: 'research',
      correlationId: 'run-1',
      causationId: 'span-1',
      payload: { by: 'user' },
    })
    expect(requested().id).not.toBe(first.id)
  })

  it('is refused with a payload that its schema refuses', () => {
    expect(() => event('cancel.requested', { by: 1 } as never, origin)).toThrow(EventInvalid)
    expect(() => event('run.completed', { stopReason: 'bored' } as never, origin)).toThrow(/run\.completed/)
  })

  it('is refused, when read back, for an unknown type, a wrong payload or a broken envelope', { tags: ['E1'] }, () => {
    const stored = JSON.parse(JSON.stringify({ ...requested(), position: 4 })) as Record<string, unknown>
    expect(parseEvent(stored)).toEqual(stored)
    const broken = [
      { ...stored, type: 'cancel.imagined' },
      { ...stored, type: 'constructor' },
      { ...stored, type: '__proto__' },
      { ...stored, payload: {} },
      { ...stored, payload: undefined },
      { ...stored, id: '' },
      { ...stored, correlationId: undefined },
      { ...stored, timestamp: 'yesterday' },
      { ...stored, position: 0 },
      null,
      'cancel.requested',
    ]
    for (const each of broken) expect(() => parseEvent(each), JSON.stringify(each)).toThrow(EventInvalid)
    expect(() => parseEvent({ ...stored, type: 'cancel.imagined' })).toThrow('There is no event type "cancel.imagined"')
  })

  it('reads a field of an older log under its present name', { tags: ['E1'] }, () => {
    const payload = { threadId: 't', turn: 2, question: 'Why?', documents: null }
    const stored = {
      ...event('run.created', payload, { correlationId: 'run-1' }),
      payload: { ...payload, afresh: true },
    }
    expect(parseEvent(stored).payload).toEqual({ ...payload, afterReset: true })
  })

  it('refuses whatever else is handed to it with EventInvalid, never with another error', { tags: ['E1'] }, () => {
    const like = fc.record(
      {
        id: fc.string(),
        type: fc.oneof(fc.string(), fc.constantFrom('run.created', 'tool.completed', 'toString')),
        timestamp: fc.oneof(fc.string(), fc.constant('2026-01-01T00:00:00.000Z')),
        correlationId: fc.string(),
        payload: fc.anything(),
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(fc.oneof(fc.anything(), like), (input) => {
        try {
          parseEvent(input)
        } catch (error) {
          expect(error).toBeInstanceOf(EventInvalid)
        }
      }),
    )
  })
})

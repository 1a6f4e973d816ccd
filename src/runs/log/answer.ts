import type { Event } from '../../events/index.ts'

type Said = Event<'message.completed'>

/** True for what the run's own last agent said to the person. */
export function isAnswer(event: Event): event is Said {
  if (event.type !== 'message.completed') return false
  const { scope, role, added } = event.payload
  return scope === 'thread' && role === 'assistant' && !added
}

/** The answer, or the question back, that counts: the last one, as in the graph's state. */
export function answerIn(log: readonly Event[]): Said | undefined {
  return log.findLast(isAnswer)
}

/** What the person was asked back about; undefined where the run did not ask. */
export function clarificationIn(log: readonly Event[]) {
  const decided = log.findLast((event) => event.type === 'agent.completed' && event.payload.clarification !== undefined)
  return decided?.type === 'agent.completed' ? decided.payload.clarification : undefined
}

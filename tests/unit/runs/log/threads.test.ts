import { expect, it } from 'vitest'
import { type Event, event, type StoredEvent } from '../../../../src/events/index.ts'
import { messagesIn } from '../../../../src/runs/log/threads.ts'

const origin = { correlationId: 'run' }
const said = (role: 'user' | 'assistant', text: string, more: { readonly added?: boolean } = {}) =>
  event(
    'message.completed',
    { messageId: text, role, scope: 'thread', text, superseded: false, ...more },
    origin,
  ) as Event

function textsIn(...events: readonly Event[]): readonly string[] {
  const log = events.map((each, index): StoredEvent => ({ ...each, position: index + 1 }))
  return messagesIn(log).map(({ content }) => content)
}

it('a run that answered, was killed, and answered again has said one thing: the last', { tags: ['R2', 'F51'] }, () => {
  expect(textsIn(said('user', 'Why?'), said('assistant', 'First.'), said('assistant', 'Last.'))).toEqual([
    'Why?',
    'Last.',
  ])
})

it('what a hook added stays beside the answer', { tags: ['R2'] }, () => {
  const added = said('assistant', 'A remark.', { added: true })
  expect(textsIn(said('user', 'Why?'), said('assistant', 'So.'), added)).toEqual(['Why?', 'So.', 'A remark.'])
})

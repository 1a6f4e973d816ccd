import { expect, it } from 'vitest'
import { AlreadyExists, InvalidId, ThreadNotFound, UsageError } from '../../../../src/errors.ts'
import { type Event, event, type StoredEvent } from '../../../../src/events/index.ts'
import { messagesIn } from '../../../../src/runs/log/threads.ts'
import { openQuaero } from '../../../fixtures/workflow.ts'

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

it('a thread that is made before its first question is empty, and is asked like any other', async () => {
  const quaero = await openQuaero()
  const { threads } = quaero
  const { threadId } = await threads.create({ title: ' Pages ', userId: 'ann', metadata: { from: 'test' } })
  expect(await threads.show(threadId)).toMatchObject({ title: 'Pages', turns: 0, userId: 'ann' })
  expect([await threads.exists(threadId), await threads.messages(threadId), await threads.state(threadId)]).toEqual([
    true,
    [],
    {},
  ])
  await expect(threads.create({ threadId })).rejects.toThrow(AlreadyExists)
  await expect(threads.fork(threadId)).rejects.toThrow(UsageError)
  await quaero.ask('How many pages does the Marble corpus hold?', { threadId, messageId: 'mine' })
  expect(await threads.list()).toMatchObject([{ threadId, title: 'Pages', turns: 1, metadata: { from: 'test' } }])
  expect((await threads.messages(threadId)).map(({ messageId }) => messageId)).toEqual(['mine', undefined])
  expect(await quaero.verify()).toMatchObject({ threads: 1, discrepancies: [] })
})

it('a thread is renamed, and has the metadata that was set last', async () => {
  const { threads } = await openQuaero()
  await threads.create({ threadId: 't' })
  await threads.rename('t', 'A name')
  await threads.setMetadata('t', { a: 1 })
  await threads.setMetadata('t', { b: 2 })
  expect(await threads.show('t')).toMatchObject({ title: 'A name', metadata: { b: 2 } })
  await threads.rename('t', null)
  expect(await threads.show('t')).toMatchObject({ title: '', metadata: { b: 2 } })
})

it('what cannot be stated of a thread is refused', async () => {
  const { threads } = await openQuaero()
  await expect(threads.create({ threadId: 'a/b' })).rejects.toThrow(InvalidId)
  await expect(threads.create({ title: ' ' })).rejects.toThrow(UsageError)
  await expect(threads.create({ metadata: { long: 'x'.repeat(20_000) } })).rejects.toThrow(/16,384/)
  await expect(threads.rename('nowhere', 'A name')).rejects.toThrow(ThreadNotFound)
  await threads.create({ threadId: 't' })
  await expect(threads.rename('t', 'x'.repeat(201))).rejects.toThrow(UsageError)
})

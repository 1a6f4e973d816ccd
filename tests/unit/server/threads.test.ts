import { describe, expect, it } from 'vitest'
import { openQuaero } from '../../fixtures/workflow.ts'
import { read, served } from './served.ts'

describe('threads over the API', () => {
  it('are made before their first question, renamed, listed, and called by their question again', async () => {
    const send = await served(await openQuaero())
    const made = await read<{ threadId: string; userId: string }>(send('/api/threads', { body: { title: 'Pages' } }))
    expect(made).toMatchObject({ title: 'Pages', turns: 0, userId: 'alice' })
    const path = `/api/threads/${made.threadId}`
    const question = 'How many pages does the Marble corpus hold?'
    await send('/api/ask', { body: { question, threadId: made.threadId, messageId: 'mine' } })
    const rename = (title: string | null) => read(send(path, { method: 'PATCH', body: { title } }))
    expect(await rename('The corpus')).toMatchObject({ title: 'The corpus', turns: 1 })
    expect(await read(send('/api/threads?search=corpus'))).toMatchObject({ threads: [{ title: 'The corpus' }] })
    expect(await read(send(path))).toMatchObject({ title: 'The corpus', messages: [{ messageId: 'mine' }, {}] })
    expect(await rename(null)).toMatchObject({ title: question })
  })

  it('are refused without a word on how the store names them', { tags: ['S13'] }, async () => {
    const send = await served(await openQuaero())
    await send('/api/threads', { as: 'bob', body: { threadId: 'his' } })
    const asked = (question: string) =>
      send('/api/ask', { as: 'bob', body: { question, threadId: 'his', idempotencyKey: 'once' } })
    await asked('How many pages does the Marble corpus hold?')
    const refused = [
      await send('/api/threads', { as: 'bob', body: { threadId: 'his' } }),
      await send('/threads', { as: 'bob', body: { thread_id: 'his' } }),
      await asked('Who released it?'),
    ]
    expect(refused.map(({ status }) => status)).toEqual([409, 409, 409])
    for (const each of refused) expect(await each.text()).not.toContain('bob_')
  })

  it('are nothing to another user, and refuse what is no title', async () => {
    const send = await served(await openQuaero())
    await send('/api/threads', { body: { threadId: 'hers' } })
    const renamed = (as: 'alice' | 'bob', body: object) => send('/api/threads/hers', { as, method: 'PATCH', body })
    expect((await renamed('bob', { title: 'Mine' })).status).toBe(404)
    // Nor by their place in the store.
    expect((await send('/api/threads/alice_hers')).status).toBe(404)
    expect((await renamed('alice', { title: '' })).status).toBe(400)
    expect((await renamed('alice', {})).status).toBe(400)
    expect((await send('/api/threads', { body: { threadId: 'hers' } })).status).toBe(409)
    expect(await read(send('/api/threads', { as: 'bob', method: 'GET' }))).toMatchObject({ threads: [] })
  })
})

import { describe, expect, it } from 'vitest'
import type { RunResult } from '../../../src/index.ts'
import { rightsIn } from '../../../src/server/access/rights.ts'
import { question } from '../../fixtures/turns.ts'
import { openQuaero } from '../../fixtures/workflow.ts'
import { read, served } from './served.ts'

const script = '<script>alert(1)</script>'

async function asked(options: Parameters<typeof served>[1] = {}) {
  const quaero = await openQuaero()
  const send = await served(quaero, options)
  const { runId } = await read<RunResult>(send('/api/ask', { body: { question, threadId: 'talk' } }))
  const write = (body: unknown, as: 'alice' | 'bob' = 'alice') =>
    send(`/api/runs/${runId}/note`, { as, method: 'PUT', body })
  const result = () => read<RunResult>(send(`/api/runs/${runId}`))
  return { quaero, send, write, result, runId }
}

describe('a note over the API', () => {
  it('is written as its user, stands in the result and in the conversation, and is removed', {
    tags: ['Q21'],
  }, async () => {
    const { send, write, result } = await asked()
    const { note } = await read<{ note: unknown }>(write({ text: script }))
    expect(note).toEqual({ text: script, userId: 'alice', writtenAt: expect.any(String) })
    expect((await result()).note).toEqual(note)
    expect(await read(send('/api/threads/talk'))).toMatchObject({ messages: [{ role: 'user' }, { note }] })
    expect(await read(write({ text: '' }))).toEqual({ note: null })
    expect(await result()).not.toHaveProperty('note')
  })

  it('is refused to another user in the words for a run that is not there', { tags: ['S13'] }, async () => {
    const { send, write, result } = await asked()
    const refused = await write({ text: 'Mine' }, 'bob')
    const unknown = await send('/api/runs/none/note', { method: 'PUT', body: { text: 'Mine' } })
    expect([refused.status, unknown.status]).toEqual([404, 404])
    expect(await refused.text()).toBe(await unknown.text())
    expect(await result()).not.toHaveProperty('note')
  })

  it('is refused where it is too long, or no note, and the one before stays', async () => {
    const { write, result } = await asked()
    await write({ text: 'Seen in print' })
    const refused = [{}, { text: 1 }, { text: 'x'.repeat(4001) }, { text: 'a', userId: 'bob' }, { text: null }]
    for (const body of refused) expect((await write(body)).status).toBe(400)
    expect((await write({ text: 'x'.repeat(10_000_000) })).status).toBe(413)
    expect((await result()).note).toMatchObject({ text: 'Seen in print', userId: 'alice' })
  })

  it('is withheld with its answer, and none is written there', async () => {
    const rights = rightsIn({ collections: { finance: { read: [], write: [] } }, groups: {} })
    const { quaero, send, write, result } = await asked({ rights })
    await write({ text: 'It says 81.1 million.' })
    await quaero.library.tag('marble.md', { add: ['finance'] })
    expect((await result()).answer).toBe('This answer rests on documents that you may not read.')
    expect(await result()).not.toHaveProperty('note')
    expect(await (await send('/api/threads/talk')).text()).not.toContain('81.1')
    expect((await write({ text: 'Again' })).status).toBe(403)
  })
})

import { describe, expect, it } from 'vitest'
import type { RunResult } from '../../../src/index.ts'
import { openQuaero } from '../../fixtures/workflow.ts'
import { read, served } from './served.ts'

const marble = 'How many pages does the Marble corpus hold?'

/** Alice has asked; Bob tries everything with the ids of her run and thread. */
async function twoUsers() {
  const quaero = await openQuaero()
  const send = await served(quaero)
  const { runId, threadId } = await read<RunResult>(send('/api/ask', { body: { question: marble } }))
  return { quaero, send, runId, threadId }
}

describe('what belongs to one user', () => {
  it('is not there for another, on any route, in the same words as what nobody has', async () => {
    const { send, runId, threadId } = await twoUsers()
    const routes = (run: string, thread: string) =>
      [
        ['GET', `/api/runs/${run}`],
        ['GET', `/api/runs/${run}/events`],
        ['GET', `/api/runs/${run}/scores`],
        ['POST', `/api/runs/${run}/cancel`],
        ['POST', `/api/runs/${run}/resume`, '{"answers":{}}'],
        ['POST', `/api/runs/${run}/scores`, '{"name":"good","value":1}'],
        ['GET', `/api/threads/${thread}`],
        ['DELETE', `/api/threads/${thread}`],
        ['POST', `/api/threads/${thread}/fork`, '{}'],
      ] as const
    for (const [method, path, body] of routes(runId, threadId)) {
      const foreign = await send(path, {
        as: 'bob',
        method,
        ...(body && { body, headers: { 'content-type': 'application/json' } }),
      })
      expect([path, foreign.status]).toEqual([path, 404])
    }
    const unknown = await (await send('/api/runs/none', { as: 'bob' })).json()
    expect(await (await send(`/api/runs/${runId}`, { as: 'bob' })).json()).toEqual(unknown)
  })

  it('cannot be reached by naming it with its place in the store', async () => {
    const { send, threadId } = await twoUsers()
    expect((await send(`/api/threads/alice_${threadId}`, { as: 'bob' })).status).toBe(404)
    expect((await send(`/api/threads/alice_${threadId}`)).status).toBe(404)
  })

  it('is not in the lists of another', async () => {
    const { send } = await twoUsers()
    expect(await (await send('/api/runs', { as: 'bob' })).json()).toEqual({ runs: [], next: null })
    expect(await (await send('/api/threads', { as: 'bob' })).json()).toEqual({ threads: [], next: null })
    expect((await read<{ threads: readonly object[] }>(send('/api/threads'))).threads).toHaveLength(1)
  })

  it('stays apart where two users give a thread the same id', async () => {
    const { quaero, send } = await twoUsers()
    const ask = async (as: 'alice' | 'bob') =>
      (await send('/api/ask', { as, body: { question: marble, threadId: 'mine' } })).json() as Promise<RunResult>
    const [alices, bobs] = [await ask('alice'), await ask('bob')]
    expect([alices.threadId, bobs.threadId, alices.turn, bobs.turn]).toEqual(['mine', 'mine', 1, 1])
    expect((await quaero.threads.list()).map(({ threadId }) => threadId)).toEqual(
      expect.arrayContaining(['alice_mine', 'bob_mine']),
    )
  })
})

import { expect, it } from 'vitest'
import { gate, openWorkflow, route } from '../../fixtures/workflow.ts'
import { read, served } from './served.ts'

it('a second question on a thread at work is refused with what can be done', async () => {
  const reply = gate()
  const { quaero } = await openWorkflow({ orchestrator: [{ say: route(), gate: reply.opened }] })
  const send = await served(quaero)
  const first = send('/api/ask', { body: { question: 'How many pages does it hold?', threadId: 't' } })
  await expect.poll(async () => (await read<{ runs: readonly unknown[] }>(send('/api/runs'))).runs).toHaveLength(1)
  const second = await send('/api/ask', { body: { question: 'And when?', threadId: 't' } })
  const { error } = (await second.json()) as { readonly error: { readonly code: string; readonly message: string } }
  expect([second.status, error.code]).toEqual([409, 'thread_busy'])
  expect(error.message).toMatch(/Wait until it ends, cancel it, or ask on another thread/)
  reply.open()
  await (await first).text()
})

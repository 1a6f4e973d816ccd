import { expect, it } from 'vitest'
import type { RunSummary } from '../../../src/index.ts'
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

/** A server for two runs at a time, and one that is at work; all are until the gate is opened. */
async function fullServer() {
  const reply = gate()
  const { quaero } = await openWorkflow({ orchestrator: Array(3).fill({ say: route(), gate: reply.opened }) })
  const send = await served(quaero, { runs: { perUser: 2, inAll: 2 }, lineMs: 1 })
  const body = { question: 'How many pages does it hold?', threadId: 't', idempotencyKey: 'once' }
  const ask = () => send('/api/ask', { body, headers: { accept: 'text/event-stream' } })
  const runs = async () => (await read<{ runs: readonly RunSummary[] }>(send('/api/runs'))).runs
  return { reply, send, ask, runs, first: await ask() }
}

it('a run at work is said to be at work, in the list and by itself', async () => {
  const { reply, send, runs, first } = await fullServer()
  await expect.poll(async () => (await runs())[0]?.status).toBe('running')
  const [listed] = await runs()
  const alone = await read<{ status: string }>(send(`/api/runs/${listed?.runId}`))
  expect(alone.status).toBe('running')
  reply.open()
  await first.text()
  expect((await read<{ status: string }>(send(`/api/runs/${listed?.runId}`))).status).toBe('completed')
})

it('the repeats of a request share its place among the runs at work', async () => {
  const { reply, send, ask, runs, first } = await fullServer()
  const repeats = await Promise.all(Array.from({ length: 5 }, ask))
  expect([first, ...repeats].map(({ status }) => status)).toEqual(Array(6).fill(200))
  const other = await send('/api/ask', {
    body: { question: 'What is marble?' },
    headers: { accept: 'text/event-stream' },
  })
  expect([other.status, (await runs()).length]).toEqual([200, 2])
  reply.open()
  await Promise.all([first, ...repeats, other].map((each) => each.text()))
})

it('a batch of runs of which one is refused leaves none at work', async () => {
  const { reply, send, runs, first } = await fullServer()
  const input = { messages: [{ type: 'human', content: 'What is marble?' }] }
  const refused = await send('/runs/batch', { body: Array(3).fill({ assistant_id: 'quaero', input }) })
  expect(refused.status).toBe(429)
  const others = async () => (await runs()).filter(({ threadId }) => threadId !== 't').map(({ status }) => status)
  await expect.poll(others).toEqual(['cancelled'])
  reply.open()
  await first.text()
})

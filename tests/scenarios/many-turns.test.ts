import { expect, it } from 'vitest'
import type { Plugin } from '../../src/runs/hooks/lifecycle.ts'
import { folderOf, openQuaero } from '../fixtures/workflow.ts'
import { stubAgents } from '../unit/graph/stub-agent.ts'

const question = 'How many pages does the Marble corpus hold?'

it('a thread holds 2, 4, 6 messages after 1, 2, 3 turns: no tool messages, no doubles', { tags: ['R2'] }, async () => {
  const quaero = await openQuaero()
  for (const turn of [1, 2, 3]) {
    const result = await quaero.ask(`${question} Say it for the ${turn}. time.`, { threadId: 't1' })
    expect(result).toMatchObject({ turn, status: 'completed' })
    const transcript = await quaero.threads.messages('t1')
    expect(transcript.map(({ role }) => role)).toEqual(Array(turn).fill(['user', 'assistant']).flat())
    expect(new Set(transcript.map(({ runId }) => runId)).size).toBe(turn)
    const { messages } = await quaero.threads.state('t1')
    expect(messages).toHaveLength(2 * turn)
    expect((messages as readonly { readonly text: string }[]).map(({ text }) => text)).toEqual(
      transcript.map(({ content }) => content),
    )
  }
})

it('keeps the whole transcript of 300 turns, and no more checkpoints than one turn leaves', {
  tags: ['slow'],
}, async () => {
  const quaero = await openQuaero({ agents: stubAgents() })
  const after: number[] = []
  for (let turn = 1; turn <= 300; turn += 1) {
    await quaero.ask(`Question ${turn}`, { threadId: 't1' })
    if (turn % 100 === 0) after.push((await quaero.report()).rows.checkpoints ?? 0)
  }
  for (const checkpoints of after) expect(checkpoints).toBeLessThanOrEqual(10)
  expect(new Set(after).size).toBe(1)
  const { rows } = await quaero.report()
  expect(rows).toMatchObject({ runs: 300, leases: 0 })
  expect(rows.writes).toBeLessThanOrEqual(10)
  const { messages } = await quaero.threads.state('t1')
  expect((messages as readonly { readonly text: string }[]).at(-1)?.text).toBe('Question 300')
  expect(messages).toHaveLength(20)
  expect((await quaero.threads.messages('t1')).map(({ content }) => content)).toContain('Question 1')
})

it('turn 70 of a thread stores as much as turn 40, and sends as much to the model as turn 10', {
  tags: ['slow', 'Q7'],
  timeout: 240_000,
}, async () => {
  const sent: number[] = []
  const counter: Plugin = {
    name: 'counter',
    beforeModel: ({ messages }) => {
      const characters = messages.reduce((sum, { text }) => sum + text.length, 0)
      sent.push((sent.pop() ?? 0) + characters)
    },
  }
  const quaero = await openQuaero({ hooks: counter, documents: [await folderOf()] })
  const stored = [0]
  for (let turn = 1; turn <= 70; turn += 1) {
    sent.push(0)
    await quaero.ask(question, { threadId: 't1' })
    stored.push((await quaero.report()).bytes)
  }
  const storedIn = (from: number, to: number) => ((stored[to] ?? 0) - (stored[from] ?? 0)) / (to - from)
  expect(storedIn(50, 70)).toBeGreaterThan(0)
  expect(storedIn(50, 70)).toBeLessThanOrEqual(1.2 * storedIn(20, 40))
  expect(sent[9]).toBeGreaterThan(0)
  expect(sent.at(-1)).toBeLessThanOrEqual(1.2 * (sent[9] ?? 0))
})

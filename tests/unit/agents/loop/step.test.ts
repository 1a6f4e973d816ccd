import { HumanMessage } from '@langchain/core/messages'
import { expect, it, onTestFinished } from 'vitest'
import { converse } from '../../../../src/agents/loop/model-call.ts'
import { type Event, event, Subscribers } from '../../../../src/events/index.ts'
import { scriptedModel } from '../../../../src/models/scripted.ts'
import { renderPrompt } from '../../../../src/prompts.ts'
import { Attempt } from '../../../../src/runs/attempt.ts'
import { openSqliteStorage } from '../../../../src/storage/sqlite/sqlite-storage.ts'
import { outcome } from '../../runs/attempt/outcome.ts'
import { chatOf, inGraph, promptOf } from '../in-graph.ts'

it('a model call is stored before its agent goes on, whatever that does next', async () => {
  const storage = await openSqliteStorage({ path: ':memory:' })
  onTestFinished(() => storage.close())
  const asked = { threadId: 't', turn: 1, question: 'q', documents: null }
  const created = event('run.created', asked, { correlationId: 'run-1' }) as Event
  await storage.events.append(created)
  const stored: string[] = []
  const audience = new Subscribers([({ type }) => void stored.push(type)], () => {})
  const attempt = new Attempt({ storage, hooks: () => [], audience }, { model: 'm', log: [created] })
  await attempt.run(async (context) => {
    await inGraph(async () => {
      await converse(context, {
        chat: chatOf(scriptedModel(['Yes.'])),
        messages: [new HumanMessage('Is it?')],
        agentTask: { agent: 'research', question: 'q' },
        prompt: renderPrompt(promptOf(), {}),
        temperature: null,
        scope: 'scratch',
      })
      // A subscriber is told of what is stored.
      expect(stored.at(-1)).toBe('model.completed')
    }, context)
    return outcome
  })
})

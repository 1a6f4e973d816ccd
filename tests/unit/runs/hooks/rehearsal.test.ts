import { createServer } from 'node:http'
import { HumanMessage } from '@langchain/core/messages'
import { expect, it, onTestFinished } from 'vitest'
import { type Event, type Result, silentContext } from '../../../../src/events/index.ts'
import { scriptedModel } from '../../../../src/models/scripted.ts'
import { rehearsal } from '../../../../src/runs/hooks/rehearsal.ts'
import { gate } from '../../../fixtures/workflow.ts'
import { chatOf } from '../../agents/in-graph.ts'

it('a call is rehearsed once, while the endpoint thinks about the first one, and leaves no trace', async () => {
  const answers: (() => void)[] = []
  const server = createServer((request, response) => {
    request.resume()
    answers.push(() => response.end('Yes.'))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  const rehearsed = scriptedModel(['I see.', 'I see.'])
  const [hooks] = rehearsal({ ...chatOf(scriptedModel([])), rehearsal: () => chatOf(rehearsed) })
  const log: Event[] = []
  const context = { ...silentContext('run-1'), emit: async (event: Event) => void log.push(event) }
  const call = async (ready?: Promise<unknown>) => {
    const next = async () => {
      await ready
      await (await fetch(url, { method: 'POST', body: '{}' })).text()
      // The hook looks at no result.
      return {} as Result<'model'>
    }
    await hooks?.model?.({ model: 'm', messages: 1, input: [new HumanMessage('?')] }, next, context)
  }
  // A request that somebody else makes meanwhile is none of the call.
  const made = gate()
  const first = call(made.opened)
  const foreign = fetch(url, { method: 'POST', body: '{}' })
  await expect.poll(() => answers).toHaveLength(1)
  answers[0]?.()
  await foreign
  expect(rehearsed.heard).toHaveLength(0)
  made.open()
  await expect.poll(() => rehearsed.heard).toHaveLength(1)
  await expect.poll(() => answers).toHaveLength(2)
  answers[1]?.()
  await first
  const second = call()
  await expect.poll(() => answers).toHaveLength(3)
  answers[2]?.()
  await second
  expect(rehearsed.heard).toHaveLength(1)
  expect(log).toEqual([])
})

it('a model that answers by rule has nothing to rehearse', () => {
  expect(rehearsal(chatOf(scriptedModel([]), 'extractive'))).toEqual([])
})

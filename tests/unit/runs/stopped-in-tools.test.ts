import { expect, it } from 'vitest'
import { z } from 'zod'
import { defineTool } from '../../../src/tools/tool.ts'
import { assertValidHistory } from '../../fixtures/openai-endpoint.ts'
import { toWire } from '../../fixtures/valid-history.ts'
import { calls, cited, openWorkflow, route, search } from '../../fixtures/workflow.ts'

const answer = cited('It holds 81.1 million pages.', 'P1', 'holds 81.1 million pages')

it('after a run that ended in its tools a new question is answered on its thread, and then the old one', {
  tags: ['F53'],
}, async () => {
  const stop = new AbortController()
  const pull = defineTool({
    name: 'pull',
    description: 'Pulls the plug, the first time.',
    input: z.object({}),
    run: async () => {
      stop.abort()
      return 'pulled'
    },
  })
  const again = [search('Marble corpus pages'), 'Done.']
  const { quaero, model } = await openWorkflow(
    {
      orchestrator: [route(), route(), route()],
      research: [calls(['pull', {}], ['pdf_retrieval', { query: 'Marble' }]), ...again, ...again],
      synthesis: [answer, answer],
    },
    { tools: [pull] },
  )
  const first = await quaero.ask('How many pages?', { threadId: 't1', signal: stop.signal })
  expect(first.status).toBe('interrupted')
  expect((await quaero.ask('How large is the Marble corpus?', { threadId: 't1' })).status).toBe('completed')
  expect((await quaero.resume(first.runId)).status).toBe('completed')
  const said = await quaero.threads.messages('t1')
  expect(said.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant'])
  for (const heard of model.heard) assertValidHistory(heard.map(toWire))
  expect((await quaero.verify()).discrepancies).toEqual([])
})

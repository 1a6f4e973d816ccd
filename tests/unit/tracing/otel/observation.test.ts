import { expect, it } from 'vitest'
import type { Event } from '../../../../src/events/index.ts'
import { observationOf } from '../../../../src/tracing/otel/observation.ts'

const facts = { question: 'Why?', step: null }

function startOf(model: string): Event {
  return {
    id: 'e1',
    type: 'model.started',
    timestamp: '2026-01-01T00:00:00.000Z',
    correlationId: 'run-1',
    agent: 'research',
    payload: { model, promptId: 'research', messages: 2 },
  }
}

it('a model goes by the bare name that lists of prices know, beside its provider', { tags: ['T6'] }, () => {
  const { name, attributes } = observationOf(startOf('openai:my-model:7b'), facts)
  expect(name).toBe('research')
  expect(attributes).toMatchObject({
    'langfuse.observation.model.name': 'my-model:7b',
    'gen_ai.request.model': 'my-model:7b',
    'gen_ai.provider.name': 'openai',
    'gen_ai.system': 'openai',
  })
})

it('what answers by rule has a name and no provider', { tags: ['T6'] }, () => {
  const { attributes } = observationOf(startOf('extractive'), facts)
  expect(attributes['gen_ai.request.model']).toBe('extractive')
  expect(attributes).not.toHaveProperty(['gen_ai.provider.name'])
})

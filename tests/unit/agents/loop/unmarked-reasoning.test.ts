import { describe, expect, it } from 'vitest'
import { afterReasoning } from '../../../../src/agents/loop/stream-reply.ts'

describe('reasoning whose beginning is not marked', () => {
  it.each([
    ['Let me think.\n</think>\n\nYes.', 'Yes.'],
    ['</think>\nYes.', 'Yes.'],
    ['Let me think.\n</think>', ''],
    ['It ends with </think>, as all do.', 'It ends with </think>, as all do.'],
    ['Between <think> and\n</think>\nit reasons.', 'Between <think> and\n</think>\nit reasons.'],
    ['Yes.', 'Yes.'],
  ])('is no part of the answer: %j', (text, answer) => {
    expect(afterReasoning(text)).toBe(answer)
  })
})

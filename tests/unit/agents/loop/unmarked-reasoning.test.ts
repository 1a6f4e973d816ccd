import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { afterReasoning, reasoningFirst, unfiltered } from '../../../../src/agents/loop/stream-reply.ts'

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

  it('is not shown, however it comes in pieces', () => {
    const text = fc.constantFrom('Hm.\n</think>\n\nYes,\nit does.', 'Yes,\nit </think> does.\n', '</think>\nYes.')
    const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 40 })
    fc.assert(
      fc.property(text, sizes, (whole, lengths) => {
        const filter = reasoningFirst(unfiltered)
        let at = 0
        let shown = ''
        for (const length of lengths) {
          shown += filter.push(whole.slice(at, at + length))
          at += length
        }
        // Only white space that came before the answer may be more.
        expect((shown + filter.flush()).trimStart()).toBe(afterReasoning(whole))
      }),
    )
  })
})

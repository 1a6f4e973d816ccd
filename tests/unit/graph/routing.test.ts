import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { UnknownRoute } from '../../../src/errors.ts'
import { nextNode, routes } from '../../../src/graph/routing.ts'

describe('the next node', () => {
  it.each([
    ['orchestrator', 'clarification', 'clarification'],
    ['orchestrator', 'research', 'research'],
    ['clarification', 'END', '__end__'],
    ['research', 'synthesis', 'synthesis'],
    ['research', 'clarification', 'clarification'],
    ['synthesis', 'END', '__end__'],
    ['synthesis', 'research', 'research'],
  ] as const)('after %s, for "%s", is %s', { tags: ['R4'] }, (agent, nextAgent, node) => {
    expect(nextNode(agent, { nextAgent })).toBe(node)
  })

  it('is refused, with the agent and what it may choose, for any other value', { tags: ['R4'] }, () => {
    expect(() => nextNode('orchestrator', { nextAgent: 'synthesis' })).toThrow(
      'orchestrator set nextAgent to "synthesis", but it can only lead to clarification or research.',
    )
    const agent = fc.constantFrom(...(Object.keys(routes) as (keyof typeof routes)[]))
    const name = fc.oneof(fc.string(), fc.constantFrom('toString', '__proto__', 'constructor', 'end', 'RESEARCH'))
    fc.assert(
      fc.property(agent, name, (from, nextAgent) => {
        fc.pre(!Object.keys(routes[from]).includes(nextAgent))
        expect(() => nextNode(from, { nextAgent })).toThrow(UnknownRoute)
      }),
    )
  })
})

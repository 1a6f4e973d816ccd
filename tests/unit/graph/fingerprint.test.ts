import { Annotation, START, StateGraph } from '@langchain/langgraph'
import { describe, expect, it } from 'vitest'
import { buildGraph, fingerprintOf } from '../../../src/graph/graph.ts'
import { stubAgents } from './stub-agent.ts'

describe('the fingerprint of a graph', () => {
  it('is the same for the same shape, whatever its nodes do', { tags: ['F66'] }, () => {
    expect(fingerprintOf(buildGraph({ agents: stubAgents() }))).toBe(
      fingerprintOf(buildGraph({ agents: stubAgents(), messageWindow: 3 })),
    )
  })

  it.each([
    ['a node', shape(['a', 'c'], [['a', 'c']])],
    [
      'an edge',
      shape(
        ['a', 'b'],
        [
          ['a', 'b'],
          ['b', 'b'],
        ],
      ),
    ],
    ['a channel of the state', shape(['a', 'b'], [['a', 'b']], ['text', 'more'])],
    ['the end of a conditional edge', shape(['a', 'b'], [['a', 'b']], ['text'], ['b'])],
  ])('changes with %s', { tags: ['F66'] }, (_, changed) => {
    expect(fingerprintOf(changed)).not.toBe(fingerprintOf(shape(['a', 'b'], [['a', 'b']])))
  })
})

type Nodes = readonly string[]

/** A graph from the first of the nodes to the others; `maybe` are the ends of a conditional edge from the first. */
function shape(nodes: Nodes, edges: readonly (readonly [string, string])[], channels = ['text'], maybe: Nodes = []) {
  const state = Annotation.Root(Object.fromEntries(channels.map((name) => [name, Annotation<string>()])))
  // The names are data here, which the graph's types cannot follow.
  const graph = new StateGraph(state) as StateGraph<typeof state, unknown, unknown, string>
  for (const name of nodes) graph.addNode(name, () => ({}))
  graph.addEdge(START, nodes[0] ?? '')
  for (const [from, to] of edges) graph.addEdge(from, to)
  if (maybe.length > 0) graph.addConditionalEdges(nodes[0] ?? '', () => maybe[0] ?? '', [...maybe])
  return graph.compile()
}

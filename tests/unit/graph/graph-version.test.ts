import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { buildGraph, graphVersion } from '../../../src/graph/graph.ts'
import { stubAgents } from './stub-agent.ts'

it('the version of the graph stands for these nodes, edges and channels', { tags: ['F66'] }, () => {
  const { builder, channels } = buildGraph({ agents: stubAgents() })
  const ends = Object.entries(builder.branches).map(([from, to]) => [from, Object.values(to).map(({ ends }) => ends)])
  const shape = [Object.keys(builder.nodes), [...builder.edges], ends, Object.keys(channels)]
  const version = createHash('sha256').update(JSON.stringify(shape)).digest('hex').slice(0, 16)
  const remedy = `The graph has changed: set graph_fingerprint in src/graph/graph.ts to '${version}'`
  expect(graphVersion.graph_fingerprint, remedy).toBe(version)
})

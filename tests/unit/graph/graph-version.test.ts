import { expect, it } from 'vitest'
import { buildGraph, graphVersion } from '../../../src/graph/graph.ts'
import { stubAgents } from './stub-agent.ts'

it('the version of the graph stands for these nodes, edges and channels', { tags: ['F66'] }, () => {
  const { builder, channels } = buildGraph({ agents: stubAgents() })
  const ends = Object.entries(builder.branches).map(([from, to]) => [from, Object.values(to).map(({ ends }) => ends)])
  const shape = [Object.keys(builder.nodes), [...builder.edges], ends, Object.keys(channels)]
  // If the shape changes, the version must change too.
  expect({ ...graphVersion, shape }).toMatchInlineSnapshot(`
    {
      "graph_fingerprint": "9a181ab6d4152303",
      "shape": [
        [
          "orchestrator",
          "clarification",
          "research",
          "synthesis",
        ],
        [
          [
            "__start__",
            "orchestrator",
          ],
        ],
        [
          [
            "orchestrator",
            [
              {
                "clarification": "clarification",
                "research": "research",
              },
            ],
          ],
          [
            "clarification",
            [
              {
                "__end__": "__end__",
              },
            ],
          ],
          [
            "research",
            [
              {
                "clarification": "clarification",
                "synthesis": "synthesis",
              },
            ],
          ],
          [
            "synthesis",
            [
              {
                "__end__": "__end__",
                "research": "research",
              },
            ],
          ],
        ],
        [
          "messages",
          "sessionId",
          "runId",
          "nextAgent",
          "lastAgent",
          "clarificationNeeded",
          "clarificationCount",
          "missingContext",
          "standaloneQuestion",
          "context",
          "iteration",
          "finalAnswer",
          "confidenceScore",
          "citations",
          "calculations",
          "unsupported",
          "__start__",
          "__pregel_tasks",
          "branch:to:orchestrator",
          "branch:to:clarification",
          "branch:to:research",
          "branch:to:synthesis",
        ],
      ],
    }
  `)
})

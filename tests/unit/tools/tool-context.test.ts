import type { AIMessage } from '@langchain/core/messages'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ToolEnded } from '../../../src/errors.ts'
import type { Line } from '../../../src/models/scripted.ts'
import { defineTool, type ToolContext } from '../../../src/tools/tool.ts'
import { calls, gate, openWorkflow, route } from '../../fixtures/workflow.ts'

const runs = 40
const specialists = { counter: { description: 'Counts.', tools: ['probe'] } }

/** What a tool sees, read at one moment. */
function read(context: ToolContext) {
  const { runId, threadId, agent, callId, question, iteration } = context
  const [asked] = context.trace()
  return {
    ...{ runId, threadId, agent, callId, question, iteration, previous: context.previousTools },
    asked: asked?.kind === 'user_input' ? asked.text : null,
    printed: String(context).split('\n')[0],
  }
}

interface Sighting {
  readonly n: number
  readonly before: ReturnType<typeof read>
  readonly after: ReturnType<typeof read>
}

/** A tool that looks at its context before and after all calls of all runs are inside it, and keeps it. */
function probing(expected: number) {
  const seen: Sighting[] = []
  const kept: ToolContext[] = []
  const everyone = gate()
  const probe = defineTool({
    name: 'probe',
    description: 'Looks around.',
    input: z.strictObject({ n: z.number() }),
    run: async ({ n }, context) => {
      const before = read(context)
      if (kept.push(context) === expected) everyone.open()
      await everyone.opened
      seen.push({ n, before, after: read(context) })
      return 'seen'
    },
  })
  return { probe, seen, kept }
}

/** A line that makes calls for the number in the first question it hears, and then is done. */
function once(callsFor: (n: number) => AIMessage): Line {
  return (messages) => {
    const [, asked] = messages
    return messages.length === 2 ? callsFor(Number(/number (\d+)/.exec(asked?.text ?? '')?.[1])) : 'Done.'
  }
}

function expected({ n, before }: Sighting, runId: string | undefined) {
  const common = { runId, threadId: `thread-${n}`, asked: `What is number ${n}?`, iteration: 2 }
  const printed = `1.0 asked: What is number ${n}?`
  return before.agent === 'counter'
    ? { ...common, printed, agent: 'counter', question: `Task number ${n}`, previous: ['probe', 'delegate'] }
    : { ...common, printed, agent: 'research', question: `What is number ${n}?`, callId: 'own' }
}

describe('forty runs at once, each with a specialist', () => {
  it('show every tool its own run, thread, agent, question and call, and end each view with its call', {
    tags: ['H6', 'H20'],
  }, async () => {
    const { probe, seen, kept } = probing(2 * runs)
    const script = {
      orchestrator: Array(runs).fill(route()),
      research: Array(2 * runs).fill(
        once((n) =>
          calls(['probe', { n }, 'own'], ['delegate', { specialist: 'counter', task: `Task number ${n}` }, 'hand']),
        ),
      ),
      counter: Array(2 * runs).fill(once((n) => calls(['probe', { n }, 'own']))),
    }
    const { quaero } = await openWorkflow(script, { tools: [probe], settings: { specialists } })
    const results = await Promise.all(
      Array.from({ length: runs }, (_, n) => quaero.ask(`What is number ${n}?`, { threadId: `thread-${n}` })),
    )
    expect(results.map(({ status }) => status)).toEqual(Array(runs).fill('completed'))
    expect(seen).toHaveLength(2 * runs)
    for (const each of seen) {
      expect(each.before).toMatchObject(expected(each, results[each.n]?.runId))
      expect({ ...each.after, previous: [] }).toEqual({ ...each.before, previous: [] })
    }
    const inside = seen.filter(({ before }) => before.agent === 'counter').map(({ before }) => before.callId)
    expect(inside).toEqual(Array(runs).fill(expect.stringMatching(/^own-[0-9a-f]{8}$/)))
    for (const context of kept) expect(() => context.runId).toThrow(ToolEnded)
  })
})

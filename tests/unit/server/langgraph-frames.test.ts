import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { differences, questions, recordSession } from '../../fixtures/langgraph/session.ts'
import { speakingEndpoint, usualLines } from '../../fixtures/speaking-endpoint.ts'
import { openQuaero } from '../../fixtures/workflow.ts'
import { mailTool, served } from './served.ts'

const official = join(import.meta.dirname, '..', '..', 'fixtures', 'langgraph', 'official.json')

/** A server whose model says what the graph of the recording says. */
async function scripted() {
  const endpoint = await speakingEndpoint(
    {},
    {
      instead: ({ messages }, speaker) => {
        if (speaker !== 'research') return undefined
        const said = JSON.stringify(messages)
        if (said.includes(questions.failure))
          return { status: 404, body: { error: { message: 'There is no such model.' } } }
        const replies = messages.filter(({ role }) => role === 'assistant').length
        if (!said.includes(questions.approval) || replies > 1) return undefined
        return replies === 0 ? { toolCalls: [{ name: 'send_mail', args: { to: 'lund' } }] } : usualLines.research[0]
      },
    },
  )
  const settings = {
    endpoint: { baseUrl: endpoint.url },
    tools: { trust: 'careful' as const },
    research: 'thorough' as const,
  }
  return served(await openQuaero({ model: 'openai:test-model', tools: [mailTool()], settings }))
}

/** Fields of LangGraph's server that are not sent here, and why; docs/server.md lists them. */
const notSent: readonly (readonly [RegExp, string])[] = [
  [/tool_call_chunks$/, 'the answer is a whole message, and calls are not written in pieces'],
  [
    /: messages \[\]\.(?:\w*checkpoint_ns|created_by|langgraph_(?!node)\w+|ls_\w+|run_attempt|versions)/,
    'how a graph was run',
  ],
  [/: (?:tools|messages) \S+ \.params\.namespace\[\]$/, 'all is in the root namespace'],
  [/\.params\.data\.run_id$/, 'the id of a model call'],
  [/\.params\.data\.parent_id$|\.?parent_checkpoint\./, 'a turn is one checkpoint, and the first has none before it'],
  [/^graph .*(?:schema|data\.id\[\])/, 'how a graph is written'],
  [/^info /, 'what runs the graph'],
]

describe('what is sent to clients of LangGraph', { timeout: 60_000 }, () => {
  it("has the events of LangGraph's own server in their order, with their fields", { tags: ['slow'] }, async () => {
    const send = await scripted()
    const ours = await recordSession((method, path, body) =>
      send(path, { method, ...(body !== undefined && { body }) }),
    )
    const { missing, order, refusals } = differences(JSON.parse(await readFile(official, 'utf8')), ours)
    const unexplained = missing.filter((field) => !notSent.some(([form]) => form.test(field)))
    expect(unexplained).toEqual([])
    expect(notSent.filter(([form]) => !missing.some((field) => form.test(field)))).toEqual([])
    // The values come before a failure, too.
    expect(order).toEqual(['failure: version 2'])
    // A thread begins with its first question.
    expect(refusals).toEqual(['a run on a thread that is not there'])
  })
})

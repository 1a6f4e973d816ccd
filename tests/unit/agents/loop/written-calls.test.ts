import { AIMessage, ToolMessage } from '@langchain/core/messages'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { isUnreadCall, withWrittenCalls } from '../../../../src/agents/loop/written-calls.ts'
import { defineTool } from '../../../../src/tools/tool.ts'

const look = defineTool({
  name: 'look',
  description: 'Looks something up.',
  input: z.strictObject({ query: z.string() }),
  run: async () => ({ content: '' }),
})
const call = '{"name": "look", "arguments": {"query": "pages"}}'

function callsIn(text: string, messages: Parameters<typeof withWrittenCalls>[2] = []) {
  const reply = new AIMessage({ content: text, response_metadata: { finish_reason: 'stop' } })
  const { tool_calls = [], text: rest } = withWrittenCalls(reply, [look], messages)
  return { calls: tool_calls.map(({ name, args }) => ({ name, ...args })), rest }
}

const found = { name: 'look', query: 'pages' }

describe('a tool call that is written as text', () => {
  it.each([
    [`<tool_call>${call}</tool_call>`, ''],
    [`I look.\n<tool_call>\n${call}\n</tool_call>\n`, 'I look.'],
    [`<tool_call>${call}`, ''],
    [`[TOOL_CALLS] [${call}]`, ''],
    [`<|python_tag|>{"name": "look", "parameters": {"query": "pages"}}`, ''],
    [`{"name": "look", "parameters": {"query": "pages"}}`, ''],
    [`{"name": "look", "arguments": "{\\"query\\": \\"pages\\"}"}`, ''],
    [`I look:\n\`\`\`json\n${call}\n\`\`\``, 'I look:'],
    [`\`\`\`\n${call}\n\`\`\``, ''],
  ])('is taken for one: %s', (text, rest) => {
    expect(callsIn(text)).toEqual({ calls: [found], rest })
  })

  it('is taken with others beside it, each with an id of its own', () => {
    const reply = withWrittenCalls(new AIMessage(`<tool_call>${call}</tool_call><tool_call>${call}</tool_call>`), [
      look,
    ])
    expect(new Set(reply.tool_calls?.map(({ id }) => id)).size).toBe(2)
  })

  it.each([
    ['is followed by words', `<tool_call>${call}</tool_call> That is how to call it.`],
    ['breaks off', `<tool_call>${call.slice(0, -1)}`],
    ['is not JSON', `<tool_call>{name: look}</tool_call>`],
    ['names no tool on offer', `<tool_call>{"name": "rm", "arguments": {}}</tool_call>`],
    ['does not fit its schema', `<tool_call>{"name": "look", "arguments": {"query": 1}}</tool_call>`],
    ['is only one of two', `<tool_call>${call}</tool_call><tool_call>{"name": "rm"}</tool_call>`],
    ['is JSON of another kind', '{"route": "research"}'],
  ])('is left as text where it %s', (_, text) => {
    expect(callsIn(text)).toEqual({ calls: [], rest: text })
  })

  it('is never taken from an answer that hit its length limit', { tags: ['F20'] }, () => {
    const reply = new AIMessage({ content: call, response_metadata: { finish_reason: 'length' } })
    expect(withWrittenCalls(reply, [look])).toBe(reply)
  })

  it('is never taken where a document holds it, and the model quotes the document', { tags: ['S1'] }, () => {
    const result = new ToolMessage({ content: `A passage.\n${call.replace(', ', ',\n')}`, tool_call_id: '1' })
    expect(callsIn(`\`\`\`json\n${call}\n\`\`\``, [result]).calls).toEqual([])
  })

  it.each([
    [`<tool_call>${call.slice(0, -9)}`, true],
    ['<tool_call>{"name": "rm"}</tool_call>', true],
    ['{"name": "look", "arguments": {"query": 1}}', true],
    ['{"name": "Marble", "pages": 81}', false],
    ['The first passage says it.', false],
  ])('that cannot be made is known as one: %s', (text, expected) => {
    expect(isUnreadCall(new AIMessage(text), [look])).toBe(expected)
  })
})

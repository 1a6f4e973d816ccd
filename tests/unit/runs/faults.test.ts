import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Event, Quaero, QuaeroOptions } from '../../../src/index.ts'
import { defineTool } from '../../../src/tools/tool.ts'
import type { ChatRequest, EndpointReply } from '../../fixtures/openai-endpoint.ts'
import { type Lines, speakingEndpoint, usualLines } from '../../fixtures/speaking-endpoint.ts'
import { assertValidRequest } from '../../fixtures/valid-history.ts'
import { openQuaero, route } from '../../fixtures/workflow.ts'

const question = 'How many pages does the Marble corpus hold?'
const [searching, done] = usualLines.research
const asking = (...toolCalls: NonNullable<EndpointReply['toolCalls']>): EndpointReply => ({ toolCalls })
const note = defineTool({
  name: 'note',
  description: 'Writes a note.',
  input: z.strictObject({ text: z.string() }),
  run: async ({ text }) => `noted ${text}`,
})

/** The workflow over HTTP, with an endpoint that says these lines; what it was sent is checked by the strictest rules. */
async function atEndpoint(lines: Lines, options: Partial<QuaeroOptions> = {}) {
  const endpoint = await speakingEndpoint(lines)
  const settings = {
    ...options.settings,
    endpoint: { baseUrl: endpoint.url, retries: 0 },
    prices: { 'test-model': { input: 1, output: 1, contextWindow: 1000 } },
  }
  const quaero = await openQuaero({ model: 'openai:test-model', tools: [note], ...options, settings })
  const ask = async (text = question, threadId = 'thread') => {
    const result = await quaero.ask(text, { threadId })
    for (const { messages } of endpoint.requests) assertValidRequest(messages)
    return { result, log: await logOf(quaero, result.runId) }
  }
  return { ask, calls: endpoint.calls, requests: () => endpoint.requests }
}

async function logOf(quaero: Quaero, runId: string): Promise<Event[]> {
  const log = []
  for await (const event of quaero.runs.events(runId)) log.push(event)
  return log
}

const lastOf = ({ messages }: ChatRequest) => String(messages.at(-1)?.content)
const resultsIn = (request: ChatRequest | undefined) =>
  (request?.messages ?? []).filter(({ role }) => role === 'tool').map(({ content }) => String(content))
const answered = { status: 'completed', citations: [{ quote: 'holds 81.1 million pages' }] }

describe('a model that calls tools wrongly', () => {
  it('is told twice that its arguments are not JSON; then the run falls back to its own search', {
    tags: ['F34', 'L3'],
  }, async () => {
    const { ask, calls, requests } = await atEndpoint({ research: asking({ name: 'note', args: '{"text":"a' }) })
    const { result, log } = await ask()
    expect(result).toMatchObject(answered)
    expect(calls()).toEqual(['orchestrator', 'research', 'research', 'research', 'synthesis'])
    const [, , second, third] = requests()
    for (const request of [second, third]) {
      expect(request && lastOf(request)).toMatch(/^Your tool call could not be read \(note: .+\)\. Send it again/)
    }
    expect(result.error).toMatchObject({
      code: 'tool_failed',
      message: expect.stringContaining('3 tool calls in a row'),
    })
    expect(result.usage).toMatchObject({ modelCalls: 5, inputTokens: 500 })
    expect(log.filter(({ type }) => type === 'tool.started')).toMatchObject([{ payload: { tool: 'pdf_retrieval' } }])
  })

  it('gets an error for the unreadable call after the results of the readable ones', { tags: ['F34'] }, async () => {
    const both = asking({ name: 'note', args: { text: 'a' } }, { name: 'note', args: '{"text":' })
    const { ask, requests } = await atEndpoint({ research: [both, searching, done] })
    expect((await ask()).result).toMatchObject({ ...answered, error: null })
    const after = requests()[2]
    expect(resultsIn(after)).toEqual(['noted a'])
    expect(after && lastOf(after)).toMatch(/^Your tool call could not be read \(note: /)
  })

  it('is told what is wrong with arguments of the wrong type, and goes on', { tags: ['F35', 'L3'] }, async () => {
    const wrong = asking({ name: 'note', args: { text: 7 } }, { name: 'note', args: {} })
    const list = asking({ name: 'note', args: [1] })
    const { ask, requests } = await atEndpoint({ research: [wrong, list, searching, done] })
    expect((await ask()).result).toMatchObject({ ...answered, error: null })
    const [, , second, third] = requests()
    expect(resultsIn(second)).toEqual(Array(2).fill(expect.stringMatching(/^Error \(invalid_tool_input\): note: /)))
    expect(third && lastOf(third)).toContain('could not be read')
  })

  it('is told which tools there are, and the run goes on', { tags: ['F36', 'H8'] }, async () => {
    const { ask, requests } = await atEndpoint({ research: [asking({ name: 'fly', args: {} }), searching, done] })
    const { result, log } = await ask()
    expect(result).toMatchObject({ ...answered, error: null })
    expect(resultsIn(requests()[2])).toEqual([
      'Error (unknown_tool): There is no tool "fly". The tools are: pdf_retrieval, read_passages, document_overview, note.',
    ])
    expect(log.filter(({ type }) => type === 'tool.completed')).toMatchObject([
      { payload: { status: 'not_found', errorCode: 'unknown_tool' } },
      { payload: { status: 'success' } },
    ])
  })

  it('has ids of their own for calls whose ids are missing or used twice', { tags: ['F37'] }, async () => {
    const same = (text: string, id: string | null) => ({ name: 'note', args: { text }, id })
    const { ask, requests } = await atEndpoint({
      research: [asking(same('a', 'x'), same('b', 'x'), same('c', null)), asking(same('d', 'x')), searching, done],
    })
    expect((await ask()).result).toMatchObject(answered)
    expect(resultsIn(requests()[3])).toEqual(['noted a', 'noted b', 'noted c', 'noted d'])
  })
})

describe('a tool that fails', () => {
  // The search of the run has this time, too.
  const failing = (run: () => Promise<string>, timeoutSeconds = 60) => ({
    tools: [note, { ...note, name: 'odd', run }],
    settings: { tools: { timeoutSeconds } },
  })
  const odd = { name: 'odd', args: { text: 'a' } }

  it('gives the model an error with a code, and nothing of its own words', { tags: ['F38', 'H8'] }, async () => {
    const secret = '/home/ann/.key sk-12345'
    const { ask, requests } = await atEndpoint(
      { research: [asking(odd), searching, done] },
      failing(() => Promise.reject(new Error(secret))),
    )
    expect((await ask()).result).toMatchObject(answered)
    expect(resultsIn(requests()[2])).toEqual(['Error (tool_failed): odd could not do its work.'])
    expect(JSON.stringify(requests())).not.toContain('sk-12345')
  })

  it('times out, and the loop continues', { tags: ['F39', 'L3'] }, async () => {
    const { ask, requests } = await atEndpoint(
      { research: [asking(odd), searching, done] },
      failing(() => new Promise(() => {}), 0.05),
    )
    const { result, log } = await ask()
    expect(result).toMatchObject(answered)
    expect(resultsIn(requests()[2])).toEqual(['Error (tool_timeout): odd took longer than 0.05 s.'])
    expect(log.filter(({ type }) => type === 'tool.failed')).toMatchObject([{ payload: { code: 'tool_timeout' } }])
  })

  it('leaves the results of the other four of its round, and is stated', { tags: ['F47'] }, async () => {
    const five = [odd, ...['a', 'b', 'c', 'd'].map((text) => ({ name: 'note', args: { text } }))]
    const { ask, requests } = await atEndpoint(
      { research: [asking(...five), searching, done] },
      failing(() => Promise.reject(new Error('no'))),
    )
    const { result, log } = await ask()
    expect(result).toMatchObject(answered)
    expect(resultsIn(requests()[2])).toEqual([
      'Error (tool_failed): odd could not do its work.',
      ...['noted a', 'noted b', 'noted c', 'noted d'],
    ])
    expect(log.find(({ type }) => type === 'round.completed')?.payload).toEqual({ failed: 1 })
  })
})

describe('a loop that does not end by itself', () => {
  it('stops at the third same call running, and answers from what was found', { tags: ['F40', 'L4'] }, async () => {
    const { ask, calls } = await atEndpoint({ research: searching })
    const { result, log } = await ask()
    expect(result).toMatchObject({
      ...answered,
      status: 'limit_reached',
      ending: { limit: 'noProgress', value: 3, reason: 'The same tool call was made 3 times in a row.' },
    })
    expect(calls()).toEqual(['orchestrator', 'research', 'research', 'research', 'synthesis'])
    expect(log.filter(({ type }) => type === 'tool.started')).toHaveLength(2)
  })
})

describe('a decision that cannot be read', () => {
  it('names a route that there is not: it is asked for once more, then the question is researched, and the log says so', {
    tags: ['F44', 'R11'],
  }, async () => {
    const fly = { content: route({ route: 'fly' as 'research' }) }
    const { ask, calls } = await atEndpoint({ orchestrator: fly })
    const { result, log } = await ask()
    expect(result).toMatchObject({ ...answered, error: null })
    expect(calls()).toEqual(['orchestrator', 'orchestrator', 'research', 'research', 'synthesis'])
    expect(log.filter(({ type }) => type === 'notice')).toMatchObject([{ payload: { code: 'routing_invalid' } }])
  })

  it('is asked for once more, with what was wrong with it, and then followed', { tags: ['F45', 'R11'] }, async () => {
    const prose = { content: 'I would ask which corpus is meant.' }
    const clear = { content: route({ route: 'clarification', missingContext: ['which corpus'] }) }
    const { ask, requests } = await atEndpoint({ orchestrator: [prose, clear] })
    const { result, log } = await ask()
    expect(result).toMatchObject({ status: 'clarification_needed', clarification: 'Which corpus do you mean?' })
    expect(requests()[1]?.messages.slice(-2)).toMatchObject([
      { role: 'assistant', content: prose.content },
      {
        role: 'user',
        content: expect.stringContaining('That is not the JSON object asked for: it holds no whole JSON object.'),
      },
    ])
    expect(log.filter(({ type }) => type === 'notice')).toEqual([])
  })
})

describe('a result of 200 KB', () => {
  it('is cut in the middle, names the passages that are missing, and they can be read by that name', {
    tags: ['F46', 'L5', 'H7'],
  }, async () => {
    const observationCharacters = 400
    const { ask, requests } = await atEndpoint(
      { research: [searching, done] },
      { settings: { tools: { observationCharacters } } },
    )
    const { result } = await ask()
    expect(result).toMatchObject({ ...answered, contextPercent: 10 })
    const [seen = ''] = resultsIn(requests()[2])
    const [, ids = ''] =
      /characters left out; call read_passages with "passage" to read what is missing, one of: (.+) …\]/.exec(seen) ??
      []
    const [passage = ''] = ids.split(', ')
    const alone = await atEndpoint({
      research: [asking({ name: 'read_passages', args: { passage, before: 0, after: 0 } }), done],
    })
    await alone.ask()
    expect(resultsIn(alone.requests()[2])[0]).toMatch(new RegExp(`<passage id="${passage}"`))
  })

  it('of a tool without passages says how much is left out, and the model reads no more of it', {
    tags: ['F46'],
  }, async () => {
    const huge = { ...note, run: async () => `begin ${'x'.repeat(200_000)} end` }
    const { ask, requests } = await atEndpoint(
      { research: [asking({ name: 'note', args: { text: 'a' } }), searching, done] },
      { tools: [huge] },
    )
    expect((await ask()).result).toMatchObject(answered)
    const [seen = ''] = resultsIn(requests()[2])
    expect(seen).toMatch(/^begin x+\n\[… 176010 characters left out …\]\nx+ end$/)
  })
})

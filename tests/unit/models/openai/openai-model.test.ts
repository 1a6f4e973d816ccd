import { inspect } from 'node:util'
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { ConfigInvalid } from '../../../../src/errors.ts'
import {
  assertValidHistory,
  type EndpointReply,
  type EndpointScript,
  startEndpoint,
  type TestEndpoint,
} from '../../../fixtures/openai-endpoint.ts'
import { ask, modelOn, question } from './model-call.ts'

const answer: EndpointReply = { content: 'It reaches 87.2 %.' }
const search = {
  type: 'function' as const,
  function: {
    name: 'pdf_retrieval',
    description: 'Searches',
    parameters: z.toJSONSchema(z.object({ query: z.string() })),
  },
}

let endpoint: TestEndpoint
afterEach(() => endpoint?.close())

async function start(script: EndpointScript) {
  endpoint = await startEndpoint(script)
  return modelOn(endpoint)
}

describe('an OpenAI-compatible model', () => {
  it('streams its text as it comes, and its usage', async () => {
    const { model } = await start([answer])
    const texts: string[] = []
    for await (const chunk of await model.stream(question)) texts.push(chunk.text)
    expect(texts.filter(Boolean)).toEqual(['It re', 'aches', ' 87.2', ' %.'])
    expect(endpoint.requests[0]).toMatchObject({ stream: true, stream_options: { include_usage: true } })
  })

  it('answers invoke() in the same way, by streaming', async () => {
    const { model } = await start([answer])
    const reply = await model.invoke(question)
    expect(reply).toBeInstanceOf(AIMessage)
    expect(reply.text).toBe(answer.content)
    expect(reply.response_metadata).toMatchObject({ finish_reason: 'stop' })
    expect(reply).toMatchObject({ usage_metadata: { input_tokens: 100, output_tokens: 10, total_tokens: 110 } })
    expect(endpoint.requests[0]).toMatchObject({ stream: true })
  })

  it('gives every answer an id of its own, whatever the endpoint calls it', async () => {
    const chat = await start(() => answer)
    const ids = [await ask(chat), await ask(chat)].map(({ id }) => id)
    expect(new Set(ids).size).toBe(2)
    expect(ids[0]).toMatch(/^answer-/)
  })

  it('leaves nothing undefined in a reply', async () => {
    const reply = await ask(await start([{ ...answer, toolCalls: [{ name: 'a', args: {} }] }]))
    for (const part of [reply.response_metadata, reply.usage_metadata, reply.additional_kwargs]) {
      expect(JSON.parse(JSON.stringify(part))).toStrictEqual(part)
    }
  })

  it.each(['bound', 'as a call option'])('offers tools to the endpoint (%s)', async (way) => {
    const { model } = await start([{ toolCalls: [{ name: 'pdf_retrieval', args: { query: 'accuracy' } }] }])
    const offered = way === 'bound' ? model.bindTools?.([search]) : model.withConfig({ tools: [search] } as object)
    const reply = (await offered?.invoke(question)) as AIMessage
    expect(endpoint.requests[0]?.tools).toEqual([search])
    expect(reply.tool_calls).toMatchObject([{ name: 'pdf_retrieval', args: { query: 'accuracy' } }])
  })

  it('passes the response format on, and never the task that models by rule read', async () => {
    const chat = await start([{ content: '{"route":"research"}' }])
    const schema = z.toJSONSchema(z.strictObject({ route: z.enum(['research', 'clarification']) }))
    const response_format = { type: 'json_schema', json_schema: { name: 'route', schema, strict: true } }
    await ask(chat, question, { response_format, agentTask: { agent: 'research', question: 'secret task' } })
    expect(endpoint.requests[0]?.response_format).toEqual(response_format)
    expect(JSON.stringify(endpoint.requests)).not.toMatch(/agentTask|secret task/)
  })

  it('sends a temperature where there is one: the call’s, else its own, and none to reasoning models', async () => {
    endpoint = await startEndpoint(() => answer)
    await ask(modelOn(endpoint, { temperature: 0 }))
    await ask(modelOn(endpoint, { temperature: 0 }), question, { temperature: 0.5 })
    await ask(modelOn(endpoint))
    await ask(modelOn(endpoint, { model: 'gpt-5-mini', temperature: 0 }), question, { temperature: 0.5 })
    expect(endpoint.requests.map(({ temperature }) => temperature)).toEqual([0, 0.5, undefined, undefined])
  })

  it('needs no key for a server that asks for none', async () => {
    endpoint = await startEndpoint([answer])
    vi.stubEnv('OPENAI_API_KEY', 'sk-from-the-environment')
    await ask(modelOn(endpoint, { apiKey: null }))
    vi.unstubAllEnvs()
    expect(endpoint.journal[0]?.headers.authorization).toBeUndefined()
  })

  it('keeps the path and the query of its base URL', async () => {
    endpoint = await startEndpoint([answer])
    await ask(modelOn({ url: `${endpoint.url}/deployments/a/?api-version=1` }))
    expect(endpoint.journal[0]?.path).toBe('/v1/deployments/a/chat/completions?api-version=1')
  })

  it('speaks to its endpoint and nobody else, and counts tokens without a tokenizer', async () => {
    endpoint = await startEndpoint(() => ({ ...answer, usage: null }))
    const addressed: string[] = []
    const own = globalThis.fetch
    const fetch: typeof own = (input, init) => {
      const { host } = new URL(input instanceof Request ? input.url : input)
      addressed.push(host)
      return host === endpoint.host ? own(input, init) : Promise.reject(new Error(`No way to ${host}`))
    }
    // LangChain's tokenizer would be fetched by the global function.
    vi.stubGlobal('fetch', fetch)
    const { model } = modelOn(endpoint, { fetch })
    await model.invoke(question)
    await ask({ ...modelOn(endpoint), model })
    expect(await model.getNumTokens('12345678')).toBe(2)
    vi.unstubAllGlobals()
    expect(addressed).toEqual([endpoint.host, endpoint.host])
  })
})

describe('its tool calls', () => {
  it('cut arguments are an invalid call, never one that can run', { tags: ['TRAP19'] }, async () => {
    const calls = [
      { id: 'c1', name: 'read_page', args: '{"path":"/a/b' },
      { id: 'c2', name: 'read_page', args: '["/a"]' },
      { id: 'c3', name: 'read_page', args: { path: '/a' } },
    ]
    const chat = await start(() => ({ content: 'Reading.', toolCalls: calls }))
    for (const reply of [await ask(chat), (await chat.model.invoke(question)) as AIMessage]) {
      expect(reply.tool_calls).toMatchObject([{ id: 'c3', args: { path: '/a' } }])
      expect(reply.invalid_tool_calls).toMatchObject([{ args: '{"path":"/a/b' }, { args: '["/a"]' }])
      expect(reply.additional_kwargs).toEqual({})
    }
  })

  it('repeated ids are re-issued, missing ones made, and none is shared with the history', {
    tags: ['TRAP26'],
  }, async () => {
    const toolCalls = [
      { id: 'c1', name: 'a', args: {} },
      { id: 'c1', name: 'b', args: {} },
      { id: null, name: 'c', args: {} },
    ]
    const chat = await start([{ toolCalls }, { toolCalls }, answer])
    const history: BaseMessage[] = [...question]
    for (let turn = 0; turn < 2; turn++) {
      const reply = (await chat.model.invoke(history)) as AIMessage
      const results = (reply.tool_calls ?? []).map(
        ({ id }) => new ToolMessage({ tool_call_id: id ?? '', content: 'ok' }),
      )
      history.push(reply, ...results)
    }
    await chat.model.invoke(history)
    assertValidHistory(endpoint.requests[2]?.messages ?? [])
    expect(endpoint.requests[2]?.messages).toHaveLength(9)
  })

  it('survive beside text in LangChain’s stream of content blocks', { tags: ['TRAP16'] }, async () => {
    const { model } = await start([{ content: 'Reading.', toolCalls: [{ id: 'c1', name: 'a', args: { x: 1 } }] }])
    const reply = await model.streamEvents(question, { version: 'v3' } as never)
    expect(await reply).toMatchObject({
      content: [
        { type: 'text', text: 'Reading.' },
        { type: 'tool_call', id: 'c1' },
      ],
    })
  })
})

describe('the key', () => {
  it('is in the Authorization header and nowhere else', { tags: ['S15'] }, async () => {
    endpoint = await startEndpoint([
      answer,
      { status: 401, body: { error: { message: 'Incorrect API key provided: sk-canary-7f3a' } } },
    ])
    const chat = modelOn(endpoint)
    const seen: unknown[] = []
    const callbacks = [
      {
        handleChatModelStart: (...all: unknown[]) => void seen.push(all),
        handleLLMNewToken: (...all: unknown[]) => void seen.push(all),
        handleLLMEnd: (...all: unknown[]) => void seen.push(all),
        handleLLMError: (...all: unknown[]) => void seen.push(all),
      },
    ]
    const reply = await ask(chat, question, { callbacks })
    const error = await ask(chat, question, { callbacks }).catch((error: unknown) => error)
    expect(endpoint.journal[0]?.headers.authorization).toBe('Bearer sk-canary-7f3a')
    const shown = [chat, seen, reply, error].flatMap((each) => [
      inspect(each, { depth: 20, showHidden: true }),
      JSON.stringify(each),
    ])
    expect(seen.length).toBeGreaterThan(3)
    expect(shown.join('\n')).not.toContain('sk-canary')
    expect(String(error)).toContain('[key]')
  })

  it('is out of the words of a server before they are cut, wherever these end', { tags: ['T10'] }, async () => {
    for (const length of [280, 290, 299]) {
      const message = `${'x'.repeat(length)} sk-canary-7f3a`
      endpoint = await startEndpoint([{ status: 401, body: { error: { message } } }])
      const error = await ask(modelOn(endpoint), question).catch((error: unknown) => error)
      expect(String(error)).not.toContain('sk-')
      await endpoint.close()
    }
  })

  it.each([
    { apiKey: 'sk-canary with a space' },
    { apiKey: 'sk-canary\n' },
    { baseUrl: 'http://me:sk-canary@localhost/v1' },
    { baseUrl: 'sk-canary' },
    { baseUrl: 'file:///sk-canary' },
  ])('is refused where no request can carry it, without being shown (%#)', (options) => {
    const make = () => modelOn({ url: 'http://localhost/v1' }, options)
    expect(make).toThrow(ConfigInvalid)
    expect(make).not.toThrow(/sk-canary/)
  })
})

it('a human message reaches the endpoint as it stands', async () => {
  const chat = await start([answer])
  await ask(chat, [new HumanMessage('What is “F1”?')])
  expect(endpoint.requests[0]?.messages).toEqual([{ role: 'user', content: 'What is “F1”?' }])
})

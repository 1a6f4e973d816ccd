import { HumanMessage } from '@langchain/core/messages'
import { describe, expect, it, onTestFinished } from 'vitest'
import { loadConfig } from '../../../../src/config.ts'
import { rememberAbilities } from '../../../../src/models/port/model.ts'
import { resolveModel } from '../../../../src/models/resolve-model.ts'
import type { Dialect } from '../../../fixtures/dialects/dialect.ts'
import { dialectEndpoint } from '../../../fixtures/dialects/dialect.ts'
import { dialects } from '../../../fixtures/dialects/index.ts'
import { startEndpoint } from '../../../fixtures/openai-endpoint.ts'
import { ask, callWithRetry, modelOn } from './model-call.ts'

/** Asked as the research agent asks, so that the endpoint knows who speaks. */
const research = [new HumanMessage('You gather evidence')]
const synthesis = [new HumanMessage('Your task: answer the question below')]
const tool = { type: 'function', function: { name: 'pdf_retrieval', parameters: { type: 'object', properties: {} } } }
const schema = { type: 'json_schema', json_schema: { name: 'routing', schema: { type: 'object' } } }

describe.each(dialects.map((dialect) => [dialect.name, dialect] as const))('%s', (_, dialect) => {
  it.each([
    ['key', 'key_rejected', {}],
    ['model', 'model_not_found', {}],
    ['context', 'context_too_long', {}],
    ['tools', 'tools_unsupported', { tools: [tool] }],
    ['schema', 'structured_output_unsupported', { response_format: schema }],
  ] as const)('a refusal of the %s is the typed error %s', async (refuses, code, options) => {
    const endpoint = await dialectEndpoint(dialect, { refuses })
    await expect(ask(modelOn(endpoint), research, options)).rejects.toMatchObject({ code })
  })

  it.each(['tools', 'schema'] as const)(
    'what it says of %s means something else where none were asked for',
    async (refuses) => {
      const endpoint = await dialectEndpoint(dialect, { refuses })
      const error = await ask(modelOn(endpoint), research).catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({ code: expect.not.stringMatching(/unsupported/) })
    },
  )

  it('is asked again when it has too much to do', { tags: ['F1'] }, async () => {
    const endpoint = await startEndpoint([dialect.refusals.busy, { content: 'Yes.' }])
    onTestFinished(endpoint.close)
    const { reply, waits, retried } = await callWithRetry(modelOn(endpoint))
    expect(reply?.text).toBe('Yes.')
    expect(retried[0]?.code).toMatch(/^(rate_limited|endpoint_unavailable)$/)
    // As long as it asks for; a second where it does not say.
    expect(waits).toEqual([asksToWait(dialect)])
  })

  it('tells no usage and gives no ids, which is no usage and new ids', { tags: ['F32', 'F37'] }, async () => {
    const calls = [
      { name: 'pdf_retrieval', args: { query: 'one' } },
      { name: 'pdf_retrieval', args: { query: 'two' } },
    ]
    const endpoint = await dialectEndpoint(dialect, { terse: true, lines: { research: { toolCalls: calls } } })
    const { tool_calls = [], usage_metadata } = await ask(modelOn(endpoint), research, { tools: [tool] })
    expect(usage_metadata).toBeUndefined()
    expect(tool_calls.map(({ args }) => args)).toEqual([{ query: 'one' }, { query: 'two' }])
    expect(new Set(tool_calls.map(({ id }) => id)).size).toBe(2)
    expect(tool_calls.every(({ id }) => id)).toBe(true)
  })

  it('counts what it says it has used', async () => {
    const endpoint = await dialectEndpoint(dialect)
    const { usage_metadata } = await ask(modelOn(endpoint), synthesis)
    expect(usage_metadata).toMatchObject({ input_tokens: 100, output_tokens: 10 })
  })

  it.each([
    ['a field of its own', { reasoning: 'Let me think.' }, ''],
    ['marks before the answer', {}, '<think>\nLet me think. </thin\n</think>\n\n'],
    ['marks of Mistral’s', {}, '[THINK]Let me think.[/THINK]'],
    ['two blocks', {}, '\n<think>One</think>\n<think>Two</think>\n'],
  ])('keeps reasoning in %s out of the answer and its pieces', async (_place, options, marks) => {
    const lines = { synthesis: { content: `${marks}It holds <think> 81 pages.` } }
    const endpoint = await dialectEndpoint(dialect, { ...options, lines })
    const deltas: string[] = []
    for await (const { text } of await modelOn(endpoint).model.stream(synthesis)) deltas.push(text)
    expect(deltas.join('')).toBe('It holds <think> 81 pages.')
  })
})

it('reasoning that never comes to an end is no answer', async () => {
  const endpoint = await startEndpoint([{ content: '<think>Let me think', finishReason: 'stop' }])
  onTestFinished(endpoint.close)
  await expect(ask(modelOn(endpoint))).rejects.toMatchObject({ code: 'endpoint_incompatible' })
})

it.each(['<', '<thin', ' [TH', '<thanks>'])('the beginning of a mark that is none is text: %s', async (content) => {
  const endpoint = await startEndpoint([{ content }])
  onTestFinished(endpoint.close)
  expect((await ask(modelOn(endpoint))).text).toBe(content)
})

it('Azure: a question that its filter refuses is said to be refused', async () => {
  const body = {
    error: {
      message: "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
      type: null,
      param: 'prompt',
      code: 'content_filter',
      status: 400,
      innererror: { code: 'ResponsibleAIPolicyViolation', content_filter_result: { jailbreak: { detected: true } } },
    },
  }
  const endpoint = await startEndpoint([{ status: 400, body }])
  onTestFinished(endpoint.close)
  await expect(ask(modelOn(endpoint))).rejects.toMatchObject({
    code: 'content_filtered',
    message: expect.stringContaining('refused the request: its content filter objects'),
  })
})

it('Azure: the gateway’s own form of a rejected key is one', async () => {
  const body = { statusCode: 401, message: 'Unauthorized. Access token is missing, invalid or expired.' }
  const endpoint = await startEndpoint([{ status: 401, body }])
  onTestFinished(endpoint.close)
  await expect(ask(modelOn(endpoint))).rejects.toMatchObject({
    code: 'key_rejected',
    message: expect.stringContaining('Access token is missing'),
  })
})

it('an endpoint that does not know how usage is asked for is asked without, from then on', {
  tags: ['F32'],
}, async () => {
  const endpoint = await startEndpoint(({ stream_options }) =>
    stream_options
      ? { status: 400, body: { error: { message: 'Unrecognized request argument supplied: stream_options' } } }
      : { content: 'Yes.', usage: null },
  )
  onTestFinished(endpoint.close)
  const chat = modelOn(endpoint)
  const { reply, waits } = await callWithRetry(chat, { retries: 0 })
  expect(reply?.text).toBe('Yes.')
  expect(reply?.usage_metadata).toBeUndefined()
  expect(waits).toEqual([])
  await ask(chat)
  expect(endpoint.requests.map(({ stream_options }) => stream_options !== undefined)).toEqual([true, false, false])
})

it('what one agent has learnt of the counting holds for all that ask the same model', { tags: ['F32'] }, async () => {
  const endpoint = await startEndpoint(({ stream_options }) =>
    stream_options
      ? { status: 400, body: { error: { message: 'Unknown field: stream_options' } } }
      : { content: 'Yes.' },
  )
  onTestFinished(endpoint.close)
  const config = loadConfig({ env: { OPENAI_BASE_URL: endpoint.url } })
  const abilities = rememberAbilities(config.settings.endpoint)
  const parts = { config, abilities, extractive: () => modelOn(endpoint) }
  const [research, synthesis] = [
    await resolveModel('openai:test-model', { ...parts, agent: 'research' }),
    await resolveModel('openai:test-model', { ...parts, agent: 'synthesis' }),
  ]
  await callWithRetry(research)
  await ask(synthesis)
  expect(endpoint.requests.map(({ stream_options }) => stream_options !== undefined)).toEqual([true, false, false])
})

it('Azure: what stands behind the path of the base URL stays behind it', async () => {
  const endpoint = await startEndpoint([{ content: 'Yes.' }])
  onTestFinished(endpoint.close)
  const url = `http://${endpoint.host}/openai/deployments/gpt/?api-version=2024-10-21`
  await ask(modelOn({ url }))
  expect(endpoint.journal.map(({ path }) => path)).toEqual([
    '/openai/deployments/gpt/chat/completions?api-version=2024-10-21',
  ])
})

function asksToWait({ refusals }: Dialect): number {
  const { headers = {} } = refusals.busy
  const ms = headers['retry-after-ms'] ?? (headers['retry-after'] && Number(headers['retry-after']) * 1000)
  return Number(ms ?? 1000)
}

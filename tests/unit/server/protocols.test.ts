import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { OpenAI } from 'openai'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openQuaero } from '../../fixtures/workflow.ts'
import { eventsIn, served, tokens } from './served.ts'

const marble = 'How many pages does the Marble corpus hold?'

async function sending() {
  return served(await openQuaero())
}

type Send = Awaited<ReturnType<typeof sending>>

/** What a client's own `fetch` does, over the app. */
function fetchOver(send: Send): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init)
    const body = request.method === 'GET' ? undefined : await request.text()
    const headers = Object.fromEntries(request.headers)
    const { method } = request
    return send(new URL(request.url).pathname, { as: null, method, headers, ...(body !== undefined && { body }) })
  }
}

function openai(send: Send, defaultHeaders: Readonly<Record<string, string>> = {}): OpenAI {
  return new OpenAI({
    apiKey: tokens.alice,
    baseURL: 'http://127.0.0.1:7710/v1',
    fetch: fetchOver(send),
    maxRetries: 0,
    defaultHeaders,
  })
}

describe("OpenAI's client", () => {
  it('lists the model, and gets an answer with its footnotes and where they open', async () => {
    const client = openai(await sending())
    expect((await client.models.list()).data.map(({ id }) => id)).toEqual(['quaero'])
    const { choices } = await client.chat.completions.create({
      model: 'quaero',
      messages: [{ role: 'user', content: marble }],
    })
    const { content, annotations = [] } = choices[0]?.message ?? {}
    expect(content).toMatch(/81\.1 million pages[\s\S]*\n\[1\] .*“.*81\.1 million pages/)
    const {
      start_index: start,
      end_index: end,
      url,
    } = annotations[0]?.url_citation ?? { start_index: 0, end_index: 0, url: '' }
    expect(content?.slice(start, end)).toBe('[1]')
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:7710\/#\/source\/[0-9a-f-]{36}\/1$/)
  })

  it('gets the same words as a stream, and continues the conversation that it sends along', async () => {
    const client = openai(await sending())
    const messages = [{ role: 'user' as const, content: marble }]
    const stream = await client.chat.completions.create({
      model: 'quaero',
      messages,
      stream: true,
      stream_options: { include_usage: true },
    })
    let text = ''
    let tokensUsed: number | undefined
    for await (const { choices, usage } of stream) {
      text += choices[0]?.delta.content ?? ''
      tokensUsed ??= usage?.total_tokens
    }
    expect(text).toContain('81.1 million pages')
    expect(tokensUsed).toBe(0)
    const followUp = [
      ...messages,
      { role: 'assistant' as const, content: text },
      { role: 'user' as const, content: 'When was it released?' },
    ]
    const { choices } = await client.chat.completions.create({ model: 'quaero', messages: followUp })
    expect(choices[0]?.message.content).toContain('2021')
  })

  it('names a conversation by a header', async () => {
    const send = await sending()
    const client = openai(send, { 'x-quaero-thread': 'my-chat' })
    await client.chat.completions.create({ model: 'quaero', messages: [{ role: 'user', content: marble }] })
    expect(await (await send('/api/threads/my-chat')).json()).toMatchObject({ threadId: 'my-chat' })
  })

  it('gets a response with annotations, and continues it by its id', async () => {
    const client = openai(await sending())
    const first = await client.responses.create({ model: 'quaero', input: marble })
    expect(first.output_text).toContain('81.1 million pages')
    const next = await client.responses.create({
      model: 'quaero',
      input: 'When was it released?',
      previous_response_id: first.id,
    })
    expect(next.output_text).toContain('2021')
  })

  it('gets an error that it understands', async () => {
    const send = await sending()
    const title = openai(send).chat.completions.create({
      model: 'quaero',
      messages: [{ role: 'user', content: '### Task:\nMake a title' }],
    })
    await expect(title).rejects.toMatchObject({ status: 400, code: 'usage' })
    const stranger = new OpenAI({
      apiKey: 'not-a-token-of-anybody',
      baseURL: 'http://127.0.0.1:7710/v1',
      fetch: fetchOver(send),
      maxRetries: 0,
    })
    await expect(stranger.models.list()).rejects.toMatchObject({ status: 401 })
  })
})

describe('an MCP client', () => {
  async function connected() {
    const send = await sending()
    const client = new Client({ name: 'test', version: '1.0.0' })
    const headers = { authorization: `Bearer ${tokens.alice}` }
    await client.connect(
      new StreamableHTTPClientTransport(new URL('http://127.0.0.1:7710/mcp'), {
        fetch: fetchOver(send),
        requestInit: { headers },
      }),
    )
    onTestFinished(() => client.close())
    return client
  }

  it('asks, and reads the quote on the page that the answer links to', async () => {
    const client = await connected()
    expect((await client.listTools()).tools.map(({ name }) => name).sort()).toEqual([
      'ask',
      'fetch',
      'list_documents',
      'read_passages',
      'search',
    ])
    const result = await client.callTool({ name: 'ask', arguments: { question: marble } })
    const structured = result.structuredContent as {
      answer: string
      citations: readonly { quote: string; start: number; end: number }[]
    }
    expect(structured.answer).toContain('81.1 million pages')
    const link = (result.content as readonly { type: string; uri?: string }[]).find(
      ({ type }) => type === 'resource_link',
    )
    const { contents } = await client.readResource({ uri: link?.uri ?? '' })
    const { quote = '', start, end } = structured.citations[0] ?? {}
    expect(contents[0] && 'text' in contents[0] ? contents[0].text.slice(start, end) : '').toBe(quote)
  })

  it('searches, and fetches the page of what it found', async () => {
    const client = await connected()
    const { structuredContent } = await client.callTool({ name: 'search', arguments: { query: 'Marble corpus' } })
    const [hit] = (structuredContent as { results: readonly { id: string }[] }).results
    const fetched = await client.callTool({ name: 'fetch', arguments: { id: hit?.id } })
    expect(fetched.structuredContent).toMatchObject({
      id: hit?.id,
      text: expect.stringContaining('81.1 million pages'),
    })
  })
})

describe('the stream of the AI SDK', () => {
  it('has the verified text between its start and its sources, and ends with [DONE]', async () => {
    const send = await sending()
    const body = { id: 'chat-1', messages: [{ role: 'user', parts: [{ type: 'text', text: marble }] }] }
    const response = await send('/api/chat', { body })
    expect(response.headers.get('x-vercel-ai-ui-message-stream')).toBe('v1')
    const text = await response.text()
    expect(text.trimEnd()).toMatch(/data: \[DONE\]$/)
    const chunks = eventsIn(text.replace('data: [DONE]', '')).map(
      ({ data }) => data as { type: string; delta?: string },
    )
    expect(chunks[0]?.type).toBe('start')
    expect(chunks.map(({ delta = '' }) => delta).join('')).toContain('81.1 million pages')
    expect(chunks.find(({ type }) => type === 'source-document')).toMatchObject({
      filename: 'marble.md',
      title: expect.any(String),
    })
    expect(chunks.at(-1)).toMatchObject({ type: 'finish', messageMetadata: { threadId: 'chat-1' } })
    expect((await send('/api/chat/chat-1/stream')).status).toBe(204)
  })

  it.each([{}, { id: 'x', messages: [] }, { id: 'x', messages: [{ role: 'assistant', parts: [] }] }])(
    'refuses %j',
    async (body) => {
      expect((await (await sending())('/api/chat', { body })).status).toBe(400)
    },
  )
})

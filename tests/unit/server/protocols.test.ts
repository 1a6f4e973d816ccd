import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { DefaultChatTransport, readUIMessageStream, type UIMessage } from 'ai'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openQuaero } from '../../fixtures/workflow.ts'
import { eventsIn, fetchOver, served, tokens } from './served.ts'

const marble = 'How many pages does the Marble corpus hold?'

async function sending() {
  return served(await openQuaero())
}

describe('an MCP client', { tags: ['S23'] }, () => {
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

  it('is read by its own client, which shows the sources and continues the chat', async () => {
    const transport = new DefaultChatTransport({
      api: 'http://127.0.0.1:7710/api/chat',
      headers: { authorization: `Bearer ${tokens.alice}` },
      fetch: fetchOver(await sending()),
    })
    const messages: UIMessage[] = []
    async function said(text: string): Promise<UIMessage | undefined> {
      messages.push({ id: `question-${messages.length}`, role: 'user', parts: [{ type: 'text', text }] })
      const options = { chatId: 'chat-2', messageId: undefined, abortSignal: undefined }
      const stream = await transport.sendMessages({ ...options, trigger: 'submit-message', messages })
      let last: UIMessage | undefined
      for await (const message of readUIMessageStream({ stream })) last = message
      if (last) messages.push(last)
      return last
    }
    const first = await said(marble)
    expect(first?.parts).toContainEqual(
      expect.objectContaining({ type: 'text', text: expect.stringContaining('81.1 million pages'), state: 'done' }),
    )
    expect(first?.parts).toContainEqual(expect.objectContaining({ type: 'source-document', filename: 'marble.md' }))
    const next = await said('When was it released?')
    expect(next?.parts).toContainEqual(expect.objectContaining({ type: 'text', text: expect.stringContaining('2021') }))
    expect(await transport.reconnectToStream({ chatId: 'chat-2' })).toBeNull()
  })

  it.each([{}, { id: 'x', messages: [] }, { id: 'x', messages: [{ role: 'assistant', parts: [] }] }])(
    'refuses %j',
    async (body) => {
      expect((await (await sending())('/api/chat', { body })).status).toBe(400)
    },
  )
})

import { describe, expect, it } from 'vitest'
import { openQuaero } from '../../fixtures/workflow.ts'
import { clients, mcpOver } from './clients.ts'
import { eventsIn, read, served } from './served.ts'

const marble = 'How many pages does the Marble corpus hold?'
const all = Object.entries(clients)

async function sending() {
  return served(await openQuaero())
}

describe('every protocol', () => {
  it.each(all)('gives its clients the answer, and continues their conversation: %s', async (_, client) => {
    const ask = client(await sending())
    expect((await ask(marble)).text).toContain('81.1 million pages')
    expect((await ask('When was it released?')).text).toContain('2021')
  })

  // Of a tool's answer, clients of MCP get the status alone.
  it.each(all.filter(([name]) => name !== 'MCP'))('tells why a run failed: %s', async (_, client) => {
    const beforeModel = () => {
      throw new Error('no luck')
    }
    const ask = client(await served(await openQuaero({ hooks: { name: 'fragile', beforeModel } })))
    const told = await ask(marble).catch((error: Error) => ({ said: error.message }))
    expect(JSON.stringify(told.said)).toContain('no luck')
  })

  const requests: readonly (readonly [path: string, body: object, problem: string])[] = [
    ['/api/ask', {}, '"question" is missing and must be a text'],
    ['/api/ask', { question: '' }, '"question" must be at least 1 characters long'],
    ['/api/ask', { question: 'Who?', documents: ['/etc/passwd'] }, '"documents" is not known'],
    ['/api/ask', { question: 'Who?', threadId: '../x' }, 'A thread id has 1 to 95 letters'],
    ['/api/ask', { question: 'Who?', documentIds: ['../../etc'] }, 'A document id has 4 to 64 hexadecimal digits'],
    ['/api/ask', { question: 'Who?', approve: 'maybe' }, '"approve" must be "all" or "none" or "ask"'],
    ['/api/chat', {}, '"id" is missing and must be a text'],
    ['/api/chat', { id: 'x', messages: [] }, '"messages" must be at least 1 items long'],
    ['/api/chat', { id: 'x', messages: [{ role: 'assistant', parts: [] }] }, 'The last message holds no question'],
    ['/v1/chat/completions', { messages: 'Who?' }, '"messages" must be a list'],
    ['/v1/chat/completions', { messages: [{ role: 'user', content: 7 }] }, 'a text or a list of parts is needed'],
    ['/v1/responses', { input: 7 }, '"input": a text or a list of messages is needed'],
    ['/runs/wait', { input: { messages: 7 } }, '"input.messages": a message or a list of messages is needed'],
    ['/threads/search', { limit: -1 }, '"limit" must be at least 0'],
    ['/threads/chat/commands', {}, '"method" is missing and must be a text'],
    ['/threads/chat/stream/events', { channels: 7 }, '"channels" must be a list'],
  ]

  it.each(requests)('refuses what it cannot read, in plain words: %s %j', async (path, body, problem) => {
    const refused = await (await sending())(path, { body })
    const said = JSON.stringify(await refused.json()).replaceAll('\\"', '"')
    expect([refused.status, said]).toEqual([400, expect.stringContaining(problem)])
    expect(said).not.toMatch(/Invalid|expected .* received/)
  })
})

describe('a client of MCP', { tags: ['S23'] }, () => {
  it('reads the quote on the page that the answer links to', async () => {
    const client = await mcpOver(await sending())
    const result = await client.callTool({ name: 'ask', arguments: { question: marble } })
    const { citations } = result.structuredContent as { citations: { quote: string; start: number; end: number }[] }
    const links = result.content as readonly { type: string; uri?: string }[]
    const uri = links.find(({ type }) => type === 'resource_link')?.uri ?? ''
    const { contents } = await client.readResource({ uri })
    const { quote = '', start, end } = citations[0] ?? {}
    expect(contents[0] && 'text' in contents[0] ? contents[0].text.slice(start, end) : '').toBe(quote)
  })

  it('is told in plain words what a tool and a page cannot read', async () => {
    const client = await mcpOver(await sending())
    const wrong = await client
      .callTool({ name: 'ask', arguments: { question: 7 } })
      .catch((error: Error) => error.message)
    expect(JSON.stringify(wrong)).toMatch(/question\W+ must be a text/)
    const uri = 'quaero://documents/none/pages/1'
    await expect(client.readResource({ uri })).rejects.toThrow('A document id has 4 to 64 hexadecimal digits.')
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
    const chunks = eventsIn(text.replace('data: [DONE]', '')).map(({ data }) => data as { type: string })
    expect(chunks[0]?.type).toBe('start')
    const sources = chunks.filter(({ type }) => type === 'source-document')
    expect(sources).toEqual([expect.objectContaining({ filename: 'marble.md', title: expect.any(String) })])
    expect(chunks.at(-1)).toMatchObject({ type: 'finish', messageMetadata: { threadId: 'chat-1' } })
    expect((await send('/api/chat/chat-1/stream')).status).toBe(204)
  })
})

describe('a stream of events', () => {
  const question = marble
  const messages = [{ role: 'user', content: question }]
  const streams = {
    '/api/ask': { question },
    '/api/chat': { id: 'chat', messages: [{ role: 'user', parts: [{ type: 'text', text: question }] }] },
    '/v1/chat/completions': { model: 'quaero', stream: true, messages },
    '/v1/responses': { stream: true, input: question },
    '/runs/stream': { assistant_id: 'quaero', input: { messages } },
  }

  it.each(Object.entries(streams))('of %s may be kept and changed by nobody between', async (path, body) => {
    const response = await (await sending())(path, { body, headers: { accept: 'text/event-stream' } })
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': expect.stringContaining('text/event-stream'),
      'cache-control': 'private, no-cache, no-transform',
      'x-accel-buffering': 'no',
    })
    await response.text()
  })

  it('that is asked for with HEAD leaves nothing at work', async () => {
    const send = await sending()
    const { runId, threadId } = await read<{ runId: string; threadId: string }>(
      send('/api/ask', { body: { question } }),
    )
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    const before = timers()
    const threads = `/threads/${threadId}`
    for (const path of [`/api/runs/${runId}/events`, `${threads}/stream`, `${threads}/runs/${runId}/stream`]) {
      const all = await Promise.all(Array.from({ length: 60 }, () => send(path, { method: 'HEAD' })))
      expect([path, new Set(all.map(({ status }) => status))]).toEqual([path, new Set([200])])
    }
    await expect.poll(timers).toBeLessThan(before + 30)
  })
})

import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { describe, expect, it } from 'vitest'
import { quaero, startQuaero } from '../fixtures/command-line.ts'
import { folderOf } from '../fixtures/workflow.ts'

const marble = 'How many pages does the Marble corpus hold?'

type Message = Readonly<Record<string, unknown>>

/** `quaero mcp` in a process of its own, spoken to line by line; `lines` is all that it wrote to stdout. */
async function started() {
  const cwd = await folderOf()
  expect(await quaero(['add', '.'], { cwd })).toMatchObject({ code: 0 })
  const { child, ended } = startQuaero(['mcp'], { cwd, stdinOpen: true })
  const lines: string[] = []
  const replies = createInterface({ input: child.stdout! })
  replies.on('line', (line) => void lines.push(line))
  const write = (message: Message) => child.stdin!.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  let id = 0
  async function request<T>(method: string, params: Message = {}): Promise<T> {
    write({ id: ++id, method, params })
    for (;;) {
      const reply = lines.map((line) => JSON.parse(line)).find((each) => each.id === id)
      if (reply) return (reply.result ?? reply) as T
      await once(replies, 'line')
    }
  }
  const call = async <T>(name: string, words: Message) =>
    (await request<{ readonly structuredContent: T }>('tools/call', { name, arguments: words })).structuredContent
  return { child, ended, lines, write, request, call }
}

async function initialized() {
  const server = await started()
  const clientInfo = { name: 'test', version: '1.0.0' }
  const about = await server.request<Message>('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo,
  })
  server.write({ method: 'notifications/initialized' })
  return { ...server, about }
}

describe('quaero mcp', { timeout: 120_000, tags: ['S23'] }, () => {
  it('answers a line of 30 MB with an error, and goes on', async () => {
    const { child, request, lines } = await initialized()
    const params = { name: 'search', arguments: { query: 'x'.repeat(30_000_000) } }
    for (const message of [
      { jsonrpc: '2.0', id: 'before', method: 'tools/call', params },
      { method: 'tools/call', params, jsonrpc: '2.0', id: 'behind' },
    ])
      child.stdin!.write(`${JSON.stringify(message)}\n`)
    const { tools } = await request<{ readonly tools: readonly unknown[] }>('tools/list')
    expect(tools).toHaveLength(5)
    const refused = lines.map((line) => JSON.parse(line)).filter(({ error }) => error)
    expect(refused.map(({ id, error }) => [id, error.code])).toEqual([
      ['before', -32_600],
      ['behind', -32_600],
    ])
  })

  it('speaks the protocol on stdin and stdout: tools, answers with quotes, pages', async () => {
    const { about, request, call, lines, child, ended } = await initialized()
    expect(about).toMatchObject({ protocolVersion: '2025-11-25', serverInfo: { name: 'quaero' } })
    const { tools } = await request<{ readonly tools: readonly { readonly name: string }[] }>('tools/list')
    expect(tools.map(({ name }) => name).sort()).toEqual(['ask', 'fetch', 'list_documents', 'read_passages', 'search'])

    const first = await call<Answer>('ask', { question: marble })
    expect(first).toMatchObject({ status: 'completed', answer: expect.stringContaining('81.1 million pages') })
    const next = await call<Answer>('ask', { question: 'When was it released?', threadId: first.threadId })
    expect(next.answer).toContain('2021')

    const { results } = await call<{ readonly results: readonly Hit[] }>('search', { query: 'Marble corpus pages' })
    const [hit] = results
    expect(await call('fetch', { id: hit?.id })).toMatchObject({ text: expect.stringContaining('open journals') })
    const { passages } = await call<{ readonly passages: readonly unknown[] }>('read_passages', {
      id: hit?.id,
      after: 1,
    })
    expect(passages).toContainEqual(expect.objectContaining({ id: hit?.id }))

    const { quote, start, end, documentId, page } = first.citations[0]!
    const uri = `quaero://documents/${documentId}/pages/${page}`
    const { contents } = await request<{ readonly contents: readonly { readonly text: string }[] }>('resources/read', {
      uri,
    })
    expect(contents[0]?.text.slice(start, end)).toBe(quote)

    child.stdin!.end()
    expect(await ended).toMatchObject({ code: 0 })
    expect(lines.filter((line) => JSON.parse(line).jsonrpc !== '2.0')).toEqual([])
  })

  it('answers mistakes in the protocol, and goes on', async () => {
    const { request, child, call } = await initialized()
    child.stdin!.write('this is no message\n')
    const mistakes = [
      await request<Message>('tools/call', { name: 'no_such_tool', arguments: {} }),
      await request<Message>('tools/call', { name: 'ask', arguments: { question: 7 } }),
      await request<Message>('tools/call', { name: 'fetch', arguments: { id: 'no such passage' } }),
      await request<Message>('resources/read', { uri: 'quaero://documents/none/pages/1' }),
    ]
    for (const reply of mistakes) expect('error' in reply || reply.isError === true, JSON.stringify(reply)).toBe(true)
    expect(await call<Answer>('ask', { question: marble })).toMatchObject({ status: 'completed' })
  })
})

interface Hit {
  readonly id: string
}

interface Answer {
  readonly threadId: string
  readonly answer: string
  readonly citations: readonly {
    readonly quote: string
    readonly start: number
    readonly end: number
    readonly documentId: string
    readonly page: number
  }[]
}

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { InvalidToolInput, ToolFailed } from '../../../../src/errors.ts'
import type { WebPage } from '../../../../src/library/ingestion/web-page.ts'
import { runTool } from '../../../../src/tools/tool.ts'
import { type SearchProvider, webSearch } from '../../../../src/tools/web/web-search.ts'
import { toolContext } from '../tool-context.ts'

const key = 'tvly-canary-0123456789'
const results = [
  {
    title: 'Accuracy',
    url: 'https://one.example/a?x=1&y=2',
    content: 'The model is accurate.\u001b[31m\u200b  Very.',
    score: 0.9,
  },
  { title: 'Same page', url: 'https://one.example/a?x=1&y=2', content: 'Once is enough.' },
  { title: 'Script', url: 'javascript:alert(1)', content: 'No address of the web.' },
  { title: 'Only a title', url: 'https://two.example/', content: '' },
  { title: null, url: 'https://three.example/', content: null },
  ...[4, 5, 6, 7, 8].map((n) => ({ title: `Page ${n}`, url: `https://n${n}.example/`, content: `Text ${n}` })),
]

interface Heard {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly authorization: string | undefined
  readonly body: string
}

let server: Server
let origin: string
let heard: Heard[]
let reply: (response: ServerResponse) => void

beforeAll(async () => {
  server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
beforeEach(() => {
  heard = []
  reply = (response) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ results }))
})
afterAll(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

describe('web_search', () => {
  it('returns at most five results of Tavily with title, URL and text', { tags: ['R21'] }, async () => {
    const result = await search(tavily(), { maxResults: 9 })
    expect(result.observations).toHaveLength(5)
    expect(result.content).toContain('5 results from the web.')
    expect(result.content).toContain(
      '<passage id="doc1.0" title="Accuracy" url="https://one.example/a?x=1&y=2" score="1.00">\nThe model is accurate. [31m Very.\n</passage>',
    )
    expect(heard).toMatchObject([{ method: 'POST', url: '/search', authorization: `Bearer ${key}` }])
    expect(JSON.parse(heard[0]?.body ?? '')).toEqual({ query: 'model accuracy', max_results: 5 })
  })

  it('returns results of SearXNG, under a path and behind a password too', { tags: ['R21'] }, async () => {
    const { host } = new URL(origin)
    const result = await search({ searxngUrl: `http://me:s3cret@${host}/searx/` })
    expect(result.observations).toHaveLength(3)
    expect(heard).toMatchObject([
      { method: 'GET', url: '/searx/search?q=model+accuracy&format=json', authorization: `Basic ${btoa('me:s3cret')}` },
    ])
    expect(result.content).not.toContain('s3cret')
  })

  it('gives evidence of origin web, whose text is kept for later checks', { tags: ['R18'] }, async () => {
    const stored: WebPage[] = []
    const { observations = [] } = await search(tavily(), { stored })
    expect(stored[0]).toEqual({
      url: 'https://one.example/a?x=1&y=2',
      title: 'Accuracy',
      text: 'The model is accurate. [31m Very.',
    })
    expect(stored[1]).toMatchObject({ title: 'Only a title', text: 'Only a title' })
    for (const [index, { origin: from, documentId, text, start, end, page, source }] of observations.entries()) {
      expect({ from, documentId, page, source }).toEqual({
        from: 'web',
        documentId: `doc${index + 1}`,
        page: 1,
        source: stored[index]?.url,
      })
      expect(stored[index]?.text.slice(start, end)).toBe(text)
    }
  })

  it('says when nothing was found', async () => {
    reply = (response) => response.end('{"results":[]}')
    expect(await search(tavily())).toEqual({
      content: 'The web search for "model accuracy" found nothing.',
      observations: [],
    })
  })

  it.each([
    [401, /status 401; the key was rejected; check TAVILY_API_KEY/],
    [429, /status 429; too many searches/],
    [432, /status 432; the plan's limit/],
    [503, /status 503; the service has a problem/],
    [418, /status 418\.$/],
  ])(
    'says why a search failed with status %i, and never repeats the key',
    { tags: ['R21'] },
    async (status, sentence) => {
      reply = (response) => response.writeHead(status).end(`{"detail":"bad key ${key}"}`)
      await expectFailure(search(tavily()), sentence)
    },
  )

  it('says what a SearXNG that serves no JSON must be told', { tags: ['R21'] }, async () => {
    reply = (response) => response.writeHead(403).end()
    await expectFailure(search({ searxngUrl: origin }), /settings\.yml must list json under search\.formats/)
    await expectFailure(search({ searxngUrl: 'localhost' }), /SEARXNG_URL is not a web address/)
  })

  it.each(['<html>', '{"results":{}}', '', '{"results":[{"title":"no url"}]}'])(
    'does not take %j for results',
    { tags: ['R21'] },
    async (body) => {
      reply = (response) => response.end(body)
      await expectFailure(search(tavily()), /127\.0\.0\.1:\d+ did not answer with search results/)
    },
  )

  it('says when the service cannot be reached, redirects, stalls or says too much', { tags: ['R21'] }, async () => {
    await expectFailure(search({ tavilyApiKey: key, baseUrl: 'http://127.0.0.1:1' }), /could not be reached/)
    reply = (response) => response.writeHead(302, { location: 'https://evil.example/' }).end()
    await expectFailure(search(tavily()), /could not be reached/)
    reply = () => undefined
    await expectFailure(search(tavily(), { timeoutMs: 50 }), /did not finish answering in 0\.05 s/)
    reply = (response) => response.end('x'.repeat(5_000_001))
    await expectFailure(search(tavily()), /sent more than 5 MB/)
  })

  it('stops with the run', async () => {
    reply = () => undefined
    const controller = new AbortController()
    const attempt = search(tavily(), { signal: controller.signal })
    controller.abort(new Error('Stopped by a person'))
    await expect(attempt).rejects.toThrow('Stopped by a person')
  })

  it('refuses an empty query and one of more than 200 characters', async () => {
    await expect(search(tavily(), { query: ' ' })).rejects.toThrow(InvalidToolInput)
    await expect(search(tavily(), { query: 'long '.repeat(50) })).rejects.toThrow('at most 200 characters')
    expect(heard).toEqual([])
  })
})

interface SearchOverrides {
  readonly query?: string
  readonly maxResults?: number
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
  readonly stored?: WebPage[]
}

function search(provider: SearchProvider, overrides: SearchOverrides = {}) {
  const { query = 'model accuracy', maxResults = 3, timeoutMs = 10_000, stored = [] } = overrides
  const { signal } = overrides
  const tool = webSearch({
    provider,
    maxResults,
    timeoutMs,
    store: async (page) => ({ documentId: `doc${stored.push(page)}` }),
  })
  return runTool(tool, { query }, toolContext(signal ? { signal } : {}))
}

function tavily(): SearchProvider {
  return { tavilyApiKey: key, baseUrl: origin }
}

async function expectFailure(attempt: Promise<unknown>, sentence: RegExp): Promise<void> {
  const error = await attempt.then(
    () => null,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(ToolFailed)
  expect((error as Error).message).toMatch(sentence)
  expect(`${(error as Error).stack}`).not.toContain(key)
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let body = ''
  for await (const chunk of request) body += chunk
  heard.push({ method: request.method, url: request.url, authorization: request.headers.authorization, body })
  reply(response)
}

import { describe, expect, it, onTestFinished } from 'vitest'
import type { StreamEvent } from '../../../../src/index.ts'
import { openReranking } from '../../../../src/library/search/reranking.ts'
import { type ChatRequest, type EndpointReply, startEndpoint } from '../../../fixtures/openai-endpoint.ts'
import { openQuaero, openWorkflow, route, search } from '../../../fixtures/workflow.ts'

/** A library of the two papers with a reranker that turns the order round, or does what it is told. */
async function library(
  reply: (request: ChatRequest, n: number) => EndpointReply = reversed,
  reranker: { readonly passages?: number; readonly timeoutSeconds?: number } = {},
) {
  const server = await startEndpoint(reply)
  onTestFinished(server.close)
  const notices: string[] = []
  const events: StreamEvent[] = []
  const searches = [search('million pages'), search('million pages'), 'Found.']
  const { quaero } = await openWorkflow(
    { orchestrator: [route()], research: searches, synthesis: ['<abstain/>'] },
    {
      settings: {
        search: { reranker: { baseUrl: server.url, model: 'judge', ...reranker } },
        prices: { judge: { input: 2, output: 0, contextWindow: null } },
      },
      env: { RERANKER_API_KEY: 'key-of-the-reranker' },
      onNotice: (notice: string) => void notices.push(notice),
      subscribers: [(event: StreamEvent) => void events.push(event)],
    },
  )
  return { quaero, server, notices, events }
}

function documentsOf({ documents }: ChatRequest): readonly unknown[] {
  return Array.isArray(documents) ? documents : []
}

function reversed(request: ChatRequest): EndpointReply {
  const results = documentsOf(request).map((_, index) => ({ index, relevance_score: index }))
  return { json: { results, usage: { total_tokens: 1000 } } }
}

describe('a search with a reranker', () => {
  it('returns its order under the scores of the search, and sends title and section with each passage', async () => {
    const plain = await (await openQuaero()).library.search('million pages')
    const { quaero, server } = await library()
    const hits = await quaero.library.search('million pages')
    expect(hits.map(({ text }) => text)).toEqual(plain.map(({ text }) => text).reverse())
    expect(hits.map(({ score }) => score)).toEqual(plain.map(({ score }) => score).sort((a, b) => b - a))
    expect(documentsOf(server.requests[0] ?? { model: '', messages: [] })[0]).toMatch(/^The (Marble|Halden) .+\n.+\n/)
    expect(server.journal[0]?.headers.authorization).toBe('Bearer key-of-the-reranker')
  })

  it('orders only the best passages, and leaves the others behind them', async () => {
    const plain = await (await openQuaero()).library.search('million pages')
    const { quaero, server } = await library(reversed, { passages: 2 })
    const hits = await quaero.library.search('million pages')
    const [first, second, ...others] = plain.map(({ text }) => text)
    expect(hits.map(({ text }) => text)).toEqual([second, first, ...others])
    expect(documentsOf(server.requests[0] ?? { model: '', messages: [] })).toHaveLength(2)
  })

  it('pays for the same ranking once, and its cost stands in the span of the tool', async () => {
    const { quaero, server, events } = await library()
    await quaero.ask('How many?')
    expect(server.requests).toHaveLength(1)
    const spent = events.flatMap((event) => (event.type === 'tool.completed' ? [event.payload.usage ?? null] : []))
    expect(spent).toEqual([{ inputTokens: 1000, outputTokens: 0, costUsd: 0.002 }, null])
  })

  it.each<readonly [what: string, reply: EndpointReply, words: RegExp]>([
    ['fails', { status: 500 }, /^Passages are not reranked: 500 from 127/],
    ['is silent', { stall: 'before' }, /^Passages are not reranked: the reranker did not answer within 0\.1 s/],
    ['answers nonsense', { json: {} }, /^Passages are not reranked: 127.+ answered without a list of scores/],
  ])('keeps its order with a notice where the reranker %s, and does not ask it again', async (_, reply, words) => {
    const plain = await (await openQuaero()).library.search('million pages')
    const { quaero, server, notices } = await library(() => reply, { timeoutSeconds: 0.1 })
    expect(await quaero.library.search('million pages')).toEqual(plain)
    expect(notices).toEqual([expect.stringMatching(words)])
    await quaero.library.search('Halden filter')
    expect(server.requests).toHaveLength(1)
  })

  it('asks nothing for a single passage', async () => {
    const reranker = { rerank: () => Promise.reject(new Error('asked')) }
    const { rank } = openReranking({ reranker, passages: 30, timeoutMs: 1000, price: null })
    expect(await rank('x', [], {})).toEqual([])
  })
})

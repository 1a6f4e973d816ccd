import { describe, expect, it, onTestFinished } from 'vitest'
import { loadConfig } from '../../../../src/config.ts'
import { rerankEndpoint } from '../../../../src/models/openai/rerank.ts'
import { type EndpointReply, startEndpoint } from '../../../fixtures/openai-endpoint.ts'

const { endpoint } = loadConfig({ env: {} }).settings
const texts = ['ponds', 'ledger', 'marble']

async function rerank(reply: EndpointReply, model: string | null = 'bge-reranker') {
  const server = await startEndpoint([reply])
  onTestFinished(server.close)
  const reranker = rerankEndpoint({ baseUrl: server.url, apiKey: 'key-1', model, endpoint })
  const answer = reranker.rerank('stone?', texts, new AbortController().signal)
  return { answer, server }
}

/** Answers as the servers send them: the third text first, then the first. */
const answers: readonly (readonly [server: string, body: unknown, tokens: number | null])[] = [
  [
    'Jina',
    {
      model: 'jina-reranker-v2',
      object: 'list',
      usage: { total_tokens: 15 },
      results: [
        { index: 2, relevance_score: 0.93 },
        { index: 0, relevance_score: 0.11 },
        { index: 1, relevance_score: 0.02 },
      ],
    },
    15,
  ],
  [
    'Cohere',
    {
      id: '07734bd2',
      results: [
        { index: 2, relevance_score: 0.999 },
        { index: 0, relevance_score: 0.32 },
        { index: 1, relevance_score: 0.3 },
      ],
      meta: { api_version: { version: '2' }, billed_units: { search_units: 1 } },
    },
    null,
  ],
  [
    'vLLM',
    {
      id: 'rerank-1',
      model: 'BAAI/bge-reranker-v2-m3',
      usage: { total_tokens: 56 },
      results: [
        { index: 0, document: { text: 'ponds', multi_modal: null }, relevance_score: -4.1 },
        { index: 1, document: { text: 'ledger', multi_modal: null }, relevance_score: -9 },
        { index: 2, document: { text: 'marble', multi_modal: null }, relevance_score: 3.2 },
      ],
    },
    56,
  ],
]

describe('an endpoint that reranks', () => {
  it.each(answers)('is read as %s answers, and asked for documents', async (_, json, tokens) => {
    const { answer, server } = await rerank({ json })
    expect(await answer).toEqual({ order: [2, 0, 1], tokens })
    expect(server.requests).toEqual([{ model: 'bge-reranker', query: 'stone?', documents: texts }])
    expect(server.journal[0]).toMatchObject({ path: '/v1/rerank', headers: { authorization: 'Bearer key-1' } })
  })

  it('is asked in the form of Text Embeddings Inference where no model is named', async () => {
    const json = [
      { index: 2, score: 0.99 },
      { index: 0, score: 0.1 },
      { index: 1, score: 0.01 },
    ]
    const { answer, server } = await rerank({ json }, null)
    expect(await answer).toEqual({ order: [2, 0, 1], tokens: null })
    expect(server.requests).toEqual([{ query: 'stone?', texts, truncate: true }])
  })

  it.each<readonly [what: string, reply: EndpointReply, code: string]>([
    ['no list', { json: { data: [] } }, 'reranking_invalid'],
    ['a text that was not sent', { json: [{ index: 3, score: 1 }] }, 'reranking_invalid'],
    ['a web page', { html: '<html>' }, 'reranking_invalid'],
    ['a rejected key', { status: 401 }, 'key_rejected'],
  ])('is a failure with %s', async (_, reply, code) => {
    await expect((await rerank(reply)).answer).rejects.toMatchObject({ code })
  })
})

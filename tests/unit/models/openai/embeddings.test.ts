import { describe, expect, it } from 'vitest'
import { loadConfig } from '../../../../src/config.ts'
import { openaiEmbeddings } from '../../../../src/models/openai/embeddings.ts'
import {
  type EmbeddingEndpointOptions,
  embeddingEndpoint,
  embeddingsBody,
} from '../../../fixtures/embedding-endpoint.ts'
import type { EndpointReply } from '../../../fixtures/openai-endpoint.ts'

const key = 'sk-canary-0123456789'
const texts = ['Doctors treat heart attacks.', 'Ponds freeze in winter.', 'Ships sail.']

async function client(
  options: EmbeddingEndpointOptions = {},
  own: { encoding?: 'float' | 'base64'; dimensions?: number | null } = {},
) {
  const endpoint = await embeddingEndpoint(options)
  const settings = { ...loadConfig({ env: {} }).settings.endpoint, headersTimeoutSeconds: 0.2, idleTimeoutSeconds: 0.2 }
  const { embed } = openaiEmbeddings({
    model: 'concepts',
    apiKey: key,
    baseUrl: endpoint.url,
    addressSetting: 'search.embeddings.baseUrl',
    dimensions: null,
    encoding: 'float',
    endpoint: settings,
    ...own,
  })
  return { endpoint, embed }
}

/** Answers the first request so, and all others well. */
const first = (reply: EndpointReply) => ({ faults: (n: number) => (n === 0 ? reply : undefined) })
const always = (reply: EndpointReply) => ({ faults: () => reply })

describe('an embedding model behind an endpoint', () => {
  it.each(['float', 'base64'] as const)(
    'gives vectors of length 1 in the order of the texts, sent as %s',
    async (encoding) => {
      const { embed, endpoint } = await client({}, { encoding })
      const { vectors, tokens } = await embed(texts, { retry: true })
      expect(vectors).toHaveLength(3)
      for (const vector of vectors) expect(dot(vector, vector)).toBeCloseTo(1, 5)
      const [alone] = (await embed(['The physician and the myocardial infarction'], { retry: true })).vectors
      expect(dot(alone!, vectors[0]!)).toBeGreaterThan(dot(alone!, vectors[1]!))
      expect(tokens).toBe(10)
      expect(endpoint.journal[0]).toMatchObject({
        path: '/v1/embeddings',
        headers: { authorization: `Bearer ${key}` },
        body: { model: 'concepts', input: texts, encoding_format: encoding },
      })
      expect(endpoint.requests[0]).not.toHaveProperty('dimensions')
    },
  )

  it('asks for the dimension that is set', async () => {
    const { embed, endpoint } = await client({}, { dimensions: 32 })
    expect((await embed(texts, { retry: true })).vectors[0]).toHaveLength(32)
    expect(endpoint.requests[0]).toMatchObject({ dimensions: 32 })
  })

  it('puts vectors in the order of their numbers, whatever order they come in', async () => {
    const good = embeddingsBody(texts)
    const { embed } = await client(first({ json: { ...good, data: good.data.toReversed() } }))
    const mixed = await embed(texts, { retry: true })
    expect(mixed.vectors).toEqual((await embed(texts, { retry: true })).vectors)
  })

  it('does not know the cost where the endpoint does not say it', async () => {
    const { embed } = await client({ usage: false })
    expect((await embed(texts, { retry: true })).tokens).toBeNull()
  })
})

describe('an answer that does not fit', () => {
  const good = embeddingsBody(texts, { dimensions: 4 })
  const data = good.data.map(({ embedding }, index) => ({ index, embedding }))
  const nan = Buffer.from(Float32Array.from([Number.NaN, 0, 0, 0]).buffer).toString('base64')

  it.each<readonly [what: string, body: unknown, words: string]>([
    ['fewer vectors', { data: data.slice(1) }, '3 texts with 2 vectors'],
    ['more vectors', { data: [...data, data[0]] }, '3 texts with 4 vectors'],
    ['a number twice', { data: [data[0], data[0], data[2]] }, 'text 2 has none'],
    [
      'vectors of two dimensions',
      { data: [data[0], data[1], { index: 2, embedding: [1] }] },
      '1 dimensions instead of 4',
    ],
    ['NaN', { data: [{ index: 0, embedding: nan }, data[1], data[2]] }, 'no finite number'],
    ['a number beyond 32 bits', { data: [{ index: 0, embedding: [1e300, 0, 0, 0] }, data[1], data[2]] }, 'no finite'],
    [
      'null in a vector',
      { data: [{ index: 0, embedding: [null, 0, 0, 0] }, data[1], data[2]] },
      'no vector of numbers',
    ],
    ['an empty vector', { data: [{ index: 0, embedding: [] }, data[1], data[2]] }, 'no vector of numbers'],
    ['a vector of zeros', { data: [{ index: 0, embedding: [0, 0, 0, 0] }, data[1], data[2]] }, 'zeros'],
    ['text that is no base64 of floats', { data: [{ index: 0, embedding: 'abc' }, data[1], data[2]] }, 'no vector'],
    ['no list', { object: 'list' }, 'without a list of vectors'],
  ])('is refused and not paid for again: %s', async (_, json, words) => {
    const { embed, endpoint } = await client(always({ json }))
    await expect(embed(texts, { retry: true })).rejects.toMatchObject({
      code: 'embedding_invalid',
      message: expect.stringContaining(words),
    })
    expect(endpoint.requests).toHaveLength(1)
  })

  it('is refused in another dimension than was asked for', async () => {
    const { embed } = await client(always({ json: { data } }), { dimensions: 8 })
    await expect(embed(texts, { retry: true })).rejects.toThrow('4 dimensions instead of 8')
  })

  it('is refused as a web page', async () => {
    const { embed } = await client(always({ html: '<h1>Log in</h1>' }))
    await expect(embed(texts, { retry: true })).rejects.toThrow('something else than JSON')
  })
})

describe('an endpoint that fails', () => {
  it.each<readonly [what: string, reply: EndpointReply]>([
    ['429', { status: 429, headers: { 'retry-after': '0' } }],
    ['500', { status: 500, headers: { 'retry-after': '0' }, body: { error: { message: 'Oh' } } }],
  ])('is asked again after %s', async (_, reply) => {
    const { embed, endpoint } = await client(first(reply))
    expect((await embed(texts, { retry: true })).vectors).toHaveLength(3)
    expect(endpoint.requests).toHaveLength(2)
  })

  it('is asked again after a connection that is reset in the middle of the answer, and after silence', async () => {
    const raw = JSON.stringify(embeddingsBody(texts))
    const faults = (n: number): EndpointReply | undefined =>
      [{ raw, reset: 'middle' as const }, { stall: 'before' as const }][n]
    const { embed, endpoint } = await client({ faults })
    expect((await embed(texts, { retry: true })).vectors).toHaveLength(3)
    expect(endpoint.requests).toHaveLength(3)
  })

  it.each<readonly [what: string, reply: EndpointReply, code: string]>([
    ['401', { status: 401, body: { error: { message: `Wrong key ${key}` } } }, 'key_rejected'],
    ['404', { status: 404 }, 'model_not_found'],
    ['429 without quota', { status: 429, body: { error: { code: 'insufficient_quota' } } }, 'quota_exhausted'],
  ])('is not asked again after %s', async (_, reply, code) => {
    const { embed, endpoint } = await client(always(reply))
    const failed = await embed(texts, { retry: true }).catch((error: unknown) => error)
    expect(failed).toMatchObject({ code })
    expect(String(failed)).not.toContain('canary')
    expect(endpoint.texts()).toEqual(texts)
    if (code === 'model_not_found') expect(String(failed)).toContain('Choose with search.embeddings.model')
  })

  it('is asked once where nobody can wait', async () => {
    const { embed, endpoint } = await client(always({ status: 503 }))
    await expect(embed(texts, { retry: false })).rejects.toMatchObject({ code: 'endpoint_unavailable' })
    expect(endpoint.requests).toHaveLength(1)
  })

  it('times out where its answer trickles and never ends', async () => {
    const { embed, endpoint } = await client(always({ raw: ' '.repeat(70), drip: true }))
    await expect(embed(texts, { retry: false })).rejects.toMatchObject({
      code: 'endpoint_timeout',
      message: expect.stringContaining('had not ended its answer after 1.2 s'),
    })
    await endpoint.idle()
  })

  it('names the setting that holds its address where it cannot be reached', async () => {
    const { embed, endpoint } = await client()
    await endpoint.close()
    await expect(embed(texts, { retry: false })).rejects.toThrow('Check search.embeddings.baseUrl')
  })

  it('is left at once when the signal says so', async () => {
    const { embed, endpoint } = await client(always({ stall: 'before' }))
    const controller = new AbortController()
    const asked = embed(texts, { retry: true, signal: controller.signal })
    await endpoint.asked(1)
    controller.abort(new Error('stopped'))
    await expect(asked).rejects.toThrow('stopped')
  })
})

describe('texts that are too many or too long', () => {
  it.each<readonly [what: string, reply: EndpointReply]>([
    ['413', { status: 413 }],
    ['OpenAI', { status: 400, body: { error: { message: 'Requested 310000 tokens, max 300000 tokens per request' } } }],
    ['Text Embeddings Inference', { status: 422, body: { error: 'batch size 3 > maximum allowed batch size 1' } }],
    ['llama.cpp', { status: 500, body: { error: { message: 'input is too large to process' } } }],
  ])('are sent in halves, and as many at once from then on (%s)', async (_, reply) => {
    const { embed, endpoint } = await client({ faults: (_, sent) => (sent.length > 1 ? reply : undefined) })
    expect((await embed(texts, { retry: true })).vectors).toHaveLength(1)
    expect((await embed(texts, { retry: true })).vectors).toHaveLength(1)
    expect(endpoint.requests.map(({ input }) => (input as string[]).length)).toEqual([3, 2, 1, 1])
  })

  it('are cut where one alone does not fit, and others are sent together again', async () => {
    const long = 'winter '.repeat(100)
    const tooLong = { status: 400, body: { error: { message: "This model's maximum context length is 100 tokens" } } }
    const { embed, endpoint } = await client({
      faults: (_, sent) => (sent.some(({ length }) => length > 400) ? tooLong : undefined),
    })
    expect((await embed([long, ...texts], { retry: true })).vectors).toHaveLength(1)
    expect((await embed(texts, { retry: true })).vectors).toHaveLength(3)
    expect(endpoint.requests.map(({ input }) => (input as string[]).map(({ length }) => length))).toEqual([
      [700, 28, 23, 11],
      [700, 28],
      [700],
      [350],
      [28, 23, 11],
    ])
  })

  it('are an error where even a short one is refused', async () => {
    const { embed, endpoint } = await client(always({ status: 413 }))
    await expect(embed(['winter '.repeat(60)], { retry: true })).rejects.toMatchObject({ code: 'context_too_long' })
    expect(endpoint.requests).toHaveLength(3)
  })
})

function dot(one: Float32Array, other: Float32Array): number {
  return one.reduce((sum, component, at) => sum + component * (other[at] ?? 0), 0)
}

import { z } from 'zod'
import type { Settings } from '../../config.ts'
import { RerankingInvalid } from '../../errors.ts'
import { openEndpoint } from './endpoint.ts'
import { refusalError } from './endpoint-errors.ts'
import { isSuccess, readRefusal, readShortJson } from './refused-request.ts'

export interface RerankEndpointOptions {
  /** Without `/rerank`, as in `https://api.jina.ai/v1`. */
  readonly baseUrl: string
  /** null for servers that ask for none. */
  readonly apiKey: string | null
  /** null for servers of one model (Text Embeddings Inference), which are asked in their own form. */
  readonly model: string | null
  readonly endpoint: Settings['endpoint']
}

/**
 * The `/rerank` of Jina, Cohere, vLLM or llama.cpp, which take `documents`, or of Text Embeddings Inference, which takes
 * `texts`. Opens no connection yet. Throws `ConfigInvalid` for a base URL or a key that cannot be used.
 */
export function rerankEndpoint({ baseUrl, apiKey, model, endpoint: settings }: RerankEndpointOptions) {
  const endpoint = openEndpoint({ baseUrl, apiKey, settings, addressSetting: 'search.reranker.baseUrl' })
  return {
    async rerank(query: string, texts: readonly string[], signal: AbortSignal) {
      const asked = model === null ? { query, texts, truncate: true } : { model, query, documents: texts }
      const body = JSON.stringify(asked)
      const reply = await endpoint.request('/rerank', { body, signal })
      if (!isSuccess(reply)) {
        const chosenWith = 'search.reranker.model'
        const of = { endpoint, model: model ?? 'reranker', characters: body.length, signal, reply, chosenWith }
        throw refusalError(await readRefusal(of))
      }
      return readRanking(await readShortJson(reply), texts.length, endpoint.host)
    },
  }
}

const position = z.number().int().nonnegative()
const ranking = z.union([
  // Text Embeddings Inference
  z.array(z.object({ index: position, score: z.number() })),
  // Jina, Cohere, vLLM, llama.cpp
  z.object({
    results: z.array(z.object({ index: position, relevance_score: z.number() })),
    usage: z.object({ total_tokens: z.number().int().nonnegative() }).nullish().catch(null),
  }),
])

/** Reads the answer strictly: a score for each text that it names. Throws `RerankingInvalid`. */
function readRanking(body: unknown, count: number, host: string) {
  const { data } = ranking.safeParse(body)
  if (!data) throw new RerankingInvalid(`${host} answered without a list of scores`)
  const scored = Array.isArray(data)
    ? data
    : data.results.map(({ index, relevance_score: score }) => ({ index, score }))
  if (scored.some(({ index }) => index >= count))
    throw new RerankingInvalid(`${host} scored a text that it was not sent`)
  const order = [...scored].sort((a, b) => b.score - a.score).map(({ index }) => index)
  return { order, tokens: Array.isArray(data) ? null : (data.usage?.total_tokens ?? null) }
}

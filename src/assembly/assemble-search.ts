import type { Config } from '../config.ts'
import { credentialsOf } from '../credentials/index.ts'
import { ConfigInvalid } from '../errors.ts'
import {
  type Embedder,
  openReranking,
  openSemanticIndex,
  type Reranker,
  type Reranking,
  type SemanticIndex,
} from '../library/index.ts'
import { localFolder } from '../models/index.ts'
import type { Storage } from '../storage/index.ts'

/** What a search uses beside words, where it is configured. */
export interface Ranking {
  readonly semantic: SemanticIndex | null
  readonly reranking: Reranking | null
}

/** Search by meaning as configured; null where it is off. Nothing is loaded before the first text is to be embedded. */
export function assembleSemanticIndex(config: Config, { library: index, vectors }: Storage): SemanticIndex | null {
  const { search } = config.settings
  const { model, dimensions, passagePrefix, queryPrefix, queryTimeoutSeconds, batch } = search.embeddings
  if (model === null) return null
  const { mask } = credentialsOf(config)
  const embedder = whenUsed(() => embedderFrom(model, config))
  return openSemanticIndex({
    index,
    vectors,
    embedder: { embed: async (texts, options) => (await embedder()).embed(mask(texts), options) },
    recipe: { model, dimensions, prefix: passagePrefix },
    queryPrefix,
    queryTimeoutMs: 1000 * queryTimeoutSeconds,
    batch,
    price: priceOf(model, config),
  })
}

/** Opens with the first use, so that wrong settings do not stop a search by words; anew after a failure, which may be mended. */
function whenUsed<T>(open: () => Promise<T>): () => Promise<T> {
  let opened: Promise<T> | undefined
  return () => {
    opened ??= open().catch((error: unknown) => {
      opened = undefined
      throw error
    })
    return opened
  }
}

async function embedderFrom(model: string, { settings, environment }: Config): Promise<Embedder> {
  const { baseUrl: own, dimensions, encoding } = settings.search.embeddings
  const folder = localFolder(model)
  if (folder !== null) return (await import('../models/local/local-models.ts')).localEmbedder(folder)
  const baseUrl = own ?? settings.endpoint.baseUrl ?? environment.openaiBaseUrl
  const apiKey = environment.openaiApiKey
  if (apiKey === null && baseUrl === null) {
    throw new ConfigInvalid(
      `The embedding model "${model}" needs a key: set OPENAI_API_KEY, or search.embeddings.baseUrl for a server of ` +
        'your own',
    )
  }
  const { openaiEmbeddings } = await import('../models/openai/embeddings.ts')
  return openaiEmbeddings({
    model,
    apiKey,
    baseUrl: baseUrl ?? 'https://api.openai.com/v1',
    addressSetting: own === null ? 'OPENAI_BASE_URL' : 'search.embeddings.baseUrl',
    dimensions,
    encoding,
    endpoint: settings.endpoint,
  })
}

/** The model that embeds the queries of a run, for limits of cost. */
export function embeddingModel({ search, prices }: Config['settings']) {
  const { model } = search.embeddings
  if (model === null || localFolder(model) !== null) return []
  return [{ name: model, price: Object.hasOwn(prices, model) ? prices[model] : null }]
}

/** The second ranking as configured; null where it is off. Nothing is loaded before the first search. */
export function assembleReranking(config: Config): Reranking | null {
  const { baseUrl, model, passages, timeoutSeconds } = config.settings.search.reranker
  if (baseUrl === null && localFolder(model) === null) return null
  const { mask } = credentialsOf(config)
  const reranker = whenUsed(() => rerankerFrom(config))
  return openReranking({
    reranker: { rerank: async (query, texts, signal) => (await reranker()).rerank(mask(query), mask(texts), signal) },
    passages,
    timeoutMs: 1000 * timeoutSeconds,
    price: priceOf(model, config),
  })
}

async function rerankerFrom({ settings, environment }: Config): Promise<Reranker> {
  const { baseUrl, model } = settings.search.reranker
  const folder = localFolder(model)
  if (folder !== null) return (await import('../models/local/local-models.ts')).localReranker(folder)
  if (baseUrl === null) throw new ConfigInvalid('search.reranker.baseUrl is not set')
  const { rerankEndpoint } = await import('../models/openai/rerank.ts')
  return rerankEndpoint({ baseUrl, model, apiKey: environment.rerankerApiKey, endpoint: settings.endpoint })
}

/** The model that reranks in a run, for limits of cost; a server of one model has no price. */
export function rerankingModel(config: Config) {
  const { baseUrl, model } = config.settings.search.reranker
  if (baseUrl === null || localFolder(model) !== null) return []
  return [{ name: model ?? 'the reranker', price: priceOf(model, config) }]
}

/** US dollars per million tokens; null if unknown. */
function priceOf(model: string | null, { settings: { prices } }: Config): number | null {
  return model !== null && Object.hasOwn(prices, model) ? (prices[model]?.input ?? null) : null
}

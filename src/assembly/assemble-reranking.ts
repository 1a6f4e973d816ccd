import type { Config } from '../config.ts'
import { credentialsOf } from '../credentials/credentials.ts'
import type { Reranker } from '../library/port/reranker.ts'
import { openReranking, type Reranking } from '../library/search/reranking.ts'

/** The second ranking as configured; null where it is off. Nothing is loaded before the first search. */
export function assembleReranking(config: Config): Reranking | null {
  const { baseUrl, model, passages, timeoutSeconds } = config.settings.search.reranker
  if (baseUrl === null) return null
  const { mask } = credentialsOf(config)
  let opened: Promise<Reranker> | undefined
  const lazy: Reranker = {
    async rerank(query, texts, signal) {
      opened ??= open(config, baseUrl)
      return (await opened).rerank(mask(query), mask(texts), signal)
    },
  }
  const timeoutMs = 1000 * timeoutSeconds
  return openReranking({
    reranker: lazy,
    passages: passages,
    timeoutMs,
    price: priceOf(model, config),
  })
}

async function open({ settings, environment }: Config, baseUrl: string): Promise<Reranker> {
  const { rerankEndpoint } = await import('../models/openai/rerank.ts')
  const { model } = settings.search.reranker
  return rerankEndpoint({ baseUrl, model, apiKey: environment.rerankerApiKey, endpoint: settings.endpoint })
}

/** The model that reranks in a run, for limits of cost; a server of one model has no price. */
export function rerankingModel(config: Config) {
  const { baseUrl, model } = config.settings.search.reranker
  if (baseUrl === null) return []
  return [{ name: model ?? 'the reranker', price: priceOf(model, config) }]
}

/** US dollars per million tokens; null if unknown. */
function priceOf(model: string | null, { settings: { prices } }: Config): number | null {
  return model !== null && Object.hasOwn(prices, model) ? (prices[model]?.input ?? null) : null
}

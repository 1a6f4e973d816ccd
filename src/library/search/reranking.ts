import { optionalService, remember, type SearchReports, usageOf } from './optional-service.ts'
import type { RankedPassage } from './rank-passages.ts'

/** Orders texts by how well they answer a query. Implemented by a model. */
export interface Reranker {
  /** The positions of the texts, best first. Rejects with a `QuaeroError`, or with the signal's reason. */
  readonly rerank: (query: string, texts: readonly string[], signal: AbortSignal) => Promise<Reranked>
}

export interface Reranked {
  readonly order: readonly number[]
  /** What it cost; null if that was not said. */
  readonly tokens: number | null
}

interface RerankingOptions {
  readonly reranker: Reranker
  /** How many of the best passages are ranked again. */
  readonly passages: number
  readonly timeoutMs: number
  /** US dollars per million tokens; null if unknown. */
  readonly price: number | null
  readonly now?: () => number
}

/** A second ranking of the passages that a search has found. */
export interface Reranking {
  readonly passages: number
  /** The passages in the order of the reranker; as they are, with a notice, if it does not answer. */
  readonly rank: <P extends RankedPassage>(
    query: string,
    found: readonly P[],
    reports: SearchReports,
  ) => Promise<readonly P[]>
}

/** Ranks passages again; the latest 200 rankings are paid for once. */
export function openReranking({ reranker, passages, timeoutMs, price, now }: RerankingOptions): Reranking {
  const ask = optionalService({ name: 'the reranker', timeoutMs, ...(now && { now }) })
  const known = new Map<string, readonly number[]>()
  return {
    passages,
    async rank(query, found, { signal, onNotice, onUsage }) {
      const best = found.slice(0, passages)
      if (best.length < 2) return found
      const key = JSON.stringify([query, ...best.map(({ passage }) => passage.passageId)])
      const before = known.get(key)
      if (before) return reordered(found, before)
      const asked = await ask((within) => reranker.rerank(query, best.map(textOf), within), signal)
      if ('problem' in asked) {
        const { code, message } = asked.problem
        onNotice?.({ code, message: `Passages are not reranked: ${message}` })
        return found
      }
      const { order, tokens } = asked.value
      onUsage?.(usageOf(tokens, price))
      remember(known, key, order)
      return reordered(found, order)
    },
  }
}

/**
 * The passages in this order, those that it leaves out behind. Rerankers have scales of their own, so the scores stay those of
 * the search: the new first passage gets the greatest.
 */
function reordered<P extends RankedPassage>(found: readonly P[], order: readonly number[]): readonly P[] {
  const chosen = [...new Set(order)].flatMap((at) => found[at] ?? [])
  const all = [...new Set([...chosen, ...found])]
  const scores = found.map(({ score }) => score).sort((a, b) => b - a)
  return all.map((each, at) => ({ ...each, score: scores[at] ?? each.score }))
}

/** A passage with what its own text may not say: document and section. */
function textOf({ passage, document }: RankedPassage): string {
  return [document.title, passage.section, passage.text].filter((part) => part).join('\n')
}

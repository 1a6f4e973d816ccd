import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { asError, ConfigInvalid, EmbeddingInvalid, RerankingInvalid } from '../../errors.ts'
import { type LoadTransformers, loadTransformers, type ModelFolder, openFolder, type Tensor } from './transformers.ts'

/** Texts that a model reads at once, which bounds the memory that it takes. */
const atOnce = 16

interface EmbedOptions {
  readonly signal?: AbortSignal | undefined
}

/**
 * A model of this machine that turns texts into vectors of length 1, the first sixteen at a time. Loaded with the first of
 * them. Rejects with `ConfigInvalid`, `EmbeddingInvalid`, or the signal's reason.
 */
export function localEmbedder(given: string, load: LoadTransformers = loadTransformers) {
  const model = untilLoaded(async () => {
    const { transformers, folder, options } = await openFolder(given, load)
    return {
      extract: await transformers.pipeline('feature-extraction', folder, options),
      pooling: await poolingOf(folder),
    }
  })
  return {
    async embed(texts: readonly string[], { signal }: EmbedOptions = {}) {
      const some = texts.slice(0, atOnce)
      try {
        const { extract, pooling } = await model()
        signal?.throwIfAborted()
        const vectors = rowsOf(await extract(some, { pooling, normalize: true }), some.length)
        if (vectors.some((vector) => !vector.some((part) => part !== 0))) throw new Error('a vector is empty')
        return { vectors, tokens: 0 }
      } catch (error) {
        throw failure(error, signal, (message, cause) => {
          return new EmbeddingInvalid(`The model in ${given} gives no vectors of texts: ${message}`, { cause })
        })
      }
    },
  }
}

/**
 * A model of this machine that reads a query with each text, a cross-encoder. Loaded with the first query. Rejects with
 * `ConfigInvalid`, `RerankingInvalid`, or the signal's reason.
 */
export function localReranker(given: string, load: LoadTransformers = loadTransformers) {
  const model = untilLoaded(async () => {
    const { transformers, folder, options }: ModelFolder = await openFolder(given, load)
    const { AutoTokenizer, AutoModelForSequenceClassification } = transformers
    const tokenize = await AutoTokenizer.from_pretrained(folder, options)
    return { tokenize, classify: await AutoModelForSequenceClassification.from_pretrained(folder, options) }
  })
  return {
    async rerank(query: string, texts: readonly string[], signal?: AbortSignal) {
      try {
        const { tokenize, classify } = await model()
        const scores: number[] = []
        for (let at = 0; at < texts.length; at += atOnce) {
          signal?.throwIfAborted()
          const some = texts.slice(at, at + atOnce)
          const inputs = tokenize(
            some.map(() => query),
            { text_pair: some, padding: true, truncation: true },
          )
          const rows = rowsOf((await classify(inputs)).logits, some.length)
          // Of one class its score; of two, "no" and "yes", the last.
          scores.push(...rows.map((row) => row.at(-1) ?? 0))
        }
        const order = [...scores.keys()].sort((one, other) => (scores[other] ?? 0) - (scores[one] ?? 0))
        return { order, tokens: 0 }
      } catch (error) {
        throw failure(error, signal, (message, cause) => {
          return new RerankingInvalid(`The model in ${given} gives no scores of texts: ${message}`, { cause })
        })
      }
    },
  }
}

/** Loads once; a failure is tried again, since a person may mend it while a server runs. */
function untilLoaded<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined
  return () => {
    loaded ??= load()
    loaded.catch(() => {
      loaded = undefined
    })
    return loaded
  }
}

const pooling = z.object({ pooling_mode_cls_token: z.boolean() })

/** How vectors of words become one, as models of Sentence Transformers state it; else their mean. */
async function poolingOf(folder: string): Promise<'mean' | 'cls'> {
  const stated = await readFile(join(folder, '1_Pooling', 'config.json'), 'utf8').catch(() => '{}')
  const { data } = pooling.safeParse(JSON.parse(stated))
  return data?.pooling_mode_cls_token ? 'cls' : 'mean'
}

function rowsOf({ dims, data }: Tensor, count: number): Float32Array[] {
  const size = data.length / count
  const isTable = dims.length === 2 && dims[0] === count && Number.isInteger(size) && size > 0
  const rows = Float32Array.from(data)
  if (!isTable || !rows.every(Number.isFinite)) throw new Error(`it answers with ${dims.join(' × ')} numbers`)
  return Array.from({ length: count }, (_, row) => rows.slice(row * size, (row + 1) * size))
}

function failure(
  error: unknown,
  signal: AbortSignal | undefined,
  invalid: (message: string, cause: unknown) => Error,
): unknown {
  if (signal?.aborted) return signal.reason
  return error instanceof ConfigInvalid ? error : invalid(asError(error).message, error)
}

import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { asError, EmbeddingInvalid, RerankingInvalid } from '../../errors.ts'
import { type LoadTransformers, loadTransformers, openModel, type Tensor } from './transformers.ts'

/** Texts that a model reads at once, which bounds the memory that it takes. */
const atOnce = 16

/**
 * Opens a model of this machine that turns texts into vectors of length 1, the first sixteen at a time. Throws `ConfigInvalid`;
 * `embed` rejects with `EmbeddingInvalid` or the signal's reason.
 */
export async function localEmbedder(given: string, load: LoadTransformers = loadTransformers) {
  const folder = resolve(given)
  const { extract, pooling } = await openModel(folder, load, async ({ pipeline }, ...from) => ({
    extract: await pipeline('feature-extraction', ...from),
    pooling: await poolingOf(folder),
  }))
  return {
    async embed(texts: readonly string[], { signal }: { readonly signal?: AbortSignal | undefined } = {}) {
      signal?.throwIfAborted()
      const some = texts.slice(0, atOnce)
      const rows = await rowsOf(vector, some, () => extract(some, { pooling, normalize: true })).catch(
        failing(EmbeddingInvalid, `The model in ${folder} gives no vectors of texts`),
      )
      return { vectors: rows.map((row) => Float32Array.from(row)), tokens: 0 }
    },
  }
}

/**
 * Opens a model of this machine that reads a query with each text, a cross-encoder. Throws `ConfigInvalid`; `rerank` rejects with
 * `RerankingInvalid` or the signal's reason.
 */
export async function localReranker(given: string, load: LoadTransformers = loadTransformers) {
  const folder = resolve(given)
  const { tokenize, classify } = await openModel(folder, load, async (transformers, ...from) => ({
    tokenize: await transformers.AutoTokenizer.from_pretrained(...from),
    classify: await transformers.AutoModelForSequenceClassification.from_pretrained(...from),
  }))
  return {
    async rerank(query: string, texts: readonly string[], signal?: AbortSignal) {
      const scores: number[] = []
      for (let at = 0; at < texts.length; at += atOnce) {
        signal?.throwIfAborted()
        const some = texts.slice(at, at + atOnce)
        const queries = some.map(() => query)
        const rows = await rowsOf(row, some, async () => {
          return (await classify(tokenize(queries, { text_pair: some, padding: true, truncation: true }))).logits
        }).catch(failing(RerankingInvalid, `The model in ${folder} gives no scores of texts`))
        // Of one class its score; of two, "no" and "yes", the last.
        scores.push(...rows.map((scored) => scored.at(-1) ?? 0))
      }
      const order = [...scores.keys()].sort((one, other) => (scores[other] ?? 0) - (scores[one] ?? 0))
      return { order, tokens: 0 }
    },
  }
}

const pooling = z.object({ pooling_mode_cls_token: z.boolean() })

/** How vectors of words become one, as models of Sentence Transformers state it; else their mean. */
async function poolingOf(folder: string): Promise<'mean' | 'cls'> {
  const stated = await readFile(join(folder, '1_Pooling', 'config.json'), 'utf8').catch(() => '{}')
  const { data } = pooling.safeParse(JSON.parse(stated))
  return data?.pooling_mode_cls_token ? 'cls' : 'mean'
}

const row = z.array(z.number()).min(1)
const vector = row.refine((numbers) => numbers.some((each) => each !== 0))

/** The numbers that a model answers with: a row for each text. */
async function rowsOf(form: typeof row, texts: readonly string[], ask: () => Promise<Tensor>): Promise<number[][]> {
  const { data } = z
    .array(form)
    .length(texts.length)
    .safeParse((await ask()).tolist())
  if (!data) throw new Error('it answers with something else than numbers for each of them')
  return data
}

function failing(Invalid: typeof EmbeddingInvalid | typeof RerankingInvalid, what: string) {
  return (cause: unknown): never => {
    throw new Invalid(`${what}: ${asError(cause).message}`, { cause })
  }
}

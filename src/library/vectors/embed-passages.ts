import { createHash } from 'node:crypto'
import { EmbeddingInvalid, QuaeroError } from '../../errors.ts'
import type { PassagesEmbedded } from '../port/library.ts'
import type { PassageIndex } from '../port/passage-index.ts'
import type { HashedText, PassageVectors, VectorRecipe } from '../port/passage-vectors.ts'

/** Turns texts into vectors, near each other where the texts mean much the same. Implemented by a model. */
export interface Embedder {
  /**
   * Vectors of length 1, of one dimension, for the first texts: at least one, at most all. `retry` allows it to take
   * its time over failures that may pass. Rejects with a `QuaeroError`, or with the signal's reason.
   */
  readonly embed: (
    texts: readonly string[],
    options: { readonly signal?: AbortSignal | undefined; readonly retry: boolean },
  ) => Promise<Embedded>
}

export interface Embedded {
  readonly vectors: readonly Float32Array[]
  /** What the texts cost; null if that was not said. */
  readonly tokens: number | null
}

export interface EmbedPassagesOptions {
  readonly index: PassageIndex
  readonly vectors: PassageVectors
  readonly embedder: Embedder
  readonly recipe: VectorRecipe
  /** Texts that are sent at once. */
  readonly batch: number
  /** Only the passages of these documents; of all, if null. */
  readonly documents: readonly string[] | null
  /** Makes new vectors for all passages, in a new space, of whatever dimension the model gives now. */
  readonly anew: boolean
  readonly onProgress?: (progress: { readonly done: number; readonly total: number }) => void
  readonly signal?: AbortSignal | undefined
}

/**
 * Gives each passage that has none a vector, batch by batch. Each batch is stored at once, so that a later call pays for
 * none of it again. A vector of another dimension than those before ends the work. Rejects with the signal's reason.
 */
export async function embedPassages(options: EmbedPassagesOptions): Promise<PassagesEmbedded> {
  const { vectors, recipe, batch, documents, anew, onProgress, signal } = options
  let space = anew ? null : await vectors.space(recipe)
  const { passages, embedded: before } = await vectors.coverage(space, documents)
  const done: Spent = { embedded: 0, sent: 0, tokens: 0 }

  function advance(texts: readonly HashedText[]): void {
    if (texts.length === 0) return
    done.embedded += texts.reduce((sum, text) => sum + text.passages.length, 0)
    // More may have been added meanwhile.
    onProgress?.({ done: done.embedded, total: Math.max(passages - before, done.embedded) })
  }

  /** Embeds and stores texts; returns how many of them. */
  async function embedBatch(texts: readonly PendingText[]): Promise<number> {
    signal?.throwIfAborted()
    const { vectors: made, tokens } = await options.embedder.embed(
      texts.map(({ text }) => text),
      { signal, retry: true },
    )
    done.sent += made.length
    done.tokens = tokens === null || done.tokens === null ? null : done.tokens + tokens
    space ??= await vectors.openSpace(recipe, made[0]?.length ?? 0)
    for (const vector of made) checkDimensions(vector, { model: recipe.model, dimensions: space.dimensions })
    const stored = texts.flatMap(({ hash, passages: of }, at) => {
      const vector = made[at]
      return vector ? [{ hash, passages: of, vector }] : []
    })
    await vectors.put(space, stored)
    advance(stored)
    return stored.length
  }

  async function embedMissing(after = 0): Promise<void> {
    signal?.throwIfAborted()
    const missing = await vectors.missing(space, { after, limit: PAGE, documents })
    const last = missing.at(-1)
    if (!last) return
    const texts = await textsOf(missing, options)
    const linked = new Set(space && (await vectors.link(space, texts)))
    advance([...linked])
    let rest = texts.filter((text) => !linked.has(text))
    while (rest.length > 0) rest = rest.slice(await embedBatch(rest.slice(0, batch)))
    await embedMissing(last.number)
  }

  try {
    await embedMissing()
    return { ...done, error: null }
  } catch (error) {
    signal?.throwIfAborted()
    if (!(error instanceof QuaeroError)) throw error
    return { ...done, error: { code: error.code, message: error.message } }
  }
}

type Spent = { -readonly [K in keyof Omit<PassagesEmbedded, 'error'>]: PassagesEmbedded[K] }

/** Passages that are looked at together, to find those whose text is known already. */
const PAGE = 512

interface PendingText extends HashedText {
  readonly text: string
}

/** The text that stands for a passage is what it says, under its heading. Passages of the same text share one vector. */
async function textsOf(
  missing: readonly { readonly passageId: string }[],
  { index, recipe }: EmbedPassagesOptions,
): Promise<readonly PendingText[]> {
  const texts = new Map<string, { hash: string; text: string; passages: string[] }>()
  for (const { passageId, section, text: said } of await index.passages(missing.map((each) => each.passageId))) {
    const text = `${recipe.prefix}${section ? `${section}\n` : ''}${said}`
    const hash = createHash('sha256').update(text).digest('hex').slice(0, 32)
    const known = texts.get(hash) ?? { hash, text, passages: [] }
    known.passages.push(passageId)
    texts.set(hash, known)
  }
  return [...texts.values()]
}

/**
 * Throws `EmbeddingInvalid` for a vector that cannot be compared with those stored. Such a reply may be a fault of the
 * endpoint, so it never replaces vectors that were paid for: a person decides.
 */
export function checkDimensions(
  { length }: Float32Array,
  { model, dimensions }: { readonly model: string; readonly dimensions: number },
): void {
  if (length === dimensions) return
  throw new EmbeddingInvalid(
    `${model} gives vectors of ${length} dimensions instead of the ${dimensions} of those stored. If the model has ` +
      'changed for good, run: quaero library embed --anew',
  )
}

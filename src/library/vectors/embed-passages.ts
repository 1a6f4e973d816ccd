import { createHash } from 'node:crypto'
import { EmbeddingInvalid, QuaeroError } from '../../errors.ts'
import type { Passage } from '../port/document.ts'
import type { Embedder } from '../port/embedder.ts'
import type { PassagesEmbedded } from '../port/library.ts'
import type { PassageIndex } from '../port/passage-index.ts'
import type { HashedText, PassageVectors, VectorRecipe, VectorSpace } from '../port/passage-vectors.ts'

export interface EmbedPassagesOptions {
  readonly index: PassageIndex
  readonly vectors: PassageVectors
  readonly embedder: Embedder
  readonly recipe: VectorRecipe
  /** Texts that are sent at once. */
  readonly batch: number
  /** Only the passages of these documents; of all, if null. */
  readonly documents: readonly string[] | null
  /** Makes vectors for those too that have one, in a space of their own, of whatever dimension the model gives now. */
  readonly anew: boolean
  /** Told as passages have got their vectors. */
  readonly onProgress?: (progress: { readonly done: number; readonly total: number }) => void
  readonly signal?: AbortSignal | undefined
}

/**
 * Gives each passage that has none a vector, batch by batch. Each batch is stored as soon as it is there, so that
 * nothing is paid for again by a call that goes on where another was stopped. A vector of another dimension than those
 * before ends the work. Rejects with the signal's reason.
 */
export async function embedPassages(options: EmbedPassagesOptions): Promise<PassagesEmbedded> {
  const { vectors, recipe, documents, anew, signal } = options
  const space = anew ? null : await vectors.space(recipe)
  const { passages, embedded } = await vectors.coverage(space, documents)
  const work = new Work(options, { total: passages - embedded, space })
  try {
    await embedMissing(work, options)
    return { ...work.spent, error: null }
  } catch (error) {
    signal?.throwIfAborted()
    if (!(error instanceof QuaeroError)) throw error
    return { ...work.spent, error: { code: error.code, message: error.message } }
  }
}

async function embedMissing(work: Work, { vectors, documents, signal }: EmbedPassagesOptions): Promise<void> {
  let after = 0
  for (;;) {
    signal?.throwIfAborted()
    const missing = await vectors.missing(work.space, { after, limit: PAGE, documents })
    const last = missing.at(-1)
    if (!last) return
    await work.embed(missing.map(({ passageId }) => passageId))
    after = last.number
  }
}

/** The text that stands for a passage: what it says, under its heading. */
function embeddedText({ section, text }: Pick<Passage, 'section' | 'text'>, prefix: string): string {
  return `${prefix}${section ? `${section}\n` : ''}${text}`
}

/** Passages that are looked at together, to find those whose text is known already. */
const PAGE = 512

interface PendingText extends HashedText {
  readonly text: string
}

/** The embedding of one call, and what it has come to. */
class Work {
  space: VectorSpace | null
  readonly #options: EmbedPassagesOptions
  readonly #total: number
  #embedded = 0
  #sent = 0
  #tokens: number | null = 0

  constructor(
    options: EmbedPassagesOptions,
    { total, space }: { readonly total: number; readonly space: VectorSpace | null },
  ) {
    this.#options = options
    this.#total = total
    this.space = space
  }

  get spent(): Omit<PassagesEmbedded, 'error'> {
    return { embedded: this.#embedded, sent: this.#sent, tokens: this.#tokens }
  }

  async embed(missing: readonly string[]): Promise<void> {
    const { vectors, batch } = this.#options
    const texts = await this.#textsOf(missing)
    const linked = new Set(this.space && (await vectors.link(this.space, texts)))
    this.#advance([...linked])
    let rest: readonly PendingText[] = texts.filter((text) => !linked.has(text))
    while (rest.length > 0) {
      const stored = await this.#embedBatch(rest.slice(0, batch))
      rest = rest.slice(stored)
    }
  }

  /** Embeds and stores texts; returns how many of them. */
  async #embedBatch(texts: readonly PendingText[]): Promise<number> {
    const { vectors, embedder, recipe, signal } = this.#options
    signal?.throwIfAborted()
    const { vectors: made, tokens } = await embedder.embed(
      texts.map(({ text }) => text),
      { signal, retry: true },
    )
    this.#sent += made.length
    this.#tokens = tokens === null || this.#tokens === null ? null : this.#tokens + tokens
    this.space ??= await vectors.openSpace(recipe, made[0]?.length ?? 0)
    for (const vector of made) checkDimensions(vector, { model: recipe.model, dimensions: this.space.dimensions })
    const done = made.flatMap((vector, at) => {
      const text = texts[at]
      return text ? [{ hash: text.hash, passages: text.passages, vector }] : []
    })
    await vectors.put(this.space, done)
    this.#advance(done)
    return done.length
  }

  async #textsOf(passageIds: readonly string[]): Promise<PendingText[]> {
    const { index, recipe } = this.#options
    const texts = new Map<string, { hash: string; text: string; passages: string[] }>()
    for (const passage of await index.passages(passageIds)) {
      const text = embeddedText(passage, recipe.prefix)
      const hash = createHash('sha256').update(text).digest('hex').slice(0, 32)
      const known = texts.get(hash) ?? { hash, text, passages: [] }
      known.passages.push(passage.passageId)
      texts.set(hash, known)
    }
    return [...texts.values()]
  }

  #advance(texts: readonly HashedText[]): void {
    if (texts.length === 0) return
    this.#embedded += texts.reduce((sum, { passages }) => sum + passages.length, 0)
    // More may have been added meanwhile.
    const total = Math.max(this.#total, this.#embedded)
    this.#options.onProgress?.({ done: this.#embedded, total })
  }
}

/**
 * Throws `EmbeddingInvalid` for a vector that cannot be compared with those stored. One such reply may be a fault of the
 * endpoint, so it never takes the place of what was paid for: a person decides.
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

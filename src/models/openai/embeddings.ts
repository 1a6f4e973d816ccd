import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import type { Settings } from '../../config.ts'
import { EmbeddingInvalid } from '../../errors.ts'
import { AnswerTooLarge, ContextTooLong } from '../port/errors.ts'
import { triesWithin } from '../port/retries.ts'
import { type Endpoint, openEndpoint, type Reply } from './endpoint.ts'
import { refusalError } from './endpoint-errors.ts'
import { isSuccess, readRefusal } from './refused-request.ts'

export interface OpenAIEmbeddingsOptions {
  readonly model: string
  /** null for servers that ask for none. */
  readonly apiKey: string | null
  /** With the version, as in `https://api.openai.com/v1`. */
  readonly baseUrl: string
  /** The setting or variable that names the base URL, for error messages. */
  readonly addressSetting: string
  /** null leaves it to the model. */
  readonly dimensions: number | null
  readonly encoding: 'float' | 'base64'
  readonly endpoint: Settings['endpoint']
}

export interface EmbedOptions {
  readonly signal?: AbortSignal | undefined
  /** Transient failures are retried within the endpoint's settings. */
  readonly retry: boolean
}

/** Turns texts into vectors. */
export interface OpenAIEmbeddings {
  /**
   * Vectors of the first texts: of as many as the endpoint takes at once, at least one. A text that is too long by itself
   * is cut until it fits. Rejects with the errors of `models/port/errors.ts`, or with the signal's reason.
   */
  readonly embed: (texts: readonly string[], options: EmbedOptions) => Promise<EmbeddingReply>
}

/** A text of so many characters fits into any model; if it is refused, cutting does not help. */
const shortestCut = 200

/**
 * A model behind the `/embeddings` of an OpenAI-compatible endpoint. Opens no connection yet. Throws `ConfigInvalid`
 * for a base URL or a key that cannot be used.
 */
export function openaiEmbeddings(options: OpenAIEmbeddingsOptions): OpenAIEmbeddings {
  const { apiKey, baseUrl, addressSetting, endpoint: settings } = options
  const endpoint = openEndpoint({ baseUrl, apiKey, settings, addressSetting })
  /** As many texts as the endpoint takes at once, as far as is known. */
  let most = Number.POSITIVE_INFINITY

  async function embed(texts: readonly string[], choices: EmbedOptions): Promise<EmbeddingReply> {
    const some = texts.slice(0, most)
    try {
      return await withRetries(
        (beginWithinMs) => request(endpoint, some, options, { signal: choices.signal, beginWithinMs }),
        settings,
        choices,
      )
    } catch (error) {
      if (!(error instanceof ContextTooLong || error instanceof AnswerTooLarge)) throw error
      if (some.length > 1) {
        most = Math.ceil(some.length / 2)
        return await embed(some, choices)
      }
      // This text is too long; their number was not.
      most = Number.POSITIVE_INFINITY
      const [text = ''] = some
      if (text.length <= shortestCut) throw error
      return await embed([text.slice(0, Math.ceil(text.length / 2))], choices)
    }
  }

  return { embed }
}

/** Some servers send spaces while they work, so that only a limit of the whole time ends them: so many idle times. */
const idleTimes = 5

async function request(
  endpoint: Endpoint,
  texts: readonly string[],
  { model, dimensions, encoding, endpoint: settings }: OpenAIEmbeddingsOptions,
  { signal, beginWithinMs }: { readonly signal: AbortSignal | undefined; readonly beginWithinMs: number | undefined },
): Promise<EmbeddingReply> {
  const body = JSON.stringify({
    model,
    input: texts,
    encoding_format: encoding,
    ...(dimensions !== null && { dimensions }),
  })
  const totalTimeoutMs = 1000 * (settings.headersTimeoutSeconds + idleTimes * settings.idleTimeoutSeconds)
  const reply = await endpoint.request('/embeddings', { body, signal, totalTimeoutMs, beginWithinMs })
  if (!isSuccess(reply)) {
    const chosenWith = 'search.embeddings.model'
    const refusal = await readRefusal({ endpoint, model, characters: body.length, signal, reply, chosenWith })
    const { status, message } = refusal
    const isTooMuch = status === 413 || (status !== 429 && tooMuchPattern.test(message ?? ''))
    if (!isTooMuch) throw refusalError(refusal)
    const said = message ? `: ${message}` : ''
    throw new ContextTooLong(`${endpoint.host} does not take ${texts.length} texts at once (${status})${said}`)
  }
  return readEmbeddings(await readJson(reply, endpoint.host), { host: endpoint.host, count: texts.length, dimensions })
}

/** How OpenAI, Azure, vLLM, llama.cpp, Ollama and Text Embeddings Inference say that texts are too long or too many. */
const tooMuchPattern =
  /too (large|long|many)|batch size|context (length|window|size)|\bmax\w* (number|tokens|allowed|context)|(tokens|inputs) per request|must have less than/i

async function readJson({ body }: Reply, host: string): Promise<unknown> {
  const pieces: Uint8Array[] = []
  for await (const bytes of body) pieces.push(bytes)
  try {
    return JSON.parse(Buffer.concat(pieces).toString('utf8'))
  } catch (cause) {
    throw new EmbeddingInvalid(`${host} answered with something else than JSON`, { cause })
  }
}

async function withRetries<T>(
  work: (beginWithinMs: number | undefined) => Promise<T>,
  { retries, retryBudgetSeconds }: Settings['endpoint'],
  { retry, signal }: EmbedOptions,
): Promise<T> {
  const tries = triesWithin({ retries: retry ? retries : 0, budgetMs: 1000 * retryBudgetSeconds })
  for (;;) {
    try {
      return await work(tries.leftMs())
    } catch (error) {
      signal?.throwIfAborted()
      const another = tries.after(error)
      if (!another) throw error
      await sleep(another.waitMs, undefined, signal ? { signal } : {}).catch(() => signal?.throwIfAborted())
    }
  }
}

/** Vectors of length 1, in the order of the texts, and the tokens that they cost; null if the endpoint does not say. */
export interface EmbeddingReply {
  readonly vectors: readonly Float32Array[]
  readonly tokens: number | null
}

interface ExpectedEmbeddings {
  readonly host: string
  readonly count: number
  /** What was asked for; null if that was left to the endpoint. */
  readonly dimensions: number | null
}

const embeddingReply = z.object({
  data: z.array(z.object({ index: z.number().int().nullish(), embedding: z.unknown() })),
  usage: z.object({ prompt_tokens: z.number().int().nonnegative().nullish() }).nullish().catch(null),
})

/** Reads the answer strictly: a vector for each text, all of one dimension. Throws `EmbeddingInvalid`. */
function readEmbeddings(body: unknown, { host, count, dimensions }: ExpectedEmbeddings): EmbeddingReply {
  const { data, usage } = embeddingReply.safeParse(body).data ?? {}
  if (!data) throw new EmbeddingInvalid(`${host} answered without a list of vectors`)
  if (data.length !== count) {
    throw new EmbeddingInvalid(`${host} answered ${count} texts with ${data.length} vectors`)
  }
  const vectors = inOrder(data, host).map((embedding) => toUnitLength(toVector(embedding, host), host))
  const wanted = dimensions ?? vectors[0]?.length
  const other = vectors.find(({ length }) => length !== wanted)
  if (!other) return { vectors, tokens: usage?.prompt_tokens ?? null }
  throw new EmbeddingInvalid(
    `${host} answered with a vector of ${other.length} dimensions instead of ${wanted}. Check search.embeddings.dimensions`,
  )
}

/** The vectors in the order of their texts: by index, or as they come where the server names none. */
function inOrder(data: z.output<typeof embeddingReply>['data'], host: string): readonly unknown[] {
  if (data.every(({ index }) => index == null)) return data.map(({ embedding }) => embedding)
  const byIndex = new Map(data.map(({ index, embedding }) => [index, embedding]))
  return data.map((_, at) => {
    if (!byIndex.has(at)) throw new EmbeddingInvalid(`${host} numbered its vectors so that text ${at + 1} has none`)
    return byIndex.get(at)
  })
}

/** An array of numbers, or the base64 text of 32-bit floats, least significant byte first. */
function toVector(embedding: unknown, host: string): Float32Array {
  const bytes = typeof embedding === 'string' ? Buffer.from(embedding, 'base64') : Buffer.alloc(0)
  if (bytes.length > 0 && bytes.length % 4 === 0) {
    return Float32Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readFloatLE(4 * at))
  }
  if (Array.isArray(embedding) && embedding.length > 0 && embedding.every((each) => typeof each === 'number')) {
    return Float32Array.from(embedding)
  }
  throw new EmbeddingInvalid(`${host} answered with something that is no vector of numbers`)
}

/** The dot product of two vectors is then their cosine. */
function toUnitLength(vector: Float32Array, host: string): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, component) => sum + component * component, 0))
  if (!Number.isFinite(length)) throw new EmbeddingInvalid(`${host} answered with a vector that holds no finite number`)
  if (length === 0) throw new EmbeddingInvalid(`${host} answered with a vector that holds nothing but zeros`)
  return vector.map((component) => component / length)
}

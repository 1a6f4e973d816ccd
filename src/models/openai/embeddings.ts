import { setTimeout as sleep } from 'node:timers/promises'
import type { Settings } from '../../config.ts'
import { EmbeddingInvalid } from '../../errors.ts'
import { AnswerTooLarge, ContextTooLong, type ModelError } from '../port/errors.ts'
import { triesWithin } from '../port/retries.ts'
import { type EmbeddingReply, readEmbeddings } from './embedding-reply.ts'
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
  readonly fetch?: typeof globalThis.fetch
}

export interface EmbedOptions {
  readonly signal?: AbortSignal | undefined
  /** Failures that may pass are tried again, within the endpoint's settings. */
  readonly retry: boolean
}

/** Turns texts into vectors. */
export interface OpenAIEmbeddings {
  /**
   * Vectors of the first texts: of all of them, or of as many as the endpoint takes at once, at least one. A text that
   * is too long by itself is cut until it fits. Rejects with the errors of `models/errors.ts`, or with the signal's
   * reason.
   */
  readonly embed: (texts: readonly string[], options: EmbedOptions) => Promise<EmbeddingReply>
}

/**
 * A model behind the `/embeddings` of an OpenAI-compatible endpoint. Opens no connection yet. Throws `ConfigInvalid`
 * for a base URL or a key that cannot be used.
 */
export function openaiEmbeddings(options: OpenAIEmbeddingsOptions): OpenAIEmbeddings {
  const { apiKey, baseUrl, addressSetting, fetch } = options
  const endpoint = openEndpoint({ baseUrl, apiKey, settings: options.endpoint, addressSetting, fetch })
  /** As many texts as the endpoint takes at once, as far as it has said. */
  let most = Number.POSITIVE_INFINITY

  async function embed(texts: readonly string[], choices: EmbedOptions): Promise<EmbeddingReply> {
    const some = texts.slice(0, most)
    try {
      return await withRetries(
        (beginWithinMs) => request(endpoint, some, options, { signal: choices.signal, beginWithinMs }),
        options.endpoint,
        choices,
      )
    } catch (error) {
      if (!isTooMuch(error)) throw error
      if (some.length > 1) {
        most = Math.ceil(some.length / 2)
        return await embed(some, choices)
      }
      // This text is to blame, not their number.
      most = Number.POSITIVE_INFINITY
      const [text = ''] = some
      if (text.length <= shortestCut) throw error
      return await embed([text.slice(0, Math.ceil(text.length / 2))], choices)
    }
  }

  return { embed }
}

/** A text of so many characters fits into any model; if it is refused, cutting is no remedy. */
const shortestCut = 200

/**
 * An answer in good order comes in one go; one that trickles may take as long as it took to begin and so many times the
 * silence that is allowed. Some servers send spaces while they work, so that no silence would ever end them.
 */
const IDLE_TIMES = 5

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
  const totalTimeoutMs = 1000 * (settings.headersTimeoutSeconds + IDLE_TIMES * settings.idleTimeoutSeconds)
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

function isTooMuch(error: unknown): error is ModelError {
  return error instanceof ContextTooLong || error instanceof AnswerTooLarge
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

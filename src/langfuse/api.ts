import { z } from 'zod'
import { asError } from '../errors.ts'
import type { Redact } from '../redact.ts'
import { unredirected } from '../tracing/index.ts'
import type { LangfuseAccess } from './access.ts'
import { LangfuseKeyRejected, LangfuseUnavailable } from './failure.ts'

export interface LangfuseRequest<Schema extends z.ZodType> {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Below `/api/public/`; each part is encoded. */
  readonly path: readonly (string | number)[]
  readonly query?: Readonly<Record<string, string>>
  readonly body?: object
  readonly answer: Schema
  /** Names the answer in errors, for instance "a score". */
  readonly what: string
  readonly signal?: AbortSignal | undefined
}

const longestReason = 300

/**
 * Langfuse's REST API (https://api.reference.langfuse.com). Its own client would follow redirects with the keys, try for
 * minutes, and return an answer of any shape.
 */
export class LangfuseApi {
  readonly redact: Redact
  /** Of what is sent. */
  readonly environment: string | undefined
  readonly #access: LangfuseAccess
  readonly #timeoutMs: number

  /** `timeoutMs` bounds each request with its answer. */
  constructor(access: LangfuseAccess, { redact, timeoutMs }: { readonly redact: Redact; readonly timeoutMs: number }) {
    this.#access = access
    this.redact = redact
    this.environment = access.environment
    this.#timeoutMs = timeoutMs
  }

  /** One request, sent once. Throws `LangfuseKeyRejected`, `LangfuseUnavailable`. */
  async request<Schema extends z.ZodType>(request: LangfuseRequest<Schema>): Promise<z.output<Schema>> {
    const { host } = new URL(this.#access.baseUrl)
    const tooLong = AbortSignal.timeout(this.#timeoutMs)
    const signal = request.signal ? AbortSignal.any([request.signal, tooLong]) : tooLong
    let response: Response
    let text: string
    try {
      response = await this.#send(request, signal)
      text = await response.text()
    } catch (error) {
      if (tooLong.aborted) {
        throw new LangfuseUnavailable(`Langfuse at ${host} did not answer within ${this.#timeoutMs / 1000} s.`)
      }
      const { cause, message } = asError(error)
      const why = this.redact(cause instanceof Error ? cause.message : message)
      throw new LangfuseUnavailable(`Langfuse at ${host} cannot be reached (${why}). Check LANGFUSE_BASE_URL.`)
    }
    if (!response.ok) throw this.#failure(response, text, host)
    const { success, data } = request.answer.safeParse(jsonOf(text))
    if (success) return data
    const what = `The answer of Langfuse for ${request.what} is not one of its API.`
    throw new LangfuseUnavailable(`${what} Check LANGFUSE_BASE_URL.`)
  }

  #send({ method, path, query, body }: LangfuseRequest<z.ZodType>, signal: AbortSignal): Promise<Response> {
    const { publicKey, secretKey, baseUrl } = this.#access
    const parts = ['api', 'public', ...path].map((part) => encodeURIComponent(part))
    const url = `${baseUrl.replace(/(?<!\/)\/+$/, '')}/${parts.join('/')}${query ? `?${new URLSearchParams(query)}` : ''}`
    return unredirected(url, {
      method,
      signal,
      headers: {
        authorization: `Basic ${Buffer.from(`${publicKey}:${secretKey}`).toString('base64')}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
  }

  #failure({ status, headers }: Response, text: string, host: string): LangfuseUnavailable {
    if (status === 401 || status === 403) {
      const advice = 'Check LANGFUSE_PUBLIC_KEY, LANGFUSE_SECRET_KEY and LANGFUSE_BASE_URL.'
      return new LangfuseKeyRejected(`Langfuse at ${host} does not accept the keys (${status}). ${advice}`, { status })
    }
    const { data } = z.object({ message: z.string() }).safeParse(jsonOf(text))
    const reason = this.redact(data?.message ?? '')
      .slice(0, longestReason)
      .replace(/\.$/, '')
    const seconds = Number(headers.get('retry-after') ?? Number.NaN)
    return new LangfuseUnavailable(`Langfuse at ${host} answered ${status}${reason && `: ${reason}`}.`, {
      status,
      retryAfterMs: seconds >= 0 ? 1000 * seconds : null,
    })
  }
}

/** undefined for text that is not JSON, such as the page of a login. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

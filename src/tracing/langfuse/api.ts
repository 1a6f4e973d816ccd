import type { LangfuseClient } from '@langfuse/client'
import type { Redact } from '../../redact.ts'
import type { LangfuseAccess } from './access.ts'

/** The resources of Langfuse's REST API. */
export type LangfuseResources = LangfuseClient['api']

/** What each request is bounded by. */
export interface RequestBounds {
  readonly timeoutInSeconds: number
  readonly maxRetries: 0
  readonly abortSignal: AbortSignal
}

/** A request that came to nothing. Its message names the host, and holds no credential. */
export class LangfuseFailure extends Error {
  /** What the server answered; null if nothing. */
  readonly status: number | null
  /** How long the server asks to be left alone. */
  readonly retryAfterMs: number | null

  constructor(message: string, status: number | null = null, retryAfterMs: number | null = null) {
    super(message)
    this.status = status
    this.retryAfterMs = retryAfterMs
  }

  /** The server read it and does not want it: the same again would be no use. */
  get isRefusal(): boolean {
    return this.status !== null && refusals.has(this.status)
  }
}

const refusals: ReadonlySet<number> = new Set([400, 413, 422])

/** Langfuse's REST API, loaded when it is first needed. */
export class LangfuseApi {
  readonly redact: Redact
  readonly #access: LangfuseAccess
  readonly #timeoutMs: number
  #resources: Promise<LangfuseResources> | null = null

  /** `timeoutMs` bounds each request as a whole, its answer too. */
  constructor(access: LangfuseAccess, { redact, timeoutMs }: { readonly redact: Redact; readonly timeoutMs: number }) {
    this.#access = access
    this.redact = redact
    this.#timeoutMs = timeoutMs
  }

  /** One request, tried once. Throws `LangfuseFailure`. */
  async request<T>(
    call: (resources: LangfuseResources, bounds: RequestBounds) => PromiseLike<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const tooLong = AbortSignal.timeout(this.#timeoutMs)
    const abortSignal = signal ? AbortSignal.any([signal, tooLong]) : tooLong
    // The client's own timeout ends with the headers of an answer.
    const bounds = { timeoutInSeconds: this.#timeoutMs / 1000, maxRetries: 0, abortSignal } as const
    try {
      this.#resources ??= load(this.#access)
      return await Promise.race([call(await this.#resources, bounds), aborted(abortSignal)])
    } catch (error) {
      throw this.#failure(error, tooLong.aborted)
    }
  }

  #failure(error: unknown, isLate: boolean): LangfuseFailure {
    const { host } = new URL(this.#access.baseUrl)
    if (isLate || nameOf(error) === 'LangfuseAPITimeoutError') {
      return new LangfuseFailure(`${host} did not answer within ${this.#timeoutMs / 1000} s`)
    }
    const status = statusOf(error)
    if (status === null) return new LangfuseFailure(`${host} cannot be reached`)
    const said = this.redact(messageIn(error)).slice(0, 300)
    return new LangfuseFailure(`${host} answered ${status}${said && `: ${said}`}`, status, retryAfterOf(error))
  }
}

async function load({ publicKey, secretKey, baseUrl }: LangfuseAccess): Promise<LangfuseResources> {
  const { LangfuseClient } = await import('@langfuse/client')
  return new LangfuseClient({ publicKey, secretKey, baseUrl: baseUrl.replace(/\/+$/, '') }).api
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const give = () => reject(signal.reason)
    if (signal.aborted) give()
    else signal.addEventListener('abort', give, { once: true })
  })
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : ''
}

function statusOf(error: unknown): number | null {
  const status = property(error, 'statusCode')
  return typeof status === 'number' ? status : null
}

/** What the server says is wrong; the client's own message holds the whole body, indented. */
function messageIn(error: unknown): string {
  const message = property(property(error, 'body'), 'message')
  return typeof message === 'string' ? message : ''
}

function retryAfterOf(error: unknown): number | null {
  const headers = property(property(error, 'rawResponse'), 'headers')
  const seconds = headers instanceof Headers ? Number(headers.get('retry-after') ?? Number.NaN) : Number.NaN
  return Number.isFinite(seconds) && seconds >= 0 ? 1000 * seconds : null
}

function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

import type { Redact } from '../redact.ts'
import { withoutRedirects } from '../tracing/unredirected.ts'
import type { LangfuseAccess } from './access.ts'
import { failureOf, LangfuseUnavailable } from './failure.ts'

/**
 * The resources of Langfuse's REST API that are used here. The callers check the answers. The client's own types
 * would reach this package's, and do not compile in projects without `skipLibCheck`.
 */
export interface LangfuseResources {
  readonly datasets: {
    create(body: object, bounds: RequestBounds): PromiseLike<unknown>
    getRun(dataset: string, run: string, bounds: RequestBounds): PromiseLike<unknown>
    deleteRun(dataset: string, run: string, bounds: RequestBounds): PromiseLike<unknown>
  }
  readonly datasetItems: { create(body: object, bounds: RequestBounds): PromiseLike<unknown> }
  readonly datasetRunItems: { create(body: object, bounds: RequestBounds): PromiseLike<unknown> }
  readonly projects: { get(bounds: RequestBounds): PromiseLike<unknown> }
  readonly prompts: {
    get(name: string, version: { readonly label: string }, bounds: RequestBounds): PromiseLike<unknown>
    create(body: object, bounds: RequestBounds): PromiseLike<unknown>
  }
  readonly promptVersion: {
    update(name: string, version: number, body: object, bounds: RequestBounds): PromiseLike<unknown>
  }
  readonly scores: { create(body: object, bounds: RequestBounds): PromiseLike<unknown> }
}

/** What each request is bounded by. */
export interface RequestBounds {
  readonly timeoutInSeconds: number
  readonly maxRetries: 0
  readonly abortSignal: AbortSignal
}

/** Langfuse's REST API, loaded when it is first needed. Opens no connection before it is asked for something. */
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

  /** One request, made once: by itself the client tries for minutes. Throws `LangfuseKeyRejected`, `LangfuseUnavailable`. */
  async request<T>(
    call: (resources: LangfuseResources, bounds: RequestBounds) => PromiseLike<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const tooLong = AbortSignal.timeout(this.#timeoutMs)
    const abortSignal = signal ? AbortSignal.any([signal, tooLong]) : tooLong
    // The client's own timeout ends with the headers of an answer.
    const bounds = { timeoutInSeconds: this.#timeoutMs / 1000, maxRetries: 0, abortSignal } as const
    const { host } = new URL(this.#access.baseUrl)
    try {
      this.#resources ??= load(this.#access)
      const resources = await this.#resources
      return await Promise.race([withoutRedirects(() => call(resources, bounds)), aborted(abortSignal)])
    } catch (error) {
      if (!tooLong.aborted && !isTimeout(error)) throw failureOf(error, { host, redact: this.redact })
      throw new LangfuseUnavailable(`Langfuse at ${host} did not answer within ${this.#timeoutMs / 1000} s.`)
    }
  }
}

async function load({ publicKey, secretKey, baseUrl }: LangfuseAccess): Promise<LangfuseResources> {
  const { LangfuseClient } = await import('@langfuse/client')
  const { silenceLangfuse } = await import('./silence.ts')
  silenceLangfuse()
  return new LangfuseClient({ publicKey, secretKey, baseUrl: baseUrl.replace(/(?<!\/)\/+$/, '') }).api
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const give = () => reject(signal.reason)
    if (signal.aborted) give()
    else signal.addEventListener('abort', give, { once: true })
  })
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'LangfuseAPITimeoutError'
}

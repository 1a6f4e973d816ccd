import { configureGlobalLogger, LogLevel } from '@langfuse/core'
import { z } from 'zod'
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

/** What Langfuse answers to what is put there, as far as it is used. */
export const answers = {
  score: z.object({ id: z.string() }),
  dataset: z.object({ id: z.string(), projectId: z.string() }),
  datasetItem: z.object({ id: z.string() }),
  datasetRunItem: z.object({ datasetRunId: z.string() }),
  datasetRun: z.object({
    id: z.string(),
    datasetRunItems: z.array(z.object({ datasetItemId: z.string(), traceId: z.string() })),
  }),
  projects: z.object({ data: z.array(z.object({ id: z.string(), name: z.string() })) }),
} as const

/**
 * An answer of the REST API, if it is one: the client hands on what came with a good status, whatever it is, the page
 * of a login or of another service too. Throws `LangfuseUnavailable`, which names what was asked for.
 */
export function checkedAnswer<Schema extends z.ZodType>(
  schema: Schema,
  answer: unknown,
  what: string,
): z.output<Schema> {
  const parsed = schema.safeParse(answer)
  if (parsed.success) return parsed.data
  throw new LangfuseUnavailable(`What came from Langfuse for ${what} is no answer of its API. Check LANGFUSE_BASE_URL.`)
}

/**
 * Keeps Langfuse's packages from writing to the console. At the wish of LANGFUSE_DEBUG or LANGFUSE_LOG_LEVEL they print
 * keys, and spans before they are redacted, into the output of a command; what goes wrong is told of by notices.
 */
export function silenceLangfuse(): void {
  configureGlobalLogger({ level: LogLevel.NONE })
}

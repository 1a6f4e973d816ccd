import { z } from 'zod'
import { ModelNotFound } from '../port/errors.ts'
import type { Endpoint, Reply } from './endpoint.ts'
import { clean, type Refusal, readProblem, refusalError, retryAfterMs } from './endpoint-errors.ts'

/** A request that was sent, and what came back. */
export interface Asked {
  readonly endpoint: Endpoint
  readonly model: string
  /** Length of what was sent. */
  readonly characters: number
  readonly signal: AbortSignal | undefined
  readonly reply: Reply
  /** The option or setting that chooses the model. */
  readonly chosenWith: string
  /** What the request asked for in addition to an answer; nothing, if absent. */
  readonly asksFor?: Refusal['asksFor']
}

/** True for the statuses that stand before an answer. */
export function isSuccess({ status }: Reply): boolean {
  return status >= 200 && status < 300
}

/** Reads what a server says instead of an answer; for an unknown model, also its list of models. */
export async function readRefusal(asked: Asked): Promise<Refusal> {
  const { reply } = asked
  const { code = null, message = null, param = null } = readProblem(await readShortJson(reply)) ?? {}
  const refusal = toRefusal({ code, message, param, status: reply.status }, asked)
  return refusalError(refusal) instanceof ModelNotFound ? { ...refusal, models: await listModels(asked) } : refusal
}

/** A server's words with all that an error needs to know of the request. */
export function toRefusal(problem: Pick<Refusal, 'code' | 'message' | 'param' | 'status'>, asked: Asked): Refusal {
  const { endpoint, model, characters, reply, chosenWith, asksFor } = asked
  return {
    ...problem,
    message: problem.message && clean(endpoint.redact(problem.message)),
    host: endpoint.host,
    hasKey: endpoint.hasKey,
    model,
    characters,
    retryAfterMs: retryAfterMs(reply.headers),
    models: null,
    chosenWith,
    ...(asksFor && { asksFor }),
  }
}

/** The names that a server offers; null if it does not list them at once. */
async function listModels({ endpoint, signal }: Asked): Promise<readonly string[] | null> {
  try {
    return await modelsIn(await endpoint.request('/models', { signal, headersTimeoutMs: 5000 }), endpoint)
  } catch {
    signal?.throwIfAborted()
    return null
  }
}

/** The names in a server's list of models; null for anything else. */
export async function modelsIn(reply: Reply, { redact }: Endpoint): Promise<readonly string[] | null> {
  const body = modelList.safeParse(await readShortJson(reply))
  return body.success ? body.data.data.map(({ id }) => redact(id)) : null
}

const modelList = z.object({ data: z.array(z.object({ id: z.string() })) })

/** A short body as JSON; undefined if it is no JSON, too long or broken off. */
export async function readShortJson({ body }: Reply): Promise<unknown> {
  const decoder = new TextDecoder()
  let text = ''
  try {
    for await (const bytes of body) {
      text += decoder.decode(bytes, { stream: true })
      if (text.length > shortBody) return undefined
    }
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const shortBody = 1_000_000

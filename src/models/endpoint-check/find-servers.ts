import type { Config } from '../../config.ts'
import { ConfigInvalid } from '../../errors.ts'
import { openEndpoint } from '../openai/endpoint.ts'
import { isSuccess, modelsIn } from '../openai/refused-request.ts'

/** A server of this computer that lists its models. */
export interface FoundServer {
  /** The program that usually has its port. */
  readonly name: string
  /** As `endpoint.baseUrl` takes it. */
  readonly baseUrl: string
  readonly models: readonly string[]
}

/** Where model servers listen unless they are told otherwise. */
const usualPorts: readonly { readonly name: string; readonly port: number }[] = [
  { name: 'Ollama', port: 11_434 },
  { name: 'LM Studio', port: 1234 },
  { name: 'llama.cpp', port: 8080 },
  { name: 'vLLM', port: 8000 },
]

/** So long each port is waited for. */
const lookMs = 2000

/** Looks for model servers at ports of this computer. They are sent no key. */
export async function findServers(
  settings: Config['settings'],
  { signal, ports = usualPorts }: { readonly signal: AbortSignal; readonly ports?: typeof usualPorts },
): Promise<readonly FoundServer[]> {
  const found = await Promise.all(
    ports.map(async ({ name, port }) => {
      const baseUrl = `http://127.0.0.1:${port}/v1`
      const models = await listModels({ baseUrl, apiKey: null }, settings, signal)
      return models ? [{ name, baseUrl, models }] : []
    }),
  )
  return found.flat()
}

/** The models that a server lists; null if it does not answer, or with no list. Throws `ConfigInvalid` for a wrong address. */
export async function listModels(
  server: { readonly baseUrl: string; readonly apiKey: string | null },
  { endpoint: settings }: Config['settings'],
  signal: AbortSignal,
): Promise<readonly string[] | null> {
  const endpoint = openEndpoint({ ...server, settings })
  try {
    const reply = await endpoint.request('/models', { signal, headersTimeoutMs: lookMs, totalTimeoutMs: 2 * lookMs })
    return isSuccess(reply) ? await modelsIn(reply, endpoint) : null
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof ConfigInvalid) throw error
    return null
  }
}

import type { Settings } from '../../config.ts'
import { ConfigInvalid } from '../../errors.ts'
import { AnswerTooLarge, EndpointTimeout, EndpointUnavailable, ModelError, StreamTruncated } from '../port/errors.ts'
import { clean } from './endpoint-errors.ts'

/** An OpenAI-compatible server. Nothing else knows its key, so no printed model and no callback can show it. */
export interface Endpoint {
  /** Host and port, as error messages name it. */
  readonly host: string
  readonly hasKey: boolean
  /**
   * Sends a request and waits for the headers. Rejects with `EndpointTimeout` or `EndpointUnavailable`, or with the
   * signal's reason; any status resolves.
   */
  readonly request: (path: string, options: RequestOptions) => Promise<Reply>
  /** Masks the key in a text of the server. */
  readonly redact: (text: string) => string
}

interface RequestOptions {
  /** JSON text of a POST; a GET without it. */
  readonly body?: string
  readonly signal?: AbortSignal | undefined
  /** Instead of the settings' time to wait for headers. */
  readonly headersTimeoutMs?: number
  /** For the whole answer, however steadily it arrives; no limit if absent. */
  readonly totalTimeoutMs?: number | undefined
  /** For the headers and the first piece of the body together; only the settings' times if absent. */
  readonly beginWithinMs?: number | undefined
}

/** A server's answer. Reading `body` to its end, or leaving it early, frees the connection. */
export interface Reply {
  readonly status: number
  readonly headers: Headers
  /** Throws `EndpointTimeout`, `StreamTruncated`, `AnswerTooLarge`, or the signal's reason. */
  readonly body: AsyncIterable<Uint8Array>
}

interface EndpointOptions {
  readonly baseUrl: string
  readonly apiKey: string | null
  readonly settings: Settings['endpoint']
  /** The setting or variable that names the address, for error messages. */
  readonly addressSetting?: string
  readonly fetch?: typeof globalThis.fetch | undefined
}

/** How long the body of a refusal may take. */
const longestRefusalMs = 5000

/** Opens no connection yet. Throws `ConfigInvalid` for an unusable base URL or key. */
export function openEndpoint(options: EndpointOptions): Endpoint {
  const { apiKey, settings, addressSetting = 'OPENAI_BASE_URL', fetch = globalThis.fetch } = options
  const base = parseBaseUrl(options.baseUrl)
  const { host } = base
  const headers = { ...commonHeaders, ...keyHeaders(base.hostname, apiKey) }
  return {
    host,
    hasKey: apiKey !== null,
    // Shorter ones are words such as "none" that local servers are given.
    redact: (text) => (apiKey && apiKey.length >= 8 ? text.replaceAll(apiKey, '[key]') : text),
    async request(path, { body, signal, totalTimeoutMs, beginWithinMs, headersTimeoutMs }) {
      const connection = connect(signal)
      const headersMs = headersTimeoutMs ?? settings.headersTimeoutSeconds * 1000
      const onHeaders = connection.closeAfter(headersMs, silence(host, headersMs))
      const onBegin = connection.closeAfter(beginWithinMs, silence(host, beginWithinMs))
      connection.closeAfter(totalTimeoutMs, endless(host, totalTimeoutMs))
      try {
        const method = body === undefined ? 'GET' : 'POST'
        // Not followed: a redirect would turn the question into a GET, or carry it to a host that nobody named.
        const init: RequestInit = { method, headers, redirect: 'manual', signal: connection.signal }
        const response = await fetch(join(base, path), body === undefined ? init : { ...init, body })
        onHeaders()
        if (!response.ok) {
          const refusalMs = Math.min(longestRefusalMs, settings.idleTimeoutSeconds * 1000)
          connection.closeAfter(refusalMs, endless(host, refusalMs))
        }
        const reading = { host, settings, connection, onBegin }
        return { status: response.status, headers: response.headers, body: readBody(response, reading) }
      } catch (error) {
        connection.close()
        signal?.throwIfAborted()
        throw connectionError(error, host, addressSetting)
      }
    },
  }
}

const commonHeaders = {
  'content-type': 'application/json',
  accept: 'text/event-stream, application/json',
  'user-agent': 'quaero',
}

function parseBaseUrl(baseUrl: string): URL {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null
  const isWeb = url && /^https?:$/.test(url.protocol)
  if (isWeb && !url.username && !url.password) return url
  const remedy = 'Set OPENAI_BASE_URL (or endpoint.baseUrl) to an address such as http://localhost:8000/v1'
  if (!url) throw new ConfigInvalid(`The endpoint's base URL cannot be read. ${remedy}`)
  throw new ConfigInvalid(
    isWeb
      ? `The endpoint's base URL must not hold a user name or password. ${remedy}, and the key in OPENAI_API_KEY`
      : `The endpoint's base URL must begin with http:// or https://, not ${url.protocol}. ${remedy}`,
  )
}

function join(base: URL, path: string): URL {
  const url = new URL(base)
  url.pathname = base.pathname.replace(/(?<!\/)\/+$/, '') + path
  return url
}

interface Connection {
  readonly signal: AbortSignal
  /** Closes the connection with an `EndpointTimeout` after `ms`, unless it is closed, or the result called, before. */
  readonly closeAfter: (ms: number | undefined, message: string) => () => void
  readonly close: () => void
}

/** `setTimeout` fires at once for more. */
const longestTimeoutMs = 2 ** 31 - 1

function connect(signal: AbortSignal | undefined): Connection {
  signal?.throwIfAborted()
  const controller = new AbortController()
  const stop = () => controller.abort(signal?.reason)
  signal?.addEventListener('abort', stop, { once: true })
  const timers = new Set<NodeJS.Timeout>()
  return {
    signal: controller.signal,
    closeAfter(ms, message) {
      if (ms === undefined) return () => {}
      const close = () => controller.abort(new EndpointTimeout(message))
      const timer = setTimeout(close, Math.min(ms, longestTimeoutMs))
      timers.add(timer)
      return () => {
        timers.delete(timer)
        clearTimeout(timer)
      }
    },
    close() {
      for (const timer of timers) clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
      controller.abort()
    },
  }
}

interface Reading {
  readonly host: string
  readonly settings: Settings['endpoint']
  readonly connection: Connection
  readonly onBegin: () => void
}

async function* readBody(
  response: Response,
  { host, settings, connection, onBegin }: Reading,
): AsyncGenerator<Uint8Array> {
  const { idleTimeoutSeconds, maxAnswerMegabytes } = settings
  const idleMs = idleTimeoutSeconds * 1000
  const silent = silence(host, idleMs, 'stopped in the middle of its answer')
  const reader = response.body?.getReader()
  let bytes = 0
  try {
    while (reader) {
      const onRead = connection.closeAfter(idleMs, silent)
      const { done, value } = await reader.read().finally(onRead)
      onBegin()
      if (done) return
      bytes += value.byteLength
      if (bytes > maxAnswerMegabytes * 1_000_000) {
        throw new AnswerTooLarge(
          `${host} sent more than ${maxAnswerMegabytes} MB as one answer (endpoint.maxAnswerMegabytes)`,
        )
      }
      yield value
    }
  } catch (error) {
    if (error instanceof ModelError || connection.signal.aborted) throw error
    throw new StreamTruncated(`${host} closed the connection in the middle of its answer`, { cause: error })
  } finally {
    connection.close()
  }
}

function silence(host: string, ms = 0, what = 'did not begin to answer'): string {
  return `${host} ${what} and was silent for ${Math.round(ms / 100) / 10} s`
}

function endless(host: string, ms = 0): string {
  return `${host} had not ended its answer after ${ms / 1000} s`
}

/**
 * The headers with the key: `Authorization`, and for Azure also `api-key`, where its REST reference wants a resource's
 * key. Throws `ConfigInvalid` for a key that no header can carry.
 */
export function keyHeaders(hostname: string, apiKey: string | null): Readonly<Record<string, string>> {
  if (apiKey === null) return {}
  // Checked here because `fetch` would print the whole key in its complaint.
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new ConfigInvalid('OPENAI_API_KEY holds a space or another character that a key cannot have; paste it again')
  }
  return { authorization: `Bearer ${apiKey}`, ...(azureHost.test(hostname) && { 'api-key': apiKey }) }
}

/** https://learn.microsoft.com/azure/ai-foundry/openai/reference names these. */
const azureHost = /\.(openai|cognitiveservices|services\.ai)\.azure\.com$/i

/** The typed error for a request that got no answer. `addressSetting`: what a person should check. */
export function connectionError(error: unknown, host: string, addressSetting = 'OPENAI_BASE_URL'): ModelError {
  if (error instanceof ModelError) return error
  const code = causeCode(error)
  const where = `Check ${addressSetting} and your network`
  const options = { cause: error }
  if (timeoutCodes.has(code)) return new EndpointTimeout(`${host} did not answer in time (${code}). ${where}`, options)
  const reasons: Readonly<Record<string, string>> = {
    ECONNREFUSED: `refuses the connection (ECONNREFUSED). Is the server running? Check ${addressSetting}`,
    ENOTFOUND: `is not a known host name (ENOTFOUND). ${where}`,
    EAI_AGAIN: 'cannot be looked up (EAI_AGAIN). Check your network',
    ECONNRESET: 'closed the connection before it answered (ECONNRESET)',
    UND_ERR_SOCKET: 'closed the connection before it answered (UND_ERR_SOCKET)',
  }
  const certificate = `offers no secure connection that can be trusted (${code}). For a server with a certificate of its own set NODE_EXTRA_CA_CERTS`
  const isCertificate = /CERT|SIGNATURE|^ERR_TLS|^ERR_SSL|^EPROTO/.test(code)
  const words = error instanceof Error ? clean(error.message) : 'unknown reason'
  const other = isCertificate ? certificate : `cannot be reached (${code || words}). ${where}`
  return new EndpointUnavailable(`${host} ${reasons[code] ?? other}`, options)
}

const timeoutCodes: ReadonlySet<string> = new Set([
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
])

/** Node hides the reason of a failed fetch in its causes; several addresses of one host make an aggregate. */
function causeCode(error: unknown): string {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth++) {
    if ('code' in cause && typeof cause.code === 'string') return cause.code
  }
  return ''
}

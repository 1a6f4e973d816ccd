import type { Settings } from '../../config.ts'
import { ConfigInvalid } from '../../errors.ts'
import { AnswerTooLarge, EndpointTimeout, EndpointUnavailable, ModelError, StreamTruncated } from '../port/errors.ts'
import { clean } from './endpoint-errors.ts'

/** An OpenAI-compatible server, and the only thing that knows its key. */
export interface Endpoint {
  /** Host and port, as error messages name it. */
  readonly host: string
  readonly hasKey: boolean
  /**
   * Sends a request and waits for the headers. Rejects with `EndpointTimeout` or `EndpointUnavailable`, or with the
   * signal's reason; any status resolves.
   */
  readonly request: (path: string, options: RequestOptions) => Promise<Reply>
  /** Takes the key out of a text that the server sent. */
  readonly redact: (text: string) => string
}

interface RequestOptions {
  /** JSON text of a POST; a GET without it. */
  readonly body?: string
  readonly signal?: AbortSignal | undefined
  /** Instead of the settings' time to wait for headers. */
  readonly headersTimeoutMs?: number
  /** For the answer as a whole, however steadily it trickles; no limit if it is not given. */
  readonly totalTimeoutMs?: number
  /** For the headers and the first piece of the body together; only the settings' times, if it is not given. */
  readonly beginWithinMs?: number | undefined
}

/** A server's answer. Reading `body` to its end, or leaving it early, frees the connection. */
export interface Reply {
  readonly status: number
  readonly headers: Headers
  /** Throws `EndpointTimeout`, `StreamTruncated`, `AnswerTooLarge`, or the signal's reason. */
  readonly body: AsyncIterable<Uint8Array>
}

/**
 * Opens no connection yet. The key is added to each request here and handed to nobody else, so that neither a printed
 * model nor a callback can show it. Throws `ConfigInvalid` for a base URL or a key that no request can carry.
 */
export function openEndpoint(options: {
  readonly baseUrl: string
  readonly apiKey: string | null
  readonly settings: Settings['endpoint']
  /** The setting or variable that names the address, for error messages. */
  readonly addressSetting?: string
  readonly fetch?: typeof globalThis.fetch | undefined
}): Endpoint {
  const { apiKey, settings, addressSetting = 'OPENAI_BASE_URL', fetch = globalThis.fetch } = options
  const base = parseBaseUrl(options.baseUrl)
  const headers = { ...commonHeaders, ...keyHeaders(base.hostname, apiKey) }
  return {
    host: base.host,
    hasKey: apiKey !== null,
    // Shorter ones are words such as "none" that local servers are given.
    redact: (text) => (apiKey && apiKey.length >= 8 ? text.replaceAll(apiKey, '[key]') : text),
    async request(path, { body, signal, headersTimeoutMs = settings.headersTimeoutSeconds * 1000, ...bounds }) {
      const connection = connect(signal)
      const onBegin = bind(connection, base.host, bounds)
      try {
        const method = body === undefined ? 'GET' : 'POST'
        // Not followed: a redirect would turn the question into a GET, or carry it to a host that nobody named.
        const init: RequestInit = { method, headers, redirect: 'manual', signal: connection.signal }
        const late = () => new EndpointTimeout(silence(base.host, 'did not begin to answer', headersTimeoutMs))
        const sent = fetch(join(base, path), body === undefined ? init : { ...init, body })
        const response = await connection.within(headersTimeoutMs, sent, late)
        // A refusal is known by its status; its words are not waited for as long as an answer.
        if (!response.ok) {
          const totalTimeoutMs = Math.min(longestRefusalMs, settings.idleTimeoutSeconds * 1000)
          bind(connection, base.host, { totalTimeoutMs })
        }
        return {
          status: response.status,
          headers: response.headers,
          body: readBody(response, { host: base.host, settings, connection, onBegin }),
        }
      } catch (error) {
        connection.close()
        signal?.throwIfAborted()
        throw connectionError(error, base.host, addressSetting)
      }
    },
  }
}

/** How long the words of a refusal may take. */
const longestRefusalMs = 5000

/** Closes the connection when a bound is passed; returns what is to be called when the answer has begun. */
function bind(
  connection: Connection,
  host: string,
  { totalTimeoutMs, beginWithinMs }: Pick<RequestOptions, 'totalTimeoutMs' | 'beginWithinMs'>,
): () => void {
  if (totalTimeoutMs !== undefined) {
    connection.closeAfter(totalTimeoutMs, () => new EndpointTimeout(endless(host, totalTimeoutMs)))
  }
  if (beginWithinMs === undefined) return () => {}
  return connection.closeAfter(
    beginWithinMs,
    () => new EndpointTimeout(silence(host, 'did not begin to answer', beginWithinMs)),
  )
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
  /** Waits for `work`, which must honour `signal`; closes the connection with the error of `late` after `ms`. */
  readonly within: <T>(ms: number, work: Promise<T>, late: () => ModelError) => Promise<T>
  /** Closes the connection with the error of `late` after `ms`, unless it is closed, or what it returns is called, before. */
  readonly closeAfter: (ms: number, late: () => ModelError) => () => void
  readonly close: () => void
}

function connect(signal: AbortSignal | undefined): Connection {
  const controller = new AbortController()
  const stop = () => controller.abort(signal?.reason)
  signal?.throwIfAborted()
  const timers = new Set<NodeJS.Timeout>()
  signal?.addEventListener('abort', stop, { once: true })
  const closeAfter: Connection['closeAfter'] = (ms, late) => {
    const timer = setTimeout(() => controller.abort(late()), Math.min(ms, longestTimeoutMs))
    timers.add(timer)
    return () => {
      timers.delete(timer)
      clearTimeout(timer)
    }
  }
  return {
    signal: controller.signal,
    closeAfter,
    within: (ms, work, late) => work.finally(closeAfter(ms, late)),
    close() {
      for (const timer of timers) clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
      controller.abort()
    },
  }
}

/** `setTimeout` fires at once when it is asked for more. */
const longestTimeoutMs = 2 ** 31 - 1

async function* readBody(
  response: Response,
  options: {
    readonly host: string
    readonly settings: Settings['endpoint']
    readonly connection: Connection
    readonly onBegin: () => void
  },
): AsyncGenerator<Uint8Array> {
  const { host, settings, connection, onBegin } = options
  const idleMs = settings.idleTimeoutSeconds * 1000
  const late = () => new EndpointTimeout(silence(host, 'stopped in the middle of its answer', idleMs))
  const reader = response.body?.getReader()
  let bytes = 0
  try {
    while (reader) {
      const { done, value } = await connection.within(idleMs, reader.read(), late)
      onBegin()
      if (done) return
      bytes += value.byteLength
      if (bytes > settings.maxAnswerMegabytes * 1_000_000) throw tooLarge(host, settings.maxAnswerMegabytes)
      yield value
    }
  } catch (error) {
    if (error instanceof ModelError || connection.signal.aborted) throw error
    throw new StreamTruncated(`${host} closed the connection in the middle of its answer`, { cause: error })
  } finally {
    connection.close()
  }
}

function silence(host: string, what: string, ms: number): string {
  return `${host} ${what} and was silent for ${Math.round(ms / 100) / 10} s`
}

function endless(host: string, ms: number): string {
  return `${host} had not ended its answer after ${ms / 1000} s`
}

function tooLarge(host: string, megabytes: number): AnswerTooLarge {
  return new AnswerTooLarge(`${host} sent more than ${megabytes} MB as one answer (endpoint.maxAnswerMegabytes)`)
}

/**
 * The headers that carry the key: `Authorization` for everybody, and for Azure also `api-key`, which is where its REST
 * reference wants a resource's key; its bearer tokens are Entra's. Throws `ConfigInvalid` for a key that no header can
 * carry.
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

/**
 * The typed error for a request that got no answer at all; `addressSetting` is what a person should look at. Typed
 * errors pass through.
 */
export function connectionError(error: unknown, host: string, addressSetting = 'OPENAI_BASE_URL'): ModelError {
  if (error instanceof ModelError) return error
  const code = causeCode(error)
  const where = `Check ${addressSetting} and your network`
  if (timeoutCodes.has(code))
    return new EndpointTimeout(`${host} did not answer in time (${code}). ${where}`, { cause: error })
  const reasons: Readonly<Record<string, string>> = {
    ECONNREFUSED: `refuses the connection (ECONNREFUSED). Is the server running? Check ${addressSetting}`,
    ENOTFOUND: `is not a known host name (ENOTFOUND). ${where}`,
    EAI_AGAIN: 'cannot be looked up (EAI_AGAIN). Check your network',
    ECONNRESET: 'closed the connection before it answered (ECONNRESET)',
    UND_ERR_SOCKET: 'closed the connection before it answered (UND_ERR_SOCKET)',
  }
  const reason =
    reasons[code] ??
    (/CERT|SIGNATURE|^ERR_TLS|^ERR_SSL|^EPROTO/.test(code)
      ? `offers no secure connection that can be trusted (${code}). For a server with a certificate of its own set NODE_EXTRA_CA_CERTS`
      : `cannot be reached (${code || describe(error)}). ${where}`)
  return new EndpointUnavailable(`${host} ${reason}`, { cause: error })
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

function describe(error: unknown): string {
  return error instanceof Error ? clean(error.message) : 'unknown reason'
}

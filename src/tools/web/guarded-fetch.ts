import { Agent, fetch, type Response } from 'undici'
import { ToolFailed } from '../../errors.ts'
import { type AddressRules, guardedConnector, webAddress } from './address-guard.ts'
import { limitedBody, withDeadline } from './limits.ts'

/** A page of the web as text. */
export interface FetchedPage {
  /** After all redirects. */
  readonly url: string
  readonly contentType: 'text/html' | 'text/plain'
  readonly text: string
}

export interface GuardedFetchOptions extends AddressRules {
  readonly signal: AbortSignal
  /** For names, redirects, headers and body together. */
  readonly timeoutMs: number
  /** Of the decompressed body. */
  readonly maxBytes: number
  readonly maxRedirects?: number | undefined
}

/**
 * Reads one HTML or text page of the open web. Each address, also of redirects, must be public, on port 80 or 443.
 * Throws `AddressRefused`, and `ToolFailed` for every other failure.
 */
export async function guardedFetch(url: string, options: GuardedFetchOptions): Promise<FetchedPage> {
  const first = webAddress(url, options)
  const dispatcher = new Agent({ connect: guardedConnector(options), pipelining: 0 })
  try {
    return await withDeadline({ host: first.host, timeoutMs: options.timeoutMs, signal: options.signal }, (signal) =>
      follow(first, { ...options, dispatcher, signal, maxRedirects: options.maxRedirects ?? 5 }),
    )
  } finally {
    await dispatcher.destroy()
  }
}

type Journey = GuardedFetchOptions & { readonly dispatcher: Agent; readonly maxRedirects: number }

async function follow(first: URL, journey: Journey): Promise<FetchedPage> {
  const { dispatcher, signal, maxBytes, maxRedirects } = journey
  let url = first
  for (let hops = 0; hops <= maxRedirects; hops += 1) {
    const response = await fetch(url, { dispatcher, signal, redirect: 'manual', headers: requestHeaders })
    const location = redirects.has(response.status) ? response.headers.get('location') : null
    if (location === null) return readPage(response, url, maxBytes)
    await response.body?.cancel()
    url = webAddress(location, { ...journey, base: url.href })
  }
  throw new ToolFailed(`${first.host} redirected more than ${maxRedirects} times.`)
}

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

const requestHeaders = {
  accept: 'text/html, application/xhtml+xml, text/plain;q=0.9, text/markdown;q=0.9',
  'user-agent': 'Mozilla/5.0 (compatible; Quaero)',
}

const contentTypes: Readonly<Record<string, FetchedPage['contentType']>> = {
  'text/html': 'text/html',
  'application/xhtml+xml': 'text/html',
  'text/plain': 'text/plain',
  'text/markdown': 'text/plain',
}

async function readPage(response: Response, url: URL, maxBytes: number): Promise<FetchedPage> {
  if (!response.ok) throw new ToolFailed(`${url.host} answered with status ${response.status}.`)
  const [type = '', ...parameters] = (response.headers.get('content-type') ?? '').toLowerCase().split(';')
  const contentType = contentTypes[type.trim()]
  if (!contentType) {
    throw new ToolFailed(
      `${url.host} sent ${type.trim() || 'something of no named type'}; only HTML and text are read.`,
    )
  }
  const bytes = await limitedBody(response.body, { maxBytes, host: url.host })
  const charset = charsetIn(parameters.join(';')) ?? (contentType === 'text/html' ? declaredCharset(bytes) : null)
  return { url: url.href, contentType, text: decode(bytes, charset) }
}

/** HTML may name its encoding within its first 1,024 bytes (HTML standard, 13.2.3.2). */
function declaredCharset(bytes: Uint8Array): string | null {
  const beginning = Buffer.from(bytes.subarray(0, 1024)).toString('latin1')
  return /<meta/i.test(beginning) ? charsetIn(beginning) : null
}

function charsetIn(text: string): string | null {
  return /charset\s{0,9}=\s{0,9}["']?([\w:.-]{1,40})/i.exec(text)?.[1] ?? null
}

function decode(bytes: Uint8Array, charset: string | null): string {
  try {
    return new TextDecoder(charset ?? 'utf-8').decode(bytes)
  } catch {
    // An unknown encoding: its ASCII part can still be read.
    return new TextDecoder('utf-8').decode(bytes)
  }
}

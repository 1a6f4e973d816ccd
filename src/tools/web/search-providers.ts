import { z } from 'zod'
import { ToolFailed } from '../../errors.ts'
import { withDeadline } from './deadline.ts'
import { limitedBody } from './limited-body.ts'

/** Which service searches the web, and what it needs. */
export type SearchProvider =
  | { readonly tavilyApiKey: string; readonly baseUrl?: string | undefined }
  | { readonly searxngUrl: string }

/** One result of a web search as the service gives it. */
export interface WebResult {
  readonly title: string
  readonly url: string
  readonly text: string
}

export interface SearchRequest {
  readonly query: string
  readonly maxResults: number
  readonly timeoutMs: number
  readonly signal: AbortSignal
  readonly fetch: typeof globalThis.fetch
}

/**
 * Asks the service. Throws `ToolFailed` with the host and what went wrong; neither the key nor anything that the
 * service wrote stands in it.
 */
export function searchTheWeb(provider: SearchProvider, request: SearchRequest): Promise<readonly WebResult[]> {
  return 'tavilyApiKey' in provider ? askTavily(provider, request) : askSearxng(provider, request)
}

/** What both services answer with, among other things. */
const searchReply = z.object({
  results: z.array(
    z
      .object({ title: z.string().nullish(), url: z.string(), content: z.string().nullish() })
      .transform(({ title, url, content }): WebResult => ({ title: title ?? '', url, text: content ?? '' })),
  ),
})

// https://docs.tavily.com/documentation/api-reference/endpoint/search
async function askTavily(
  { tavilyApiKey, baseUrl = 'https://api.tavily.com' }: Extract<SearchProvider, { tavilyApiKey: string }>,
  request: SearchRequest,
): Promise<readonly WebResult[]> {
  return ask(request, {
    url: new URL(`${baseUrl.replace(/(?<!\/)\/+$/, '')}/search`),
    init: {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${tavilyApiKey}` },
      // Longer queries are refused.
      body: JSON.stringify({ query: request.query.slice(0, 400), max_results: request.maxResults }),
      redirect: 'error',
    },
    remedies: {
      401: 'the key was rejected; check TAVILY_API_KEY',
      403: 'the key was rejected; check TAVILY_API_KEY',
      432: "the plan's limit is used up",
      433: 'the limit of pay-as-you-go is used up',
    },
  })
}

// https://docs.searxng.org/dev/search_api.html
async function askSearxng(
  { searxngUrl }: Extract<SearchProvider, { searxngUrl: string }>,
  request: SearchRequest,
): Promise<readonly WebResult[]> {
  if (!URL.canParse(searxngUrl)) throw new ToolFailed('Web search is not possible: SEARXNG_URL is not a web address.')
  const base = new URL(searxngUrl)
  const url = new URL(`${base.origin}${base.pathname.replace(/(?<!\/)\/+$/, '')}/search`)
  url.search = new URLSearchParams({ q: request.query, format: 'json' }).toString()
  return ask(request, {
    url,
    init: { headers: { accept: 'application/json', ...basicAuthorization(base) } },
    remedies: { 403: 'its settings.yml must list json under search.formats' },
  })
}

function basicAuthorization({ username, password }: URL): { authorization?: string } {
  if (!username) return {}
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` }
}

interface Question {
  readonly url: URL
  readonly init: RequestInit
  /** What a person should do about a status. */
  readonly remedies: Readonly<Record<number, string>>
}

const maxReplyBytes = 5_000_000

async function ask(request: SearchRequest, { url, init, remedies }: Question): Promise<readonly WebResult[]> {
  const { host } = url
  return withDeadline({ host, timeoutMs: request.timeoutMs, signal: request.signal }, async (signal) => {
    const response = await request.fetch(url, { ...init, signal })
    if (!response.ok) {
      await response.body?.cancel()
      const remedy = remedies[response.status] ?? generalRemedy(response.status)
      throw new ToolFailed(
        `Web search failed: ${host} answered with status ${response.status}${remedy && `; ${remedy}`}.`,
      )
    }
    const bytes = await limitedBody(response.body, { maxBytes: maxReplyBytes, host })
    const parsed = searchReply.safeParse(parsedJson(Buffer.from(bytes).toString('utf8')))
    if (!parsed.success) throw new ToolFailed(`Web search failed: ${host} did not answer with search results.`)
    return parsed.data.results
  })
}

function generalRemedy(status: number): string {
  if (status === 429) return 'too many searches, try again later'
  return status >= 500 ? 'the service has a problem, try again later' : ''
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

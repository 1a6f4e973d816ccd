import { AsyncLocalStorage } from 'node:async_hooks'

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/**
 * `fetch` that goes nowhere else than it was told to: what it carries is for one server. Elsewhere, headers of one's own
 * would go along, after 307 and 308 the body too; after 301 and 302 nothing of the body, and yet all would look well.
 * Rejects where it is redirected.
 */
export async function unredirected(
  send: typeof globalThis.fetch,
  ...[input, init]: Parameters<typeof globalThis.fetch>
): Promise<Response> {
  const response = await send(input, { ...init, redirect: 'manual' })
  if (!redirects.has(response.status)) return response
  await response.body?.cancel()
  const { host } = new URL(response.url)
  throw new Error(`${host} redirects${elsewhere(response)} (${response.status}), which is not followed`)
}

const within = new AsyncLocalStorage<true>()
/** How many are under way, and what they take for the global `fetch`. */
let count = 0
let ours: typeof globalThis.fetch | null = null
let before = globalThis.fetch

/**
 * Does the work with no request of it redirected, for a client that takes no `fetch` of its own. The global one is
 * another while such work is under way; requests of anybody else pass through it as they are.
 */
export async function withoutRedirects<T>(work: () => PromiseLike<T>): Promise<T> {
  if (globalThis.fetch !== ours) install(globalThis.fetch)
  count += 1
  try {
    return await within.run(true, async () => await work())
  } finally {
    count -= 1
    if (count === 0 && globalThis.fetch === ours) globalThis.fetch = before
  }
}

/** A new one each time, since whoever replaced the one before may call it still. */
function install(theirs: typeof globalThis.fetch): void {
  before = theirs
  ours = (...request) => (within.getStore() ? unredirected(theirs, ...request) : theirs(...request))
  globalThis.fetch = ours
}

function elsewhere({ headers, url }: Response): string {
  const location = headers.get('location')
  return location !== null && URL.canParse(location, url) ? ` to ${new URL(location, url).host}` : ''
}

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/**
 * `fetch` that follows no redirect: its headers and body are meant for one server. Rejects if it is redirected.
 */
export async function unredirected(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, { ...init, redirect: 'manual' })
  if (!redirects.has(response.status)) return response
  await response.body?.cancel()
  const { host } = new URL(response.url)
  throw new Error(`${host} redirects${targetOf(response)} (${response.status}), which is not followed`)
}

function targetOf({ headers, url }: Response): string {
  const location = headers.get('location')
  return location !== null && URL.canParse(location, url) ? ` to ${new URL(location, url).host}` : ''
}

import type { MiddlewareHandler } from 'hono'
import { cors } from 'hono/cors'

/** Headers that clients in a browser read: where a run is, and how much a list has. */
const shownHeaders = [
  'Content-Location',
  'Location',
  'Retry-After',
  'X-Pagination-Total',
  'X-Vercel-AI-UI-Message-Stream',
]

/**
 * Lets pages of the named origins read what is answered, and ask beforehand whether they may send their token. Cookies are
 * not taken from them.
 */
export function crossOrigin(origins: readonly string[]): MiddlewareHandler {
  return cors({
    origin: (origin) => (origins.includes(origin) ? origin : null),
    allowMethods: ['GET', 'POST', 'PATCH', 'DELETE'],
    exposeHeaders: shownHeaders,
    maxAge: 600,
  })
}

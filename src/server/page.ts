import { createReadStream, existsSync, statSync } from 'node:fs'
import { extname, join, normalize, sep } from 'node:path'
import { Readable } from 'node:stream'
import { Hono } from 'hono'

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
}

/** The page and its files, from the folder that they were built into. */
export function pageRoutes(folder: string): Hono {
  const send = (name: string): Response | null => {
    const path = normalize(join(folder, name))
    if (!path.startsWith(folder + sep) || !existsSync(path) || !statSync(path).isFile()) return null
    const headers = { 'content-type': types[extname(path)] ?? 'application/octet-stream', 'cache-control': 'no-cache' }
    // Node's web streams and those of the global types are the same.
    return new Response(Readable.toWeb(createReadStream(path)), { headers })
  }
  return new Hono()
    .get('/', (c) => send('index.html') ?? c.text('The page has not been built: npm run build', 503))
    .get('/assets/*', (c) => send(c.req.path.slice('/assets/'.length)) ?? c.notFound())
}

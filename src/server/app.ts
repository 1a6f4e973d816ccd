import { dirname } from 'node:path'
import type { OpenAPIHono } from '@hono/zod-openapi'
import { createMcpHandler } from '@modelcontextprotocol/server'
import { setCookie } from 'hono/cookie'
import type { Quaero } from '../index.ts'
import { Attempts } from './access/attempts.ts'
import { crossOrigin } from './access/cross-origin.ts'
import { type GuardOptions, guards, tokenCookie } from './access/guards.ts'
import { outward } from './access/outward.ts'
import { type SlotLimits, Slots } from './access/slots.ts'
import { type UploadLimits, UserDocuments } from './access/user-documents.ts'
import { threadPrefix, UserEngine, type UserEngineParts } from './access/user-engine.ts'
import { aiSdkRoutes } from './ai-sdk/routes.ts'
import { documentRoutes } from './api/documents.ts'
import { questionRoutes } from './api/questions.ts'
import { routes } from './api/routes.ts'
import { threadRoutes } from './api/threads.ts'
import { langgraphPaths, langgraphRoutes } from './langgraph/routes.ts'
import { langgraphV2Routes } from './langgraph-v2/routes.ts'
import { mcpServer } from './mcp/mcp-server.ts'
import type { Metrics } from './metrics.ts'
import { openaiRoutes } from './openai/routes.ts'
import { pageRoutes } from './page.ts'

export interface AppOptions extends GuardOptions {
  readonly quaero: Quaero
  readonly version: string
  /** The folder that uploads and the library lie in; null where nothing is kept. */
  readonly dataDir: string | null
  readonly runs: SlotLimits
  readonly uploads: UploadLimits
  readonly metrics: Metrics
  /** The folder of the built page. */
  readonly pageFolder: string
  /** False once the server is stopping. */
  readonly isReady: () => boolean
  /** Aborted as soon as it is stopping. */
  readonly stopping?: AbortSignal
}

/** Everything that is served, as one function from a request to a response. */
export function buildApp({
  quaero,
  version,
  dataDir,
  runs,
  uploads,
  metrics,
  pageFolder,
  isReady,
  stopping,
  ...access
}: AppOptions): OpenAPIHono {
  const app = routes()
  const slots = new Slots(runs)
  const attempts = new Attempts(stopping)
  const observe: UserEngineParts['observe'] = (event) => {
    metrics.observe(event)
    attempts.observe(event)
  }
  let folders: readonly string[] = []
  const learnFolders = async () => {
    const sources = (await quaero.library.list())
      .map(({ source }) => dirname(source))
      .filter((each) => each.startsWith('/'))
    const all = new Set([...sources, ...(dataDir === null ? [] : [dataDir]), process.cwd()])
    folders = [...all].sort((one, other) => other.length - one.length)
  }
  app.use(crossOrigin(access.origins))
  app.use(...guards(access))
  app.get('/ok', (c) => c.json({ ok: true }))
  app.get('/ready', (c) => c.json({ ready: isReady() }, isReady() ? 200 : 503))
  app.get('/metrics', async (c) => c.body(await metrics.text(), 200, { 'Content-Type': metrics.contentType }))
  app.use(async (c, next) => {
    if (!isForUsers(c.req.path)) return next()
    if (!isReady()) return c.json({ error: { code: 'not_ready', message: 'The server is stopping.' } }, 503)
    await learnFolders()
    const { user } = c.var
    const leaving = outward({ prefix: threadPrefix(user), folders: () => folders })
    c.set(
      'engine',
      new UserEngine({
        quaero,
        user,
        take: (each) => slots.take(each),
        outward: leaving,
        observe,
        attempts,
      }),
    )
    const place = dataDir === null ? null : `${dataDir}/uploads`
    c.set('documents', new UserDocuments({ quaero, user, outward: leaving, uploads: place, limits: uploads }))
    return next()
  })
  app.post('/api/session', (c) => {
    const token = /^Bearer (\S+)$/i.exec(c.req.header('authorization') ?? '')?.[1] ?? ''
    setCookie(c, tokenCookie, token, { httpOnly: true, sameSite: 'Strict', path: '/' })
    return c.json({ user: c.var.user.name })
  })
  app.route('/api', questionRoutes())
  app.route('/api', threadRoutes())
  app.route('/api', documentRoutes())
  app.route('/api/chat', aiSdkRoutes())
  app.route('/v1', openaiRoutes())
  app.route('/', langgraphRoutes(version))
  app.route('/', langgraphV2Routes())
  app.all('/mcp', (c) => {
    const { engine, documents } = c.var
    return createMcpHandler(() => mcpServer({ engine, documents, version })).fetch(c.req.raw)
  })
  app.route('/', pageRoutes(pageFolder))
  app.doc31('/api/openapi.json', { openapi: '3.1.0', info: { title: 'Quaero', version } })
  app.notFound((c) => c.json({ error: { code: 'not_found', message: 'There is nothing at this address.' } }, 404))
  return app as unknown as OpenAPIHono
}

function isForUsers(path: string): boolean {
  const [, first = ''] = path.split('/')
  return ['api', 'v1', 'mcp'].includes(first) || langgraphPaths.includes(`/${first}`)
}

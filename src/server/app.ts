import type { HttpBindings } from '@hono/node-server'
import type { OpenAPIHono } from '@hono/zod-openapi'
import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { setCookie } from 'hono/cookie'
import {
  crossOrigin,
  type GuardOptions,
  guards,
  onlyJson,
  openRequests,
  tokenCookie,
  untilReplied,
} from './access/guards.ts'
import { refusal } from './access/refusals.ts'
import { allRights, type Rights } from './access/rights.ts'
import { type SlotLimits, Turns } from './access/slots.ts'
import type { User } from './access/users.ts'
import { aiSdkRoutes } from './ai-sdk/routes.ts'
import { claimRoutes } from './api/claims.ts'
import { documentRoutes } from './api/documents.ts'
import { routes } from './api/endpoint.ts'
import { questionRoutes } from './api/questions.ts'
import { threadRoutes } from './api/threads.ts'
import { langgraphPaths, langgraphRoutes } from './langgraph/routes.ts'
import { langgraphV2Routes } from './langgraph-v2/routes.ts'
import { mcpRoutes } from './mcp/mcp-server.ts'
import { type Metrics, soon } from './metrics.ts'
import { openaiRoutes } from './openai/routes.ts'
import { pageRoutes } from './page.ts'
import type { Served } from './protocol/protocol.ts'
import type { Libraries, Library } from './user/libraries.ts'
import { outward } from './user/outward.ts'
import { RunsAtWork } from './user/runs-at-work.ts'
import type { UploadLimits } from './user/upload-folder.ts'
import { Uploads } from './user/uploads.ts'
import { UserClaims } from './user/user-claims.ts'
import { UserDocuments, type UserDocumentsParts } from './user/user-documents.ts'
import { type RunBounds, threadPrefix, UserEngine } from './user/user-engine.ts'

export interface AppOptions extends GuardOptions {
  readonly libraries: Libraries
  /** What each user may do with documents; all may read them, if absent. */
  readonly rights?: (user: User) => Rights
  readonly version: string
  readonly runs: SlotLimits
  /** How long a question waits in line where all places are taken. Milliseconds. */
  readonly lineMs?: number
  readonly requests: SlotLimits
  /** Bounds of a run that no user can exceed; null where there is none. */
  readonly bounds: RunBounds
  /** Threads without a question that a user may have. */
  readonly unaskedThreads: number
  readonly uploads: UploadLimits
  /** Whose workers read what is uploaded; null: this process does. */
  readonly queue: UserDocumentsParts['queue']
  readonly metrics: Metrics
  /** The folder of the built page. */
  readonly pageFolder: string
  /** False once the server is stopping. */
  readonly isReady: () => boolean
  /** Rejects, or takes long, while the storage cannot be used. */
  readonly checkStorage?: () => Promise<unknown>
  /** How full the queue is, and who works on it; absent where there is none. */
  readonly queueFigures?: () => Promise<Waiting>
  /** Aborted as soon as it is stopping. */
  readonly stopping?: AbortSignal
}

/** Everything that is served, as one function from a request to a response. */
export function buildApp(options: AppOptions): OpenAPIHono<Served> {
  const { version } = options
  const app = routes()
  app.use(crossOrigin(options.origins))
  app.use(headAlone)
  app.use(...guards(options))
  app.route('/', probes(options))
  // A body is read only for who may send it and has a place among the open requests.
  app.use(openRequests(options.requests), onlyJson, asUser(options))
  app.post('/api/session', (c) => {
    const token = /^Bearer (\S+)$/i.exec(c.req.header('authorization') ?? '')?.[1] ?? ''
    // A request with the cookie alone has it already.
    if (token !== '') setCookie(c, tokenCookie(c), token, { httpOnly: true, sameSite: 'Strict', path: '/' })
    return c.json({ user: c.var.user.name, reports: c.var.claims.reportKind })
  })
  app.route('/api', questionRoutes())
  app.route('/api', threadRoutes())
  app.route('/api', documentRoutes())
  app.route('/api', claimRoutes())
  app.route('/api/chat', aiSdkRoutes())
  app.route('/v1', openaiRoutes())
  app.route('/', langgraphRoutes(version))
  app.route('/', langgraphV2Routes())
  app.route('/mcp', mcpRoutes(version))
  app.route('/', pageRoutes(options.pageFolder))
  app.doc31('/api/openapi.json', { openapi: '3.1.0', info: { title: 'Quaero', version } })
  app.notFound((c) => c.json(refusal('not_found', 'There is nothing at this address.'), 404))
  return app
}

/** HEAD is answered as GET is, and nobody reads the body: what would send it is ended. */
const headAlone: MiddlewareHandler = async (c, next) => {
  await next()
  if (c.req.method === 'HEAD') await c.res.body?.cancel()
}

/** What monitors and load balancers ask for. */
function probes({ isReady, checkStorage = async () => {}, queueFigures, metrics }: AppOptions): Hono {
  return new Hono()
    .get('/ok', (c) => c.json({ ok: true }))
    .get('/ready', async (c) => {
      const ready = isReady() && (await soon(() => checkStorage().then(() => true))) === true
      const figures = queueFigures && (await soon(queueFigures))
      return c.json({ ready, ...(figures && waitingFor(figures)) }, ready ? 200 : 503)
    })
    .get('/metrics', async (c) => c.body(await metrics.text(), 200, { 'Content-Type': metrics.contentType }))
}

interface Waiting {
  readonly waiting: number
  readonly workers: number
}

function waitingFor({ waiting, workers }: Waiting) {
  return { waiting, workers, ...(workers === 0 && { note: 'No worker is connected: questions wait.' }) }
}

/** Gives the routes the engine and the documents of the user who asks. */
function asUser(options: AppOptions): MiddlewareHandler<Served> {
  const { libraries, bounds, unaskedThreads, uploads: limits, queue, metrics, isReady, stopping } = options
  const { runs: places, lineMs = 20_000, rights: rightsOf = () => allRights } = options
  const work = new RunsAtWork({ places, lineMs, isQueued: queue !== null, observe: metrics.observe, stopping })
  const turns = new Turns()
  const underWay = new Uploads()
  const recover = (library: Library) => underWay.recoverIn(library, { queue, silenceMs: limits.silenceMs })
  if (libraries.shared) recover(libraries.shared)
  return async (c, next) => {
    if (!isForUsers(c.req.path)) return next()
    if (!isReady()) return c.json(refusal('not_ready', 'The server is stopping.'), 503)
    const { user } = c.var
    const { library, release } = await libraries.of(user)
    const { quaero, dataDir, hold } = library
    recover(library)
    const rights = rightsOf(user)
    const hidden = new Set(rights.hidden.length > 0 ? await quaero.library.tagged(rights.hidden) : [])
    const readable = hidden.size > 0 ? quaero.library.without([...hidden]) : quaero.library
    const seen = { rights, hidden, library: readable, outward: outward({ prefix: threadPrefix(user) }) }
    const shared = { quaero, user, ...seen, turns }
    const uploads = dataDir === null ? null : `${dataDir}/uploads`
    const left = leftBy(c)
    c.set('left', left)
    const parts = { ...shared, hold, work, bounds, unaskedThreads, left: left.signal }
    const engine = new UserEngine(parts)
    c.set('engine', engine)
    c.set('claims', new UserClaims(engine, parts))
    const { countFallen } = metrics
    const reading = { uploads, limits, queue, underWay, stopping, countFallen }
    c.set('documents', new UserDocuments({ ...shared, ...reading }))
    return untilReplied(c, release, next)
  }
}

/** Aborted once the client has left, or has the whole reply. */
function leftBy(c: Context): AbortController {
  const left = new AbortController()
  const leave = () => left.abort()
  const { outgoing }: Partial<HttpBindings> = c.env ?? {}
  outgoing?.once('close', leave)
  // Without a connection, as in tests of the app alone, the request says it.
  if (!outgoing) c.req.raw.signal.addEventListener('abort', leave, { once: true })
  return left
}

function isForUsers(path: string): boolean {
  const [, first = ''] = path.split('/')
  return ['api', 'v1', 'mcp'].includes(first) || langgraphPaths.includes(`/${first}`)
}

import type { HttpBindings } from '@hono/node-server'
import type { Context, MiddlewareHandler, Next } from 'hono'
import { getCookie } from 'hono/cookie'
import { cors } from 'hono/cors'
import { HTTPException } from 'hono/http-exception'
import { secureHeaders } from 'hono/secure-headers'
import { refusal, TooManyRequests } from './refusals.ts'
import { type SlotLimits, Slots } from './slots.ts'
import type { User, Users } from './users.ts'

/** What the guards leave for the routes behind them. */
export interface Guarded {
  Variables: {
    user: User
    /** Counts this request no longer among the open ones, though its reply is still to come. */
    leave: () => void
  }
}

export interface GuardOptions {
  readonly users: Users
  /** Names of this host, with or without a port; in a port's place, any will do where it is left out. */
  readonly hosts: readonly string[]
  /** Origins of pages elsewhere that may send requests, for instance `https://studio.example`. */
  readonly origins: readonly string[]
}

/** The name of the cookie that a browser gets in exchange for its token: browsers send those of all ports of a host. */
export function tokenCookie(c: Context): string {
  const port = /:(\d{1,5})$/.exec(c.req.header('host') ?? '')?.[1]
  return port === undefined ? 'quaero_token' : `quaero_token_${port}`
}

/** Where files are sent to. */
export const uploadPath = '/api/documents'

/** Bytes of a request that is not an upload. */
export const longestBody = 1024 * 1024

/** Paths that need no token: the page itself, which holds nothing, and whether the server is alive. */
const open = new Set(['/', '/ok', '/ready', '/favicon.ico'])
const openFolder = '/assets/'

/**
 * Every request passes these in this order: the host it names (against DNS rebinding), the page it comes from (against
 * forged requests, whatever their content type), its token. None of them reads a body.
 */
export function guards({ users, hosts, origins }: GuardOptions): readonly MiddlewareHandler<Guarded>[] {
  return [
    secureReplies(),
    async (c, next) => {
      const host = c.req.header('host') ?? ''
      if (hosts.some((each) => each === host || each === withoutPort(host))) return next()
      return c.json(
        refusal('host_refused', 'This server does not answer under this name. --host or server.hosts add names.'),
        403,
      )
    },
    async (c, next) => {
      if (isFromHere(c) || origins.includes(c.req.header('origin') ?? '')) return next()
      return c.json(
        refusal('origin_refused', 'Requests from pages of this origin are refused. server.origins allows more.'),
        403,
      )
    },
    async (c, next) => {
      if (isOpen(c.req.path)) return next()
      const token = tokenOf(c.req.header('authorization'), c.req.header('x-api-key'), getCookie(c, tokenCookie(c)))
      const user = users(token)
      if (user) {
        c.set('user', user)
        return next()
      }
      c.header('WWW-Authenticate', 'Bearer')
      return c.json(token === '' ? refusal('token_missing', noToken) : refusal('token_refused', wrongToken), 401)
    },
  ]
}

const noToken =
  'Send your token as Authorization: Bearer. "quaero serve" printed it with its link, unless it was started with --tokens.'
const wrongToken =
  'Nobody has this token. Send the one that "quaero serve" printed with its link, or that your operator gave you.'

/**
 * Lets pages of the named origins read what is answered, and ask beforehand whether they may send their token. Cookies are
 * not taken from them.
 */
export function crossOrigin(origins: readonly string[]): MiddlewareHandler {
  return cors({
    origin: (origin) => (origins.includes(origin) ? origin : null),
    allowMethods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    // Where a run is, and how much a list has.
    exposeHeaders: [
      'Content-Location',
      'Location',
      'Retry-After',
      'X-Pagination-Total',
      'X-Vercel-AI-UI-Message-Stream',
    ],
    maxAge: 600,
  })
}

/**
 * All bodies but files are JSON, and say so: a form of another page can send neither. They nest only so deep that
 * everything behind can walk through them. What is open without a token takes no body, so none is read.
 */
export const onlyJson: MiddlewareHandler<Guarded> = async (c, next) => {
  if (isOpen(c.req.path) || isUpload(c)) return next()
  // Before the body is touched, so that the rest is drained and the connection can be used again.
  const isLong = Number(c.req.header('content-length') ?? 0) > longestBody
  const text = isLong ? null : await bodyOf(c)
  if (text === null) return c.json(refusal('too_large', `A request has at most ${longestBody} bytes.`), 413)
  if (text === '') return next()
  if (!/^application\/json\s*(;|$)/i.test(c.req.header('content-type') ?? ''))
    return c.json(refusal('no_json', 'Send the body as JSON, with "Content-Type: application/json".'), 415)
  const problem = problemOfJson(text)
  return problem === null ? next() : c.json(refusal('usage', problem), 400)
}

/** The body, which the routes behind can read again; empty if there is none, null if it is too long. */
async function bodyOf(c: Context): Promise<string | null> {
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of c.req.raw.body ?? []) {
      size += chunk.length
      if (size <= longestBody) chunks.push(chunk)
      // Who sends without end is cut off; others can still read the refusal.
      else if (size > 16 * longestBody) break
    }
  } catch {
    throw new HTTPException(400, { message: 'The body did not arrive as a whole.' })
  }
  if (size > longestBody) return null
  const text = Buffer.concat(chunks).toString()
  // Hono keeps a promise here, which the declaration of its type does not say.
  Object.assign(c.req.bodyCache, { text: Promise.resolve(text) })
  return text
}

/** The one route that takes the bytes of a file; it has limits of its own. */
function isUpload(c: Context): boolean {
  return c.req.method === 'POST' && c.req.path === uploadPath
}

const deepest = 64

function problemOfJson(text: string): string | null {
  let level: readonly unknown[]
  try {
    level = [JSON.parse(text)]
  } catch {
    return 'The body is no JSON.'
  }
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > deepest) return `The body nests deeper than ${deepest} levels.`
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []))
  }
  return null
}

function withoutPort(host: string): string {
  return host.replace(/:\d{1,5}$/, '')
}

/**
 * True for requests of the page that this server delivers, and of programs, which name no origin. Browsers that name none
 * say with "Sec-Fetch-Site" whether a page elsewhere sends the request; such a page may link to what is open.
 */
function isFromHere(c: Context): boolean {
  const [origin, site = 'none'] = [c.req.header('origin'), c.req.header('sec-fetch-site')]
  if (origin !== undefined) return isOwn(origin, c.req.header('host') ?? '')
  return site === 'none' || site === 'same-origin' || isOpen(c.req.path)
}

function isOpen(path: string): boolean {
  return open.has(path) || path.startsWith(openFolder)
}

/** The origin of the page that this server itself delivers, under the name that the request uses. */
function isOwn(origin: string, host: string): boolean {
  return URL.canParse(origin) && new URL(origin).host === host
}

function tokenOf(authorization = '', key = '', cookie = ''): string {
  return /^Bearer (\S+)$/i.exec(authorization)?.[1] ?? (key || cookie)
}

/** Nothing but this server's own files runs in its pages, and no other page frames them. */
export function secureReplies(): MiddlewareHandler {
  const secure = secureHeaders({
    contentSecurityPolicy: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'", "'wasm-unsafe-eval'"],
      styleSrc: ["'self'"],
      imgSrc: ["'self'", 'data:', 'blob:'],
      fontSrc: ["'self'", 'data:'],
      connectSrc: ["'self'"],
      workerSrc: ["'self'"],
      baseUri: ["'none'"],
      formAction: ["'none'"],
      frameAncestors: ["'none'"],
    },
    referrerPolicy: 'no-referrer',
    xFrameOptions: 'DENY',
    // Without TLS there is nothing to insist on, and a proxy with TLS can say so itself.
    strictTransportSecurity: false,
    crossOriginResourcePolicy: 'same-origin',
  })
  return async (c, next) => {
    let own = null as string | null
    await secure(c, async () => {
      await next()
      own = c.res.headers.get('Content-Security-Policy')
    })
    // A reply may be more strict.
    if (own !== null) c.header('Content-Security-Policy', own)
    // Streams have their own: a browser reports one that it must not store as aborted once it has been read.
    if (!c.res.headers.has('Cache-Control')) c.header('Cache-Control', 'no-store')
  }
}

/**
 * Counts each request of a user until its reply has been sent or its connection is gone: streams that are followed,
 * files that are sent slowly, answers that are waited for.
 */
export function openRequests(limits: SlotLimits): MiddlewareHandler<Guarded> {
  const slots = new Slots(
    limits,
    () =>
      new TooManyRequests('As many requests are open as the server allows. Close some streams, or try again later.'),
  )
  return async (c, next) => {
    // Absent where no token is needed.
    const user: User | undefined = c.var.user
    if (!user) return next()
    const leave = slots.take(user)
    c.set('leave', leave)
    return untilReplied(c, leave, next)
  }
}

/** Does `release` once the reply has been sent, to the end of a stream, or its connection is gone. */
export async function untilReplied(c: Context, release: () => void, next: Next): Promise<void> {
  // Without a connection, as in tests of the app alone, there is none to wait for.
  const { outgoing }: Partial<HttpBindings> = c.env ?? {}
  outgoing?.once('close', release)
  try {
    await next()
  } finally {
    if (!outgoing || outgoing.closed) release()
  }
}

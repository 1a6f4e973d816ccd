import type { MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { getCookie } from 'hono/cookie'
import { secureHeaders } from 'hono/secure-headers'
import type { User, Users } from './users.ts'

/** What the guards leave for the routes behind them. */
export interface Guarded {
  Variables: { user: User }
}

export interface GuardOptions {
  readonly users: Users
  /** Names of this host, with or without a port; in a port's place, any will do where it is left out. */
  readonly hosts: readonly string[]
  /** Origins of pages elsewhere that may send requests, for instance `https://studio.example`. */
  readonly origins: readonly string[]
}

/** The name of the cookie that a browser gets in exchange for its token. */
export const tokenCookie = 'quaero_token'

/** Bytes of a request that is not an upload. */
const longestBody = 1024 * 1024

/** Paths that need no token: the page itself, which holds nothing, and whether the server is alive. */
const open = new Set(['/', '/ok', '/ready', '/favicon.ico'])
const openFolder = '/assets/'

/**
 * Every request passes these in this order: the host it names (against DNS rebinding), the page it comes from (against
 * forged requests, whatever their content type), its token, its size.
 */
export function guards({ users, hosts, origins }: GuardOptions): readonly MiddlewareHandler<Guarded>[] {
  return [
    headers(),
    async (c, next) => {
      const host = c.req.header('host') ?? ''
      if (hosts.some((each) => each === host || each === withoutPort(host))) return next()
      return c.json(
        refusal('host_refused', 'This server does not answer under this name. --host or server.hosts add names.'),
        403,
      )
    },
    async (c, next) => {
      const origin = c.req.header('origin')
      if (origin === undefined || origins.includes(origin) || isOwn(origin, c.req.header('host') ?? '')) return next()
      return c.json(
        refusal('origin_refused', 'Requests from pages of this origin are refused. server.origins allows more.'),
        403,
      )
    },
    async (c, next) => {
      if (open.has(c.req.path) || c.req.path.startsWith(openFolder)) return next()
      const user = users(tokenOf(c.req.header('authorization'), c.req.header('x-api-key'), getCookie(c, tokenCookie)))
      if (user) {
        c.set('user', user)
        return next()
      }
      c.header('WWW-Authenticate', 'Bearer')
      return c.json(
        refusal('token_missing', 'Send the token of the link that "quaero serve" printed, as Authorization: Bearer.'),
        401,
      )
    },
    async (c, next) => (isUpload(c.req.header('content-type')) ? next() : limited(c, next)),
  ]
}

export function refusal(code: string, message: string) {
  return { error: { code, message } }
}

const limited = bodyLimit({
  maxSize: longestBody,
  onError: (c) => c.json(refusal('too_large', `A request has at most ${longestBody} bytes.`), 413),
})

function isUpload(contentType = ''): boolean {
  return contentType.startsWith('multipart/form-data')
}

function withoutPort(host: string): string {
  return host.replace(/:\d{1,5}$/, '')
}

/** The origin of the page that this server itself delivers, under the name that the request uses. */
function isOwn(origin: string, host: string): boolean {
  return URL.canParse(origin) && new URL(origin).host === host
}

function tokenOf(authorization = '', key = '', cookie = ''): string {
  return /^Bearer (\S+)$/i.exec(authorization)?.[1] ?? (key || cookie)
}

/** Nothing but this server's own files runs in its pages, and no other page frames them. */
function headers(): MiddlewareHandler<Guarded> {
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
    await secure(c, next)
    // Streams have their own: a browser reports one that it must not store as aborted once it has been read.
    const isSet = c.req.path.startsWith(openFolder) || c.res.headers.has('Cache-Control')
    if (!isSet) c.header('Cache-Control', 'no-store')
  }
}

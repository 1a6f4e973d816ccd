import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { ConfigInvalid, packageRoot, type Quaero, type Settings } from '../index.ts'
import { longestBody, secureReplies, uploadPath } from './access/guards.ts'
import { refusal } from './access/refusals.ts'
import { rightsIn } from './access/rights.ts'
import { announce } from './access/running.ts'
import { onePerson, ownToken, usersIn } from './access/users.ts'
import { buildApp } from './app.ts'
import { metrics } from './metrics.ts'
import { type Libraries, OwnLibraries, sharedLibrary } from './user/libraries.ts'
import type { RunBounds } from './user/user-engine.ts'

export interface ServeOptions {
  readonly quaero: Quaero
  /** Opens an engine on another data folder, for users who have libraries of their own. */
  readonly openAt: (dataDir: string) => Promise<Quaero>
  readonly version: string
  readonly settings: Settings
  /** The data folder of the engine, or ":memory:". */
  readonly dataDir: string
  /** 0 takes a free port. */
  readonly port: number
  readonly host: string
  /** A file with a user and a token on each line; one person with one token, if absent. */
  readonly tokens?: string | undefined
  /** The token of one person; a kept one if absent. */
  readonly token?: string | undefined
}

/** A server at work. */
export interface QuaeroServer {
  readonly origin: string
  /** With the token of one person behind `#token=`. */
  readonly url: string
  readonly token: string | null
  /** Takes no more requests, and ends those under way once the engine has stopped their runs. */
  close(stopEngine: () => Promise<void>): Promise<void>
}

const loopback = new Set(['127.0.0.1', 'localhost', '::1'])

/** Serves an engine over HTTP. Throws `ConfigInvalid` for an address that anybody can reach without a file of tokens. */
export async function serve(options: ServeOptions): Promise<QuaeroServer> {
  const { quaero, version, host, tokens, dataDir } = options
  const { server: settings, limits, library } = options.settings
  const { queue } = quaero
  const bytesPerFile = settings.uploads.fileMegabytes * 1024 * 1024
  if (!loopback.has(host) && tokens === undefined) {
    throw new ConfigInvalid(
      `Other machines could reach ${host}. Name the users and their tokens in a file (--tokens), or use 127.0.0.1.`,
    )
  }
  const token = tokens === undefined ? ownToken(dataDir, options.token) : null
  const users = tokens === undefined ? onePerson(token ?? '') : usersIn(readTokens(tokens), tokens)
  const libraries = librariesOf(options)
  const stopping = new AbortController()
  const server = createServer(
    getRequestListener((request, connection) => app.fetch(request, connection), {
      overrideGlobalObjects: false,
      errorHandler: () => malformed.request('/'),
    }),
  )
  server.headersTimeout = headersMs
  // Who asks whether to send a body is told to once the request is read, not where it is refused by its headers.
  server.on('checkContinue', (request, response) => {
    const most = request.url?.startsWith(uploadPath) ? bytesPerFile : longestBody
    if (Number(request.headers['content-length'] ?? 0) <= most) response.writeContinue()
    server.emit('request', request, response)
  })
  const port = await listen(server, options.port, host)
  const app = buildApp({
    libraries,
    // Where each user has a library, nobody else's documents are in it.
    ...(libraries.shared && { rights: rightsIn(settings, library.tags) }),
    version,
    users,
    hosts: hostsOf(host, port, settings.hosts),
    origins: settings.origins,
    runs: queue ? unlimited : { perUser: settings.runsPerUser, inAll: settings.runs },
    requests: { perUser: settings.requestsPerUser, inAll: settings.requests },
    bounds: boundsOf(limits),
    unaskedThreads: settings.unaskedThreadsPerUser,
    uploads: {
      filesPerUser: settings.uploads.files,
      bytesPerFile,
      bytesPerUser: settings.uploads.megabytes * 1024 * 1024,
      silenceMs: 30_000,
    },
    queue,
    metrics: metrics(queue, () => quaero.library.watched()),
    pageFolder: join(packageRoot(), 'dist', 'web'),
    isReady: () => !stopping.signal.aborted,
    checkStorage: () => quaero.checkWrites(),
    ...(queue && { queueFigures: () => queue.figures() }),
    stopping: stopping.signal,
  })
  const origin = `http://${host.includes(':') ? `[${host}]` : host}:${port}`
  const isKnown = token !== null && dataDir !== ':memory:'
  const leave = isKnown ? announce(dataDir, { origin, token, pid: process.pid }) : () => {}
  return {
    origin,
    url: `${origin}/${token === null ? '' : `#token=${token}`}`,
    token,
    async close(stopEngine) {
      stopping.abort()
      leave()
      await closeAfter(server, () => Promise.all([stopEngine(), libraries.close()]))
    },
  }
}

/** Takes no more connections, and ends those there are once the runs behind them have stopped. */
async function closeAfter(server: Server, stopRuns: () => Promise<unknown>): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeIdleConnections()
  await stopRuns()
  server.closeIdleConnections()
  // Streams have ended with their runs; a reader that still takes none of it is not waited for.
  const patience = setTimeout(() => server.closeAllConnections(), patienceMs)
  await closed
  clearTimeout(patience)
}

/** Where there is a queue, its settings limit the runs at work; others wait. */
const unlimited = { perUser: Number.POSITIVE_INFINITY, inAll: Number.POSITIVE_INFINITY }

const patienceMs = 2000
/** A client that takes longer to say what it wants is not waited for. */
const headersMs = 20_000

/** Answers requests whose address or host cannot be read. */
const malformed = new Hono()
  .use(secureReplies())
  .all('*', (c) => c.json(refusal('usage', 'The address of the request, or its host, is malformed.'), 400))

function boundsOf({ wallClockSeconds, ...limits }: Settings['limits']): RunBounds {
  return { ...limits, wallClockMs: wallClockSeconds && 1000 * wallClockSeconds }
}

/** Throws `ConfigInvalid` where libraries of users would have no place. */
function librariesOf({ quaero, openAt, dataDir, tokens, settings: { server, storage } }: ServeOptions): Libraries {
  const folder = dataDir === ':memory:' ? null : dataDir
  if (server.library === 'shared' || tokens === undefined) return sharedLibrary(quaero, folder)
  if (folder === null)
    throw new ConfigInvalid('Libraries of users need a data folder: set dataDir, or "server.library: shared".')
  if (storage !== null)
    throw new ConfigInvalid('Libraries of users are kept in SQLite: set "server.library: shared", or "storage: null".')
  const open = async (name: string) => {
    const own = join(folder, 'users', name)
    return { quaero: await openAt(own), dataDir: own }
  }
  return new OwnLibraries({ open, most: server.openLibraries })
}

/** The names that a request may use: on a loopback address with the port, else any name with a token. */
function hostsOf(host: string, port: number, named: readonly string[]): readonly string[] {
  const own = ['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${port}`)
  return [...own, ...named, ...(loopback.has(host) || isAny(host) ? [] : [host])]
}

function isAny(host: string): boolean {
  return host === '0.0.0.0' || host === '::'
}

function readTokens(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new ConfigInvalid(`The tokens cannot be read: ${error instanceof Error ? error.message : error}`)
  }
}

async function listen(server: Server, port: number, host: string): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(new ConfigInvalid(whyNotListening(error, host, port))),
    )
    server.listen(port, host, resolve)
  })
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : port
}

function whyNotListening({ code, message }: NodeJS.ErrnoException, host: string, port: number): string {
  if (code === 'EADDRINUSE') return `Port ${port} of ${host} is taken. --port 0 takes a free one.`
  return `The server cannot listen on ${host}:${port}: ${message}`
}

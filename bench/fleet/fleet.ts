/** A PostgreSQL server, workers and an engine that submits, all of one store: for torture and benchmark of the queue. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Quaero } from '../../src/index.ts'
import { endingWithUs } from '../../tests/fixtures/stop-after-us.ts'
import { administer, newPostgresServer, type PostgresServer } from '../../tests/fixtures/storage/postgres-server.ts'
import { command, type Endpoint, papers, root, startEndpoint } from '../torture/processes.ts'

export interface Fleet {
  readonly server: PostgresServer
  readonly endpoint: Endpoint
  /** Address of the database. */
  readonly url: string
  /** An engine that submits to the queue, and works on nothing. */
  readonly quaero: Quaero
  /** Starts a worker, and resolves when it takes runs. */
  readonly startWorker: (concurrency: number) => Promise<ChildProcess>
  /** Starts a server that submits to the queue, and works on nothing. */
  readonly startServer: () => Promise<Server>
  /** Opens one more engine; `queued: false` works on what it is asked itself. */
  readonly open: (options: { readonly queued: boolean }) => Promise<Quaero>
  readonly close: () => Promise<void>
}

export interface Server {
  readonly origin: string
  readonly pid: number
  /** Of each request. */
  readonly headers: Readonly<Record<string, string>>
}

const token = 'the-token-of-the-fleet'

const database = 'fleet'

/** A library of two documents, an endpoint that takes `delayMs` for each reply, and no worker yet. */
export async function startFleet({ delayMs }: { readonly delayMs: number }): Promise<Fleet> {
  execFileSync(process.execPath, [join(root, 'scripts', 'build-if-stale.mjs')], { stdio: 'inherit' })
  const place = await mkdtemp(join(tmpdir(), 'quaero-fleet-'))
  // The server runs as another user where this is the administrator.
  await chmod(place, 0o755)
  const papersFolder = join(place, 'papers')
  await mkdir(papersFolder)
  for (const [name, text] of Object.entries(papers)) await writeFile(join(papersFolder, name), text)
  const server = newPostgresServer(join(place, 'server'))
  await server.start()
  await administer(server.url('postgres'), `CREATE DATABASE ${database}`)
  const url = server.url(database)
  const endpoint = await startEndpoint({ delayMs })
  const workers = new Set<ChildProcess>()
  const env = {
    PATH: process.env.PATH,
    QUAERO_DATABASE_URL: url,
    QUAERO_HOME: join(place, 'data'),
    OPENAI_BASE_URL: `${endpoint.url}/v1`,
    OPENAI_API_KEY: 'sk-fleet',
  }
  const configFile = join(place, 'quaero.yaml')
  await writeFile(configFile, 'model: openai:scripted\nresearch: thorough\nanswer: { secondReading: never }\n')
  execFileSync(process.execPath, [command, 'add', papersFolder], { env, stdio: 'ignore' })
  const open = (options: { readonly queued: boolean }) => openEngine({ env, configFile, ...options })
  const quaero = await open({ queued: true })
  return {
    server,
    endpoint,
    url,
    quaero,
    open,
    async startWorker(concurrency) {
      const words = ['worker', '--concurrency', String(concurrency), '--config', configFile]
      const child = spawn(process.execPath, [command, ...words], { env, stdio: ['ignore', 'pipe', 'inherit'] })
      endingWithUs(child)
      workers.add(child)
      child.once('exit', () => workers.delete(child))
      await Promise.race([once(child.stdout, 'data'), once(child, 'exit')])
      return child
    },
    async startServer() {
      const words = ['serve', '--workers', '0', '--port', '0', '--json', '--config', configFile]
      const given = { ...env, QUAERO_TOKEN: token }
      const child = spawn(process.execPath, [command, ...words], { env: given, stdio: ['ignore', 'pipe', 'inherit'] })
      workers.add(child)
      child.once('exit', () => workers.delete(child))
      const [line] = await once(child.stdout, 'data')
      const { url: page, pid } = JSON.parse(String(line))
      if (page === undefined) throw new Error(`The server did not start: ${line}`)
      return { origin: new URL(page).origin, pid, headers: { authorization: `Bearer ${token}` } }
    },
    async close() {
      const ended = [...workers].map((child) => once(child, 'exit'))
      for (const child of workers) child.kill('SIGKILL')
      await Promise.all(ended)
      await quaero.close()
      endpoint.close()
      await server.stop('immediate')
      await rm(place, { recursive: true, force: true })
    },
  }
}

interface EngineOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly configFile: string
  readonly queued: boolean
}

async function openEngine({ env, configFile, queued }: EngineOptions): Promise<Quaero> {
  // The built package, as the workers run it.
  const { createQuaero, loadConfig }: typeof import('../../src/index.ts') = await import(join(root, 'dist', 'index.js'))
  return createQuaero({ config: loadConfig({ file: configFile, env }), queued })
}

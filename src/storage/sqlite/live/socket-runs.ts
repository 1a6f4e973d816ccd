import { once } from 'node:events'
import { chmod, realpath } from 'node:fs/promises'
import { createServer, type Server, type Socket } from 'node:net'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { LiveReader, LiveRuns } from '../../storage.ts'
import type { SqliteDatabase } from '../database/database.ts'
import { connectTo, prepareFolder, socketPath } from './socket-file.ts'
import { readRun } from './socket-reader.ts'

/** How often a follower checks that the process it listens to still has the run. Milliseconds. */
const checkEveryMs = 2000

/**
 * Offers runs to other processes of the machine on a Unix socket. A follower sends the id of a run and a line feed. It gets
 * `{ position, soFar }`, then the run's lines, each as JSON on a line of its own. The connection ends with the run, or when
 * the follower is too slow. Where no socket can be made or reached, runs are followed in the log.
 */
export class SocketRuns implements LiveRuns {
  readonly #database: SqliteDatabase
  readonly #owner: string
  readonly #ownerOf: (runId: string) => Promise<string | undefined>
  readonly #offered = new Map<string, () => LiveReader>()
  readonly #sockets = new Set<Socket>()
  /** From the first run on; null if no socket can be made. */
  #server: Promise<Server | null> | undefined

  /** `owner` is that of this process's leases. */
  constructor(database: SqliteDatabase, owner: string) {
    this.#database = database
    this.#owner = owner
    const find = database.connection.prepare<[string], { owner: string }>('SELECT owner FROM leases WHERE run_id = ?')
    this.#ownerOf = (runId) => database.read(() => find.get(runId)?.owner)
  }

  offer(runId: string, join: () => LiveReader): () => void {
    this.#offered.set(runId, join)
    this.#server ??= this.#listen().catch(() => null)
    return () => void this.#offered.delete(runId)
  }

  async join(runId: string, signal?: AbortSignal): Promise<LiveReader | 'late' | null> {
    const owner = await this.#ownerOf(runId)
    if (owner === undefined || owner === this.#owner) return null
    const path = await this.#pathOf(owner)
    const socket = path === null ? null : await connectTo(path)
    if (!socket) return null
    const reader = await readRun(socket, runId, signal)
    if (!reader || reader === 'late') return reader
    // A process that was stopped loses its run to another, and its connections stay.
    const check = setInterval(async () => {
      const now = await this.#ownerOf(runId).catch(() => undefined)
      if (now !== undefined && now !== owner) reader.close()
    }, checkEveryMs).unref()
    socket.once('close', () => clearInterval(check))
    return reader
  }

  async close(): Promise<void> {
    const server = await this.#server
    server?.close()
    for (const socket of this.#sockets) socket.destroy()
  }

  async #listen(): Promise<Server | null> {
    const path = await this.#pathOf(this.#owner)
    if (path === null) return null
    await prepareFolder(path)
    const server = createServer((socket) => this.#receive(socket)).unref()
    server.listen({ path, exclusive: true })
    await once(server, 'listening')
    server.on('error', () => {})
    if (process.platform !== 'win32') await chmod(path, 0o600)
    return server
  }

  async #pathOf(owner: string): Promise<string | null> {
    return socketPath(await realpath(dirname(this.#database.path)), owner)
  }

  #receive(socket: Socket): void {
    this.#sockets.add(socket.unref())
    socket.on('error', () => {})
    socket.once('close', () => this.#sockets.delete(socket))
    socket.once('data', (data) => {
      const reader = this.#offered.get(String(data).trim())?.()
      if (!reader) return socket.destroy()
      socket.once('close', () => reader.close())
      // Followers that leave are no failure.
      return void pipeline(Readable.from(textOf(reader), { highWaterMark: 1 }), socket).catch(() => {})
    })
  }
}

async function* textOf(reader: LiveReader): AsyncGenerator<string> {
  const { position, soFar } = reader
  yield `${JSON.stringify({ position, soFar })}\n`
  for (let lines = await reader.take(); typeof lines !== 'string'; lines = await reader.take()) {
    yield `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`
  }
}

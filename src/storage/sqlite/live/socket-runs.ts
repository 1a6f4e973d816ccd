import { once } from 'node:events'
import { chmod, realpath } from 'node:fs/promises'
import { createServer, type Server, type Socket } from 'node:net'
import { dirname } from 'node:path'
import { addAbortSignal, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Mailbox } from '../../mailbox.ts'
import {
  type Channel,
  FarChannel,
  type RunSignal,
  runSignal,
  type SignalSource,
  signalsToSend,
} from '../../run-signals.ts'
import type { LiveRuns } from '../../storage.ts'
import type { SqliteDatabase } from '../database/database.ts'
import { connectTo, prepareFolder, socketPath } from './socket-file.ts'

/**
 * Offers runs to other processes of the machine on a Unix socket. A follower sends the id of a run and a line feed. It gets
 * the run's signals, each as JSON on a line of its own. The connection ends with the run's attempt. Where no socket can be
 * made or reached, or nothing comes from it, runs are followed in the log alone.
 */
export class SocketRuns implements LiveRuns {
  readonly #database: SqliteDatabase
  readonly #owner: string
  readonly #ownerOf: (runId: string) => Promise<string | undefined>
  readonly #offered = new Map<string, SignalSource>()
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

  offer(runId: string, source: SignalSource): () => void {
    this.#offered.set(runId, source)
    this.#server ??= this.#listen().catch(() => null)
    return () => void this.#offered.delete(runId)
  }

  join(runId: string, mailbox: Mailbox): Channel {
    const channel = new FarChannel(mailbox)
    // A process that breaks off, or says what is no signal: the log has the rest.
    const pass = this.#pass(runId, channel).catch(() => {})
    void pass.then(() => channel.close())
    return channel
  }

  async close(): Promise<void> {
    const server = await this.#server
    server?.close()
    for (const socket of this.#sockets) socket.destroy()
  }

  /** Until the connection ends. */
  async #pass(runId: string, channel: FarChannel): Promise<void> {
    const owner = await this.#ownerOf(runId)
    if (owner === undefined || owner === this.#owner) return
    const path = await this.#pathOf(owner)
    const socket = path === null ? null : await connectTo(path)
    if (!socket) return
    addAbortSignal(channel.ended, socket)
    socket.ref().write(`${runId}\n`)
    for await (const signals of signalsFrom(socket)) channel.hear(signals)
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
      const source = this.#offered.get(String(data).trim())
      if (!source) return socket.destroy()
      const mailbox = new Mailbox()
      socket.once('close', () => mailbox.end())
      // Followers that leave are no failure.
      return void pipeline(Readable.from(textOf(source, mailbox), { highWaterMark: 1 }), socket).catch(() => {})
    })
  }
}

/** A follower that does not take it makes the mailbox keep the rest, as far as it can. */
async function* textOf(source: SignalSource, mailbox: Mailbox): AsyncGenerator<string> {
  for await (const signals of signalsToSend(mailbox, source)) {
    yield signals.map((signal) => `${JSON.stringify(signal)}\n`).join('')
  }
}

/** The signals of whole lines, as they come. Throws at a line that is none. */
async function* signalsFrom(socket: Socket): AsyncGenerator<readonly RunSignal[]> {
  let rest = ''
  for await (const piece of socket.setEncoding('utf8')) {
    const lines = `${rest}${piece}`.split('\n')
    rest = lines.pop() ?? ''
    if (lines.length > 0) yield lines.map((line) => runSignal.parse(JSON.parse(line)))
  }
}
